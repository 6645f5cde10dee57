"""From verdicts to findings: how well, how surely, where and why it fails. Reads files alone."""
