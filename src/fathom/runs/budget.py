"""A spending cap: no request is sent that could exceed it."""

from __future__ import annotations


class BudgetReached(Exception):  # noqa: N818 - not an error: the run stops as requested
    """The next request could cost more than is left."""


class Budget:
    """The dollars that may still be spent, with requests in flight counted at their highest price."""

    def __init__(self, cap: float | None, spent: float = 0.0) -> None:
        self._cap = cap
        self.spent = spent
        self._reserved = 0.0

    @property
    def is_capped(self) -> bool:
        return self._cap is not None

    def require(self, price: float | None) -> None:
        """Raise BudgetReached if spending this much could exceed the cap."""
        if self._cap is not None and self.spent + self._reserved + (price or 0.0) > self._cap:
            raise BudgetReached(f"${self.spent:.4f} of ${self._cap:.2f} is spent, and the next request may cost more")

    def reserve(self, highest: float | None) -> float:
        """Reserve and return the highest price of a request; raises BudgetReached if it is more than is left."""
        self.require(highest)
        self._reserved += highest or 0.0
        return highest or 0.0

    def settle(self, reserved: float, paid: float | None) -> None:
        """Replace the reservation of a request by its actual price."""
        self._reserved -= reserved
        self.spent += paid or 0.0
