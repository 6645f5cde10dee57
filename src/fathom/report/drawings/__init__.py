"""Charts as trees of SVG elements, for the page and for SVG files."""
