"""Every regular expression, and every function of a text, takes linear time. They are found by listing.

A single call in C, such as a search, holds Python's lock: the ceiling of time (core/concurrency/ceiling.py)
cannot end it. So no pattern may be slow for any text, in the way in which its module uses it.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import warpgrade
from support.long_text import PIECES, is_suspicious, why_not_linear

# Packages whose functions are given what a student wrote; the others read what instructors wrote.
READING = ("answers", "build", "export", "feedback", "judge", "report", "run", "submission")
_FIRST = 1 << 13  # characters: the length at which is_suspicious() looks
_SIZES = tuple(1 << power for power in range(12, 17))
# Which of a pattern's methods show what each costs: a search looks at every position, a match at the first.
_WAYS = {"search": "search", "sub": "findall", "subn": "findall", "split": "findall", "finditer": "findall",
         "findall": "findall", "match": "match", "fullmatch": "fullmatch"}  # fmt: skip
_LITERAL = re.compile(r"[A-Za-z0-9 =:/#<>,;@_!%&'\"`-]+")
_CLASSES = (
    "a",
    "A",
    "1",
    " ",
    "\t",
    "\n",
    "_",
    ".",
    ",",
    "-",
    "(",
    "[",
    "{",
    "\\",
    "/",
    "*",
    "/**/",
    '"',
    "'",
    "é",
    "\u2028",
)


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(warpgrade.__path__, "warpgrade."):
        if found.name.split(".")[1] in READING:
            yield importlib.import_module(found.name)


def _short(module: Any, name: str) -> str:
    return f"{module.__name__.removeprefix('warpgrade.')}.{name}"


def _patterns() -> dict[str, tuple[re.Pattern[Any], tuple[str, ...]]]:
    """The patterns that modules keep, alone or in a table, and the ways in which the module uses them."""
    found = {}
    for module in _modules():
        for name, value in vars(module).items():
            several = list(value.values()) if isinstance(value, dict) else value
            several = several if isinstance(several, list | tuple) else [several]
            for number, each in enumerate(several):
                if isinstance(each, re.Pattern):
                    key = _short(module, name) + (f":{number}" if number else "")
                    found[key] = (each, _ways(module, name))
    return found


def _ways(module: Any, name: str) -> tuple[str, ...]:
    """How the module uses its variable of that name."""
    used = {_WAYS[way] for way in re.findall(rf"\b{name}\.(\w+)", inspect.getsource(module)) if way in _WAYS}
    return tuple(sorted(used)) or ("search", "match")


def _functions() -> dict[str, Callable[[Any], object]]:
    """The functions that need one text, as str or bytes, and nothing else."""
    found = {}
    for module in _modules():
        for name, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else None
            is_own = inspect.isfunction(function) and function.__module__ == module.__name__
            if is_own and _is_of_a_text(function):
                found[_short(module, name)] = function
    return found


def _is_of_a_text(function: Callable[..., Any]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    needed = [each for each in parameters if each.default is each.empty]
    return len(needed) == 1 and needed[0].annotation in ("str", "bytes")


PATTERNS, FUNCTIONS = _patterns(), _functions()


def _texts_for(pattern: str) -> Iterator[tuple[str, str, str]]:
    """Prefix, repeated piece and suffix of each text: letters of every class, and the pattern's own words.
    With its own words a pattern begins to match at every position and never ends."""
    words = list(dict.fromkeys(_LITERAL.findall(re.sub(r"\\[a-zA-Z]|\(\?[:=!<P]\w*>?", "\0", pattern))))[:12]
    for piece in (*_CLASSES, *words, *(f"{word} " for word in words)):
        for before in ("", *words[:3]):
            yield before, piece, "\0"


def _slow(
    reader: Callable[[Any], object], texts: Iterator[tuple[str, str, str]], is_bytes: bool
) -> list[str]:
    found = []
    for before, piece, after in texts:

        def of_size(size: int, before: str = before, piece: str = piece, after: str = after) -> str | bytes:
            text = before + piece * (size // len(piece)) + after
            return text.encode("utf-8", "replace") if is_bytes else text

        if is_suspicious(reader, of_size, _FIRST):
            why = why_not_linear(reader, of_size, _SIZES)
            if why:
                found.append(f"{before!r} {piece!r} {after!r}: {why}")
    return found


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_linear_time(name: str) -> None:
    pattern, used = PATTERNS[name]
    is_bytes = isinstance(pattern.pattern, bytes)
    plain = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    for way in used:
        assert not _slow(getattr(pattern, way), _texts_for(plain), is_bytes), way


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_a_text_takes_linear_time(name: str) -> None:
    function = FUNCTIONS[name]
    is_bytes = "bytes" in {each.annotation for each in inspect.signature(function).parameters.values()}

    def reader(text: Any) -> None:
        try:
            for _ in function(text) if inspect.isgeneratorfunction(function) else (function(text),):
                pass
        except Exception:  # refusing a text is right
            return

    assert not _slow(reader, ((before, piece, "\0") for piece in PIECES for before in ("", "x")), is_bytes)


def test_there_is_something_to_list() -> None:
    assert len(PATTERNS) >= 30 and len(FUNCTIONS) >= 40


@pytest.mark.parametrize(
    ("power", "is_slow"), [(1.0, False), (1.1, False), (2.0, True), (3.0, True)], ids=lambda each: f"{each}"
)
def test_a_slow_reader_is_noticed_and_no_other(
    power: float, is_slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a clock that only the reader moves, as other programs on the machine disturb a real one."""
    now = [0.0]
    monkeypatch.setattr(time, "thread_time", lambda: now[0])

    def reader(text: str) -> None:
        now[0] += 0.1 * (len(text) / _FIRST) ** power

    assert bool(_slow(reader, iter([("", "a", "")]), is_bytes=False)) == is_slow
