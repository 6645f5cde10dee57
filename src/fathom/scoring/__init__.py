"""Keys, typed answers and verdicts: what is right, and whether a response said it."""
