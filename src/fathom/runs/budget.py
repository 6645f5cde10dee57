"""A purse: nothing is sent that could take the run past its cap."""

from __future__ import annotations


class BudgetReached(Exception):  # noqa: N818 - no error: the run did what it was told
    """The next request could cost more than is left."""


class Budget:
    """What may still be spent, with what is in flight counted at its highest."""

    def __init__(self, cap: float | None, spent: float = 0.0) -> None:
        self._cap = cap
        self.spent = spent
        self._reserved = 0.0

    @property
    def is_capped(self) -> bool:
        return self._cap is not None

    def reserve(self, most: float | None) -> float:
        """Set aside what a request can cost at most; refuses where that is more than is left."""
        wanted = most or 0.0
        if self._cap is not None and self.spent + self._reserved + wanted > self._cap:
            raise BudgetReached(f"${self.spent:.4f} of ${self._cap:.2f} are spent, and the next request may cost more")
        self._reserved += wanted
        return wanted

    def settle(self, reserved: float, paid: float | None) -> None:
        """Give back what was set aside and take what the request did cost."""
        self._reserved -= reserved
        self.spent += paid or 0.0
