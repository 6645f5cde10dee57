"""A context becomes questions and keys: one folder a family."""
