"""Systems: from a question and a view of its context to a response; never a key."""
