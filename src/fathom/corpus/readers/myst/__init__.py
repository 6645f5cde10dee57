"""MyST Markdown, as used in conference proceedings."""
