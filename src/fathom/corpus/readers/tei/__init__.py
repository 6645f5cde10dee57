"""TEI XML as written by GROBID."""
