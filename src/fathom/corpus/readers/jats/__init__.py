"""JATS and NLM XML, the format of PubMed Central, eLife and most publishers."""
