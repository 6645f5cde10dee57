"""Source documents become articles, and articles a corpus: a folder whose store is laid down here, once."""
