"""Charts as trees of SVG elements: drawn here once, shown by the page, written to files as they are."""
