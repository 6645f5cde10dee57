"""Language models and what they count in: tokens."""
