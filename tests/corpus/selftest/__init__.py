"""Generated documents written out in every format and read back: how good the readers are, on known truth."""
