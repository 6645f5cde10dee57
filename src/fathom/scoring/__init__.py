"""Answer keys, typed answers and verdicts: parses the answer in a response and compares it with the key."""
