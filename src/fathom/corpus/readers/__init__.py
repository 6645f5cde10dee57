"""Readers: documents in, documents out. A reader says what it found; one place lays it out as text."""
