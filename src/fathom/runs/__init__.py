"""A bench's questions and a system in, responses out: plan, order, gate, budget, resume. Never a key."""
