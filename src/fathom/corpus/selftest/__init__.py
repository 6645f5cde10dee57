"""Self-test of the readers: write generated documents in every format, read them back, and compare."""
