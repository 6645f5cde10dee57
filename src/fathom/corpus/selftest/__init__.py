"""Generated documents written in every format and read back: reading quality on known truth."""
