"""Ways of answering: a question and what may be seen of its context in, a reply out; never a key."""
