"""Page layout shared by web pages and inline XBRL filings."""
