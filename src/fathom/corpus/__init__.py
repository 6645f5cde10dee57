"""Source documents become documents, and documents a corpus: a folder whose store is laid down here, once."""
