"""The system `agent`: a model with tools over the documents of its context."""

from fathom.systems.agent.agent import Agent

__all__ = ["Agent"]
