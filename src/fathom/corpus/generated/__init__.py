"""Documents that nobody wrote: seeded, of any size, with every planted fact known by its span."""
