"""The shared nouns, their ids and their files. Every other room speaks in these."""
