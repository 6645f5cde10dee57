"""Search in the chunks of a context: by words, by embeddings, or by both."""
