"""Samples documents into contexts of a requested length; a context is a recipe that renders to text."""
