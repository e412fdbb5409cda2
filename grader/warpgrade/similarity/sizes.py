"""The sizes that a kernel's author has chosen: those of its launches and of its shared arrays.

A student who rewrites a copy changes every statement, and mostly keeps what the kernel is built around.
"""

from __future__ import annotations

import itertools
import re

from ..judge.causes import places
from ..judge.causes.source_text import bare

# Numbers of each launch shape, and bytes of each shared array: both in order.
Sizes = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]

# LAUNCH_SHAPE(16, 16, TILE, TILE), LAUNCH_SHAPE_1D_OF(kernel, THREADS, 4 * (ROWS + 1))
_SHAPE = re.compile(r"\bLAUNCH_\w++\s*+\(((?:[^()\n;]|\([^()\n;]{0,60}\)){1,200}+)\)")
_MOST = 50  # launch shapes that are looked at


def of(source: str) -> Sizes | None:
    """The sizes of a kernel. None if no launch shape or no shared array of the text has known numbers."""
    text = bare(source)
    shapes = []
    for found in itertools.islice(_SHAPE.finditer(text), _MOST):
        numbers = (places.value_of(each.strip(), text, {}) for each in found[1].split(","))
        shapes.append(tuple(number for number in numbers if number is not None))
    shapes, arrays = sorted(filter(None, shapes)), sorted(size for _, size in places.declared_sizes(text))
    return (tuple(shapes), tuple(arrays)) if shapes and arrays else None
