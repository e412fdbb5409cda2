"""Expressions of lab.toml: arithmetic on named values, parsed with `ast`, evaluated by tables of operators.

The grammar is a part of Python's: numbers, names with dots, `+ - * / // % **`, comparisons, `and or not`,
`a if c else b`, min, max, ceil, floor, sqrt, log2, and ptx("pattern"). Length, depth and the size of every
number have limits, so that no text takes long. `parse` raises ExpressionError for text that is no such
expression. `Expression.value` raises NoValue where there is no value, as for a division by zero.
"""

from __future__ import annotations

import ast
import functools
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

Number = int | float
Values = Mapping[str, Number]

_MOST_CHARACTERS = 1000
_MOST_DEPTH = 40  # of operators within operators
_MOST_BITS = 1000  # of an integer; a float has the same range
_MOST_EXPONENT = 1000
PATTERN = "ptx"  # the function that counts instructions by a pattern of their opcode

_BINARY: dict[type[ast.AST], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_UNARY: dict[type[ast.AST], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_,
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], Callable[[Number, Number], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
# Name → function, fewest and most arguments.
_FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int]] = {
    "min": (min, 2, 16), "max": (max, 2, 16), "ceil": (math.ceil, 1, 1), "floor": (math.floor, 1, 1),
    "sqrt": (math.sqrt, 1, 1), "log2": (math.log2, 1, 1),
}  # fmt: skip
FUNCTIONS = (*_FUNCTIONS, PATTERN)
GRAMMAR = (
    "an expression has numbers, names, + - * / // % **, comparisons, and, or, not, a if c else b, and the "
    f"functions {', '.join(FUNCTIONS)}"
)


class ExpressionError(ValueError):
    """The text is no expression of this grammar."""


class NoValue(ArithmeticError):
    """The expression has no value for these values of its names."""


@dataclass(frozen=True)
class Expression:
    """A parsed expression. `names`: the values that it needs; `patterns`: the arguments of its ptx(…)."""

    text: str
    names: tuple[str, ...]
    patterns: tuple[str, ...]

    def value(self, values: Values, patterns: Values | None = None) -> Number:
        """The value; `patterns` has the count of each ptx("…"). NoValue, or KeyError for a missing name."""
        return _Evaluation(values, patterns or {}).of(_tree(self.text))

    @property
    def impossible(self) -> str:
        """Why it never has a value, whatever its names are: a part without names has none. Else ""."""
        return next(filter(None, map(_impossible, _parts(_tree(self.text)))), "")

    @property
    def comparison(self) -> tuple[Expression, str, Expression] | None:
        """Left side, sign and right side where the whole expression is one comparison."""
        tree = _tree(self.text)
        if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
            return None
        sign = _SYMBOLS[type(tree.ops[0])]
        return parse(ast.unparse(tree.left)), sign, parse(ast.unparse(tree.comparators[0]))


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    """The expression in `text`; ExpressionError says what is wrong with it."""
    tree = _tree(text)
    names = dict.fromkeys(name for node in _parts(tree) if (name := _name(node)))
    patterns = dict.fromkeys(str(_argument(node)) for node in _parts(tree) if _is_pattern(node))
    return Expression(text, tuple(names), tuple(patterns))


@functools.lru_cache(maxsize=1024)
def _tree(text: str) -> ast.expr:
    if len(text) > _MOST_CHARACTERS:
        raise ExpressionError(f"is longer than {_MOST_CHARACTERS:,} characters: give a part of it a name")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise ExpressionError(f"is no expression: {why}") from None
    _check(tree)
    return tree


# --- what is allowed ---------------------------------------------------------------------------


def _check(tree: ast.expr) -> None:
    waiting: list[tuple[ast.expr, int]] = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > _MOST_DEPTH:
            raise ExpressionError(f"nests more than {_MOST_DEPTH} operators: give a part of it a name")
        waiting += [(child, depth + 1) for child in _children(node)]


def _parts(tree: ast.expr) -> Iterator[ast.expr]:
    """The expression and all expressions in it, from left to right."""
    yield tree
    for child in _children(tree):
        yield from _parts(child)


def _children(node: ast.expr) -> list[ast.expr]:
    """The operands of an allowed node; ExpressionError for any other node."""
    if isinstance(node, ast.Constant):
        _check_number(node)
        return []
    if _name(node):
        return []
    if isinstance(node, ast.BinOp) and (type(node.op) in _BINARY or isinstance(node.op, ast.Pow)):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
        return [node.left, *node.comparators]
    if isinstance(node, ast.IfExp):
        return [node.test, node.body, node.orelse]
    if isinstance(node, ast.Call):
        return _arguments(node)
    raise ExpressionError(f"holds {_quoted(node)}, which is not allowed in an expression")


