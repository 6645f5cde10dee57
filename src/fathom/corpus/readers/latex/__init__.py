"""Reader of LaTeX sources, parsed as markup and never executed."""
