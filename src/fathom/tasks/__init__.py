"""Questions and keys over contexts, one package for each question family."""
