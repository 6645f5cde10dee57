"""Statistics over verdicts: accuracy with intervals, comparisons, error patterns and causes. Only reads files."""
