"""The wrong elements that were looked at, and their inputs, with the words for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ....core import formatting
from ....records import ElementInfluences, InputInfluence, LaunchShape, Wrong
from . import index_sets
from .index_sets import LETTERS, Ranges

FEWEST_ALIKE = 2  # elements that show how what they need follows from their indices


@dataclass(frozen=True)
class Tried:
    wrong: Wrong
    elements: tuple[ElementInfluences, ...]
    shape: LaunchShape | None = None

    def some(self, *elements: ElementInfluences) -> Tried:
        return replace(self, elements=elements)

    @property
    def indices(self) -> list[tuple[int, ...]]:
        return [each.index for each in self.elements]

    @property
    def general(self) -> str:
        """ "C[i][j]" of several elements, "C[0][1]" of one."""
        if len(self.elements) == 1:
            return self.named(self.elements[0])
        return self.wrong.array + "".join(f"[{letter}]" for letter in LETTERS[: len(self.indices[0])])

    def named(self, element: ElementInfluences) -> str:
        return self.wrong.array + "".join(f"[{at}]" for at in element.index)

    def inputs(self) -> list[tuple[InputInfluence, ...]]:
        """Each input, once for each element."""
        return list(zip(*(each.inputs for each in self.elements), strict=True))

    @property
    def tried(self) -> str:
        names = formatting.listed([self.named(each) for each in self.elements])
        case = self.wrong.influences.case if self.wrong.influences else ""
        return f" (seen by changing inputs of {case}, for {names})"


def subscripts(
    about: Tried, of: Sequence[InputInfluence], chosen: Callable[[InputInfluence], tuple[Ranges, ...]]
) -> str:
    return texts(about, [chosen(each) for each in of])


def texts(about: Tried, found: Sequence[tuple[Ranges, ...]]) -> str:
    """ "[i][0–31]"; "" if the elements' sets follow from their indices in no simple way."""
    if not all(index_sets.is_plain(ranges) for sets in found for ranges in sets):
        return ""
    texts = [
        index_sets.common(sets, about.indices, axis) for axis, sets in enumerate(zip(*found, strict=True))
    ]
    return "".join(f"[{text}]" for text in texts) if all(texts) else ""
