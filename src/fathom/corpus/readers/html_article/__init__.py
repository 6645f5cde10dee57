"""Reader of ordinary web pages: articles, posts, reports."""
