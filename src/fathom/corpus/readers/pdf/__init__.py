"""PDF files, read by layout rules."""
