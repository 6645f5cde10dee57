"""Questions whose answers a query proves: counting, sorting, filtering, relating titles, authors and references."""
