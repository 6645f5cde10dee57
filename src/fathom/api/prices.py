"""The price of a run over a bench with common models, estimated from the lengths of its contexts alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fathom.models.model_info import model_info
from fathom.records.questions import Usage
from fathom.runs.folder import RunSettings
from fathom.runs.plan import typical_output
from fathom.tasks.bench import Bench

__all__ = ["COMMON_MODELS", "PriceRange", "price_range"]

COMMON_MODELS = ("openai/gpt-5-mini", "openai/gpt-4.1", "anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash")
"""Models whose price is estimated."""


@dataclass(frozen=True)
class PriceRange:
    """The input tokens of one run, and its price with each common model that can read the longest context."""

    tokens: int
    prices: tuple[tuple[float, str], ...]
    """US dollars and the model, the cheapest first."""


def price_range(bench: Bench) -> PriceRange:
    """The estimate for one response to each question with the whole context, the context cached after the first."""
    questions_of_context = Counter(question.context_id for question in bench.all_questions())
    lengths = {context.id: context.tokens for context in bench.contexts() if context.id in questions_of_context}
    total = sum(lengths[context] * count for context, count in questions_of_context.items())
    longest, once = max(lengths.values(), default=0), sum(lengths.values())
    prices = []
    for name in COMMON_MODELS:
        info = model_info(name)
        output = typical_output("direct", info, RunSettings())
        usage = Usage(
            input_tokens=info.tokens(total),
            cached_tokens=info.tokens(total - once),
            output_tokens=output * questions_of_context.total(),
        )
        price = info.price(usage)
        if price is not None and info.window is not None and info.tokens(longest) + output <= info.window:
            prices.append((price, name))
    return PriceRange(total, tuple(sorted(prices)))
