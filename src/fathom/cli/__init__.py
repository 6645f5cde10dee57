"""The command line: each command parses its arguments, calls `fathom.api` and prints a summary."""
