"""JSON lines of papers with Markdown bodies and metadata."""
