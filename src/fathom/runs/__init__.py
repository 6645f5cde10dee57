"""A bench's questions and a system in, replies out: plan, order, gate, budget, resume. Never a key."""
