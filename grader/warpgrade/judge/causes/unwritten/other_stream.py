"""Advice on a kernel that reads what a copy in another stream fills, and does not wait for that copy."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ....records import Memory
from ..source_text import split

CAUSE = "filled-in-another-stream"
_COPY = re.compile(r"\bcudaMemcpyAsync\s*+\(([^;{}]{1,300})")
_LAUNCH = re.compile(r"<<<([^;{}]{1,200}?)>>>\s*+\(([^;{}]{1,300})")
_RECORD = re.compile(r"\bcudaEventRecord\s*+\(([^;{}]{1,200})")
_WAIT = re.compile(r"\bcudaStreamWaitEvent\s*+\(([^;{}]{1,200})")
_STREAM_OF_COPY, _STREAM_OF_LAUNCH = 4, 3  # places among the arguments
_MOST = 50  # copies and launches that are looked at


@dataclass(frozen=True)
class _Enqueued:
    """A copy or a launch: the line that makes it, its stream, and the arrays that it names."""

    line: int
    stream: str
    arrays: tuple[str, ...]


def advice(memory: Memory, text: str) -> str:
    """Advice; "" where this is not the mistake. `memory`: what the kernel reads. `text`: without comments."""
    name = _array(memory.allocation)
    copies = [each for each in _copies(text) if name == each.arrays[0]]
    launches = [each for each in _launches(text) if name in each.arrays]
    if not name or len({each.stream for each in copies}) != 1 or len(launches) != 1:
        return ""
    copy, launch = copies[0], launches[0]
    if copy.stream == launch.stream or (memory.distance > 0 and _waits(launch.stream, copy.stream, text)):
        return ""
    return (
        f"The copy in line {copy.line}, in stream {copy.stream}, fills it, and nothing makes the kernel of "
        f"line {launch.line}, in stream {launch.stream}, wait for that copy. Record an event behind the copy "
        f"in {copy.stream}, and before the launch: cudaStreamWaitEvent({launch.stream}, event). The stream "
        "that a wait names is the one that waits."
    )


def _waits(stream: str, other: str, text: str) -> bool:
    """Whether a stream waits for events of the other one: then the copy may be over, and was too short."""
    waits = [_arguments(found[1]) for found in itertools.islice(_WAIT.finditer(text), _MOST)]
    records = [_arguments(found[1]) for found in itertools.islice(_RECORD.finditer(text), _MOST)]
    awaited = {_array(wait[1]) for wait in waits if len(wait) > 1 and wait[0] == stream}
    return any(len(each) > 1 and each[1] == other and _array(each[0]) in awaited for each in records)


def _copies(text: str) -> Iterator[_Enqueued]:
    for found in itertools.islice(_COPY.finditer(text), _MOST):
        arguments = _arguments(found[1])
        if len(arguments) > _STREAM_OF_COPY:
            line = text.count("\n", 0, found.start()) + 1
            yield _Enqueued(line, arguments[_STREAM_OF_COPY], (_array(arguments[0]),))


def _launches(text: str) -> Iterator[_Enqueued]:
    for found in itertools.islice(_LAUNCH.finditer(text), _MOST):
        of_launch = _arguments(found[1])
        if len(of_launch) > _STREAM_OF_LAUNCH:
            line = text.count("\n", 0, found.start()) + 1
            yield _Enqueued(line, of_launch[_STREAM_OF_LAUNCH], tuple(map(_array, _arguments(found[2]))))


def _array(words: str) -> str:
    """The name of an array in "ring.frame[slot] + first"."""
    return re.split(r"[\[+]", words.strip())[0].strip()


def _arguments(words: str) -> list[str]:
    return [each.strip() for each in split(words)]
