"""The shapes of a lab's arrays in a case: [arrays] of lab.toml, evaluated for the case's parameters."""

from __future__ import annotations

from ..records import Case, Lab
from .expressions import parse

# Names of the elements that one block covers, which the launch shape gives.
ELEMENTS = ("elements_x", "elements_y", "elements_z")


def shapes(lab: Lab, case: Case) -> dict[str, tuple[int, ...]]:
    """Array → shape, in the declared order; empty for a lab that declares no arrays."""
    values = case.parameters
    return {
        array.name: tuple(int(parse(extent).value(values)) for extent in array.extents)
        for array in lab.arrays
    }


def covered(lab: Lab, case: Case) -> tuple[int, ...]:
    """The shape of the array whose elements the blocks cover; () for a lab that names none."""
    return shapes(lab, case).get(lab.covers, ())
