"""The functions that a question's formulas may call: those that the handouts' numbers come from.

A formula is an expression of `course.expressions`, or a call such as

    blocks = { call = "residency", of = { threads = "threads", sm_threads = "gpu.threads" }, part = "blocks" }

where `of` gives an expression for each parameter and `part` selects an attribute or an item of the result.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..course import arithmetic, expressions
from ..gpu import occupancy
from ..gpu.occupancy import SmLimits

Number = int | float
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: function
    for name, function in vars(arithmetic).items()
    if inspect.isfunction(function) and function.__module__ == arithmetic.__name__
} | {"theoretical": occupancy.theoretical}


class FormulaError(ValueError):
    """A formula is malformed, or has no value for the values of its names."""


def value(
    formula: str | Mapping[str, Any],
    values: Mapping[str, Number],
    limits: SmLimits | None,
    compute_capability: str,
) -> Number:
    """The formula's value. `limits` and `compute_capability`: of the question's GPU, for `theoretical`."""
    if isinstance(formula, str):
        return _expression(formula, values)
    name = formula["call"]
    function = FUNCTIONS.get(name)
    if function is None:
        raise FormulaError(f"calls {name!r}; the functions are {', '.join(sorted(FUNCTIONS))}")
    arguments: dict[str, Any] = {key: _expression(text, values) for key, text in formula["of"].items()}
    if function is occupancy.theoretical:
        if limits is None:
            raise FormulaError(f"{name} needs a question with the key 'gpu'")
        arguments |= {"limits": limits, "compute_capability": compute_capability}
    try:
        inspect.signature(function).bind(**arguments)
    except TypeError as error:
        raise FormulaError(f"{name}: {error}; it is {name}{inspect.signature(function)}") from None
    try:
        result = _part(function(**arguments), formula.get("part"))
    except (ArithmeticError, ValueError, TypeError, AttributeError, LookupError) as error:
        raise FormulaError(f"{name} gives no value: {error}") from None
    if isinstance(result, bool) or not isinstance(result, int | float):
        raise FormulaError(f"{name} gives no number: name an attribute or an item of it with the key 'part'")
    return result


def _part(result: Any, part: str | int | None) -> Any:
    if part is None:
        return result
    if isinstance(part, int):
        return result[part]
    if part.startswith("_"):
        raise ValueError(f"{part!r} is not public")
    return getattr(result, part)


def _expression(text: str, values: Mapping[str, Number]) -> Number:
    try:
        return expressions.parse(text).value(values)
    except KeyError as error:
        known = f"; known are {', '.join(values)}" if values else ", as nothing has"
        raise FormulaError(f"{text!r} uses {error.args[0]!r}, which has no value here{known}") from None
    except expressions.ExpressionError as error:
        raise FormulaError(f"{text!r} {error}") from None
    except expressions.NoValue as error:
        raise FormulaError(f"{text!r} has no value: {error}") from None
