"""BibTeX bibliographies."""
