"""What a corpus holds, as several commands tell it; apart from them, since each brings a room of its own along."""

from __future__ import annotations

from pathlib import Path

from fathom.corpus.manifest import CorpusManifest


def describe(folder: Path, manifest: CorpusManifest) -> str:
    """What the corpus holds, in a few lines."""
    subjects = ", ".join(f"{name} {count}" for name, count in manifest.subjects.items())
    return "\n".join(
        (
            f"{folder}: {manifest.documents:,} documents, {manifest.tokens:,} tokens ({manifest.tokenizer}), "
            f"{manifest.links:,} citations among them",
            f"  {subjects}",
            f"  fingerprint {manifest.fingerprint[:16]}, licenses {', '.join(manifest.licenses)}",
        )
    )
