"""What elements of a wrong result depend on: in the student's kernel, and in the oracle."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Weight:
    """One element of an input that was changed alone.

    Where the result does not change in proportion, as a maximum, the numbers say only whether it does.
    """

    index: tuple[int, ...]  # of that element
    right: float  # by how much a change of it by 1 should change the result's
    got: float  # by how much it does
    is_steady: bool = True  # whether the result changes in proportion


@dataclass(frozen=True)
class Operations:
    """By which operations all elements that are needed give the result: "sum", "largest"."""

    right: tuple[str, ...]  # by the oracle
    got: tuple[str, ...]  # by the kernel


@dataclass(frozen=True)
class Partners:
    """One element of an input, and those of another one that it is joined with, as two factors are."""

    index: tuple[int, ...]  # of the element
    other: str  # the other input
    right: tuple[int, ...]  # index of the element of it that the oracle joins with the first
    got: tuple[int, ...]  # and that the kernel does


@dataclass(frozen=True)
class InputInfluence:
    """How one input acts on one element of the result.

    `needs` and `uses` hold ranges of indices for each dimension of the input, each from its first to its
    last: a change of all that has such an index changes the element.
    """

    array: str  # its name in the lab
    shape: tuple[int, ...]  # its extents, the slowest dimension first
    is_needed: bool  # the right value changes with the input
    is_used: bool  # the kernel's value does
    is_same: bool  # both change by the same
    needs: tuple[tuple[tuple[int, ...], ...], ...]  # by the oracle; empty if not found out
    uses: tuple[tuple[tuple[int, ...], ...], ...]  # by the kernel
    alike: tuple[tuple[tuple[int, ...], ...], ...]  # of both, where they change the element by the same
    weights: tuple[Weight, ...]  # of single elements at the ends of these
    selects: bool = False  # the right values are elements of the input, as a maximum is
    partners: Partners | None = field(default=None, metadata={"saved": "if set"})  # of one of them
    operations: Operations | None = field(default=None, metadata={"saved": "if set"})  # where found out


@dataclass(frozen=True)
class ElementInfluences:
    """One wrong element, and how each input acts on it."""

    index: tuple[int, ...]  # of the element, from 0
    right: float  # its value by the oracle
    got: float  # and in the kernel's result
    inputs: tuple[InputInfluence, ...]  # those whose elements can be changed one by one


@dataclass(frozen=True)
class Touched:
    """An element of the result that changes with one of an input."""

    index: tuple[int, ...]  # of that element
    by: float  # by how much it changes


@dataclass(frozen=True)
class ElementFootprint:
    """What a change of one element of an input does to the whole result."""

    array: str  # the input
    index: tuple[int, ...]  # of its element
    right: tuple[Touched, ...]  # by the oracle
    got: tuple[Touched, ...]  # by the kernel


@dataclass(frozen=True)
class Influences:
    """What wrong elements depend on, in a small case in which they are wrong.

    Where elements of an input act by their values, as where equal ones are counted, one without an
    index stands for all elements of the result together.
    """

    case: str  # whose inputs were changed
    elements: tuple[ElementInfluences, ...]  # the first wrong one, and some others
    footprints: tuple[ElementFootprint, ...] = field(  # of single elements of the inputs
        default=(), metadata={"saved": "if set"}
    )
