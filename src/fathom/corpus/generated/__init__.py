"""Generated documents: seeded, of any size, with the span of every planted fact, claim and citation."""
