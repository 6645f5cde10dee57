"""Language models: prompts, metadata, tokenizers, the embedded model and simulated models."""
