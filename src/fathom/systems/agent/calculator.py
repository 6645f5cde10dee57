"""A calculator for expressions that a model writes: numbers, arithmetic and a few functions, within limits."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction

MAX_EXPRESSION_LENGTH = 500
MAX_BITS = 2_048
"""Bits of a numerator or denominator. Exact powers could otherwise fill the memory."""
MAX_EXPONENT = 2_048
DIGITS = 15
"""Significant digits of a result that is not an integer."""

CalculatorNumber = Fraction | float


class CalculatorError(ValueError):
    """The reason why an expression has no value, in words for the model that wrote it."""


def calculate(expression: str) -> str:
    """The value of an expression such as `(1.5 + 2) / 3 * sqrt(16)`."""
    if len(expression) > MAX_EXPRESSION_LENGTH:
        raise CalculatorError(f"the expression has more than {MAX_EXPRESSION_LENGTH} characters")
    try:
        # `^` is a power to everyone who is not a programmer.
        with warnings.catch_warnings(action="ignore"):  # Python warns of "1if"
            tree = ast.parse(expression.strip().replace("^", "**"), mode="eval")
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise CalculatorError(
            "this is not an arithmetic expression. Write numbers without units or thousands separators"
        ) from error
    try:
        return printed(_value(tree.body))
    except CalculatorError:
        raise
    except ZeroDivisionError as error:
        raise CalculatorError("division by zero") from error
    except OverflowError as error:
        raise CalculatorError("the result is too large") from error
    except (ArithmeticError, ValueError, RecursionError) as error:
        raise CalculatorError(f"the expression has no value ({str(error)[:100]})") from error


def printed(value: CalculatorNumber) -> str:
    """The number in decimal notation."""
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < 10**30:
        return str(value.numerator)
    return f"{float(value):.{DIGITS}g}"


_BINARY: dict[type[ast.operator], Callable[[CalculatorNumber, CalculatorNumber], CalculatorNumber]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


def _round(numbers: Sequence[CalculatorNumber]) -> CalculatorNumber:
    """Half away from zero, as at school."""
    power = Fraction(10) ** max(-30, min(30, int(numbers[1]) if len(numbers) > 1 else 0))
    scaled = abs(Fraction(numbers[0])) * power
    rounded = math.floor(scaled + Fraction(1, 2)) / power
    return rounded if numbers[0] >= 0 else -rounded


def _mean(numbers: Sequence[CalculatorNumber]) -> CalculatorNumber:
    return sum(numbers, Fraction(0)) / len(numbers)


def _median(numbers: Sequence[CalculatorNumber]) -> CalculatorNumber:
    ordered = sorted(numbers)
    return _mean(ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1])


def _real(function: Callable[[float], float]) -> Callable[[Sequence[CalculatorNumber]], CalculatorNumber]:
    return lambda numbers: function(float(numbers[0]))


_FUNCTIONS: dict[str, tuple[Callable[[Sequence[CalculatorNumber]], CalculatorNumber], int | None]] = {
    "abs": (lambda numbers: max(numbers[0], -numbers[0]), 1),
    "ceil": (lambda numbers: Fraction(math.ceil(numbers[0])), 1),
    "exp": (_real(math.exp), 1),
    "floor": (lambda numbers: Fraction(math.floor(numbers[0])), 1),
    "log": (_real(math.log), 1),
    "log10": (_real(math.log10), 1),
    "max": (max, None),
    "mean": (_mean, None),
    "median": (_median, None),
    "min": (min, None),
    "round": (_round, None),
    "sqrt": (_real(math.sqrt), 1),
    "sum": (lambda numbers: sum(numbers, Fraction(0)), None),
}
"""The functions, with the number of their arguments; None for one or more."""
FUNCTIONS = tuple(_FUNCTIONS)


def _value(node: ast.expr) -> CalculatorNumber:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _number(value)
        case ast.UnaryOp(op=ast.UAdd() | ast.USub()):
            operand = _value(node.operand)
            return -operand if isinstance(node.op, ast.USub) else operand
        case ast.BinOp(op=ast.Pow()):
            return _bounded(_power(_value(node.left), _value(node.right)))
        case ast.BinOp() if type(node.op) in _BINARY:
            return _bounded(_BINARY[type(node.op)](_value(node.left), _value(node.right)))
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return _bounded(_called(name, node.args))
    raise CalculatorError(
        "only numbers, + - * / // % ** and parentheses are allowed, and the functions " + ", ".join(FUNCTIONS)
    )


def _number(value: float) -> CalculatorNumber:
    if isinstance(value, float) and not math.isfinite(value):
        raise CalculatorError("a number is too large")
    # The shortest decimal form of a float is what was written: 0.1 is a tenth here.
    return _bounded(Fraction(repr(value)) if isinstance(value, float) else Fraction(value))


def _power(base: CalculatorNumber, exponent: CalculatorNumber) -> CalculatorNumber:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(exponent) > MAX_EXPONENT or (bits - 1) * abs(exponent) > MAX_BITS:
            raise CalculatorError("the power is too large")
        return Fraction(base ** int(exponent))
    if base < 0:
        raise CalculatorError("a root of a negative number")
    return math.pow(base, exponent)


def _called(name: str, arguments: Sequence[ast.expr]) -> CalculatorNumber:
    if name not in _FUNCTIONS:
        raise CalculatorError(f"there is no function {name[:40]}; the functions are {', '.join(FUNCTIONS)}")
    function, count = _FUNCTIONS[name]
    if not arguments or (count is not None and len(arguments) != count):
        raise CalculatorError(f"{name} takes {'numbers' if count is None else 'one number'}")
    return function([_value(argument) for argument in arguments])


def _bounded(value: CalculatorNumber) -> CalculatorNumber:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise CalculatorError("the result is too large")
    elif max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise CalculatorError("the result is too large")
    return value
