"""HTML written by LaTeXML, as served by arXiv and ar5iv."""
