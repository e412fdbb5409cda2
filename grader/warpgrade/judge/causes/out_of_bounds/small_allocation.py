"""Advice on an access behind an array that is smaller than another one of the same launch.

A student's program allocates its arrays itself: where another one has room for the same element, the size of
the allocation may be what is wrong, and not the index.
"""

from __future__ import annotations

from dataclasses import replace

from ....core import formatting
from ....records import Case, Finding

ELEMENTS_FOR_BYTES, TOO_SMALL = "elements-for-bytes", "allocation-too-small"
_LESS = ("", "outside-the-array", "outside-the-result")  # causes that say less


def advised(finding: Finding, case: Case | None = None) -> Finding:
    """The finding with advice on the size of the allocation; unchanged where no other array is larger, and
    the array has not as many bytes as the case has elements.
    """
    memory = finding.memory
    if memory is None or not memory.made_at or (finding.cause or "") not in _LESS:
        return finding
    name = memory.array
    have = f"{name} has {formatting.amount(memory.allocation_bytes, 'byte')}"
    counted = case.parameters if case else {}
    sign = next((sign for sign, count in counted.items() if count == memory.allocation_bytes), "")
    if sign and memory.bytes > 1 and not memory.larger_bytes:
        words = (
            f"{have}, and {sign} = {memory.allocation_bytes:,} counts elements: {memory.made_at} asks for as "
            f"many bytes. An element has {memory.bytes} bytes: {sign} * sizeof(*{name})."
        )
        return replace(finding, cause=ELEMENTS_FOR_BYTES, help=words)
    if not memory.larger_bytes:
        return finding
    if memory.bytes > 1 and memory.larger_bytes == memory.allocation_bytes * memory.bytes:
        words = (
            f"{have}, and another array of this launch {memory.larger_bytes:,}: {memory.made_at} asks for as "
            f"many bytes as there are elements. An element has {memory.bytes} bytes: count * sizeof(*{name})."
        )
        return replace(finding, cause=ELEMENTS_FOR_BYTES, help=words)
    words = (
        f"{have}, and another array of this launch {memory.larger_bytes:,}, where this element has room. "
        f"Shall {name} be as large? Then {memory.made_at} asks for too few bytes. If not, bound the index."
    )
    return replace(finding, cause=TOO_SMALL, help=words)
