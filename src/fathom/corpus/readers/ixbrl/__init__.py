"""Inline XBRL filings with their tagged facts."""
