"""Ways of answering: a question and what may be seen of its context in, a response out; never a key."""
