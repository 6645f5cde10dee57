"""Readers: documents in, articles out. A reader says what it found; one place lays it out as text."""
