"""The guidelines that annotators see unless the project has its own."""

GUIDELINES = """\
### What to mark

- **Claim**: a statement of the authors about their own work that could be false: a result, a contribution, a property
  of their method, a performance. Not a fact from other work, and not a plan.
- **Evidence**: a passage that supports or contradicts a claim: a measurement, a table, a proof, an experiment. A
  sentence that repeats the claim is not evidence.

### How

1. Read the document once. Then mark every claim, once, where it is stated most precisely.
2. For each claim mark all of its evidence, wherever it is. One passage can be evidence for several claims.
3. Mark whole sentences where you can, and for a table its caption or the rows that count.
4. A claim without evidence stays without: say why in its form.
5. Work alone. Note what you are unsure about; differences are settled in adjudication.
"""
