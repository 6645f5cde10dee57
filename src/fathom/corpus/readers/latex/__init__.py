"""LaTeX sources, read as marked-up text and never executed."""
