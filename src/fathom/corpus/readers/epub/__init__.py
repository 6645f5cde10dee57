"""Reader of e-books (EPUB)."""
