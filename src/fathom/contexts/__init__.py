"""Documents are gathered into contexts of a wanted length; a context is a recipe that renders to text."""
