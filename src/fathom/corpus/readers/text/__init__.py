"""Reader of plain text."""