def _check_number(node: ast.Constant) -> None:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"holds {_quoted(node)}: only numbers are allowed")
    try:
        _bounded(value)
    except NoValue:
        raise ExpressionError("holds a number that is too large") from None


def _arguments(node: ast.Call) -> list[ast.expr]:
    name = _name(node.func)
    if _is_pattern(node):
        return []
    if name == PATTERN:
        raise ExpressionError(f'{PATTERN} takes one pattern in quotation marks, such as {PATTERN}("atom.*")')
    if name not in _FUNCTIONS:
        raise ExpressionError(f"calls {_quoted(node.func)}; the functions are {', '.join(FUNCTIONS)}")
    _, fewest, most = _FUNCTIONS[name]
    if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        raise ExpressionError(f"{name} takes plain arguments only")
    if not fewest <= len(node.args) <= most:
        wanted = "1 argument" if most == 1 else f"{fewest} to {most} arguments"
        raise ExpressionError(f"{name} takes {wanted}, not {len(node.args)}")
    return node.args


def _is_pattern(node: ast.expr) -> bool:
    called = isinstance(node, ast.Call) and _name(node.func) == PATTERN and not node.keywords
    return called and isinstance(_argument(node), str)


def _argument(node: ast.expr) -> object:
    """The value of a call's only argument if that is a constant; else None."""
    arguments = node.args if isinstance(node, ast.Call) else []
    return arguments[0].value if len(arguments) == 1 and isinstance(arguments[0], ast.Constant) else None


def _name(node: ast.expr) -> str:
    """ "a" or "a.b.c" for a name with or without dots; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""


def _quoted(node: ast.expr) -> str:
    try:
        text = ast.unparse(node)
    except (ValueError, RecursionError):
        text = type(node).__name__
    return repr(text if len(text) <= 40 else text[:37] + "...")


# --- the value ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Evaluation:
    values: Values
    patterns: Values

    def of(self, node: ast.expr) -> Number:
        try:
            return _bounded(self._of(node))
        except (ZeroDivisionError, OverflowError, ValueError, TypeError) as error:
            raise NoValue(str(error)) from None

    def _of(self, node: ast.expr) -> Number:
        if isinstance(node, ast.Constant):
            assert isinstance(node.value, int | float)
            return node.value
        if isinstance(node, ast.BinOp):
            left, right = self.of(node.left), self.of(node.right)
            return (
                _power(left, right) if isinstance(node.op, ast.Pow) else _BINARY[type(node.op)](left, right)
            )
        if isinstance(node, ast.UnaryOp):
            return _UNARY[type(node.op)](self.of(node.operand))
        if isinstance(node, ast.BoolOp):
            wanted = isinstance(node.op, ast.Or)
            return any(self.of(each) for each in node.values) if wanted else all(map(self.of, node.values))
        if isinstance(node, ast.Compare):
            return self._compared(node)
        if isinstance(node, ast.IfExp):
            return self.of(node.body if self.of(node.test) else node.orelse)
        if isinstance(node, ast.Call):
            if _is_pattern(node):
                return self.patterns[str(_argument(node))]
            function, _, _ = _FUNCTIONS[_name(node.func)]
            return function(*map(self.of, node.args))
        return self.values[_name(node)]

    def _compared(self, node: ast.Compare) -> bool:
        left = self.of(node.left)
        for sign, right in zip(node.ops, map(self.of, node.comparators), strict=True):
            if not _COMPARISONS[type(sign)](left, right):
                return False
            left = right
        return True


def _impossible(node: ast.expr) -> str:
    if any(_name(part) or _is_pattern(part) for part in _parts(node)):
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            return ""
        is_zero = isinstance(node.right, ast.Constant) and node.right.value == 0
        return "divides by zero" if is_zero else ""
    try:
        _Evaluation({}, {}).of(node)
    except NoValue as error:
        return f"has no value: {error}"
    return ""


def _power(base: Number, exponent: Number) -> Number:
    if abs(exponent) > _MOST_EXPONENT or (
        isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * exponent > 2 * _MOST_BITS
    ):
        raise NoValue("a power is too large")
    result = base**exponent
    if not isinstance(result, int | float):
        raise NoValue("a root of a negative number is no real number")
    return result


def _bounded(value: Number) -> Number:
    too_large = value.bit_length() > _MOST_BITS if isinstance(value, int) else not math.isfinite(value)
    if too_large:
        raise NoValue("a number is too large")
    return value
