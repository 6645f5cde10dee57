"""The settings of the published benchmark."""

from __future__ import annotations

from fathom.tasks.family import Preset

CORPUSQA = Preset(
    summary="329 questions at each of 128K, 1M, 4M and 10M tokens in four domains, as in the paper",
    settings={
        "domains": {"companies-zh": 83, "companies-en": 83, "universities": 82, "housing": 81},
        "packs": ("companies", "universities", "housing"),
    },
    # Two of three documents are of one year: of a dozen random reports of five years, few could be compared.
    contexts={
        "lengths": ("128K", "1M", "4M", "10M"),
        "count": 8,
        "sampling": ("year",),
        "per_subject": True,
        "min_tokens": 10_240,
        "known": ("tables",),
    },
    run={"temperature": 0.0},
)
