"""Operations on answer types, one module each: parse, compare, format, variants and differences.

No other package matches on answer classes. To add an answer type, add its record to `scoring.answers` and its case to
each module here; a test lists the cases that are missing.
"""
