"""What a variable consists of: elements of an array and members of a struct, each with its place in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

_MOST = 64  # elements of a dimension


def leaves(type: Mapping[str, Any], path: str = "", offset: int = 0) -> Iterator[tuple[str, int, Any]]:
    """Path ("[2].x"), bytes from the variable's begin and type of each part, in the order of memory."""
    if type["extents"]:
        count, *inner = type["extents"]
        size = prod(inner) * type["bytes"]
        for at in range(min(count, _MOST)):
            yield from leaves({**type, "extents": inner}, f"{path}[{at}]", offset + at * size)
    elif type.get("members"):
        for each in type["members"]:
            name = f"{path}.{each['name']}" if each["name"] else path
            yield from leaves(each["type"], name, offset + each["offset"])
    else:
        yield path, offset, type
