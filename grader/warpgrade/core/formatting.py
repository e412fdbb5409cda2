"""Numbers, places and verdicts as the words and signs of a page."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..records import Place, Verdict, Wrong


@dataclass(frozen=True)
class Sign:
    """A verdict on a page. Colour alone never carries it: each has its own glyph and words."""

    glyph: str
    words: str
    tone: str  # a class of base.css: good, bad, idle, grader


SIGNS = {
    Verdict.PASS: Sign("✓", "pass", "good"),
    Verdict.WRONG_ANSWER: Sign("≠", "wrong answer", "bad"),
    Verdict.RACE: Sign("⇄", "race", "bad"),
    Verdict.MEMORY: Sign("⊘", "memory", "bad"),
    Verdict.BARRIER: Sign("‖", "barrier", "bad"),
    Verdict.CRASH: Sign("✱", "crash", "bad"),
    Verdict.TIMEOUT: Sign("∞", "time-out", "bad"),
    Verdict.RESOURCES: Sign("▦", "resources", "bad"),
    Verdict.SKIPPED: Sign("–", "not run", "idle"),
    Verdict.GRADER_ERROR: Sign("?", "grader error", "grader"),
}
_COMPONENTS = "xyzw"  # of a vector type such as float4


def points(value: float) -> str:
    """Points on every page, terminal and sheet: 12 → "12", 12.5 → "12.5", 93.27 → "93.27"; no "-0"."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def signed(value: float) -> str:
    """-5 → "−5", 2 → "+2"."""
    return f"{'−' if value < 0 else '+'}{points(abs(value))}"


def count(value: float) -> str:
    """1234567 → "1,234,567"."""
    return f"{value:,.0f}"


def rounded(value: float) -> str:
    """1234567 → "1,230,000": three digits tell the amount, and not what it was counted from."""
    return count(float(f"{value:.3g}"))


def number(value: int | float | str) -> str:
    """An element of an array; words such as "NaN" are kept, and integers have all their digits."""
    return value if isinstance(value, str) else f"{value:.9g}" if isinstance(value, float) else str(value)


def ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def milliseconds(value: float) -> str:
    return f"{value * 1000:.3g} µs" if value < 1 else f"{value:.4g} ms"


def size(value: Sequence[int]) -> str:
    return " × ".join(str(part) for part in value)


def index(value: Sequence[int]) -> str:
    """The index of a block or thread, as the emulator's sentences write it: "(0,2,0)"."""
    return f"({','.join(map(str, value))})"


def thread_of_block(thread: Sequence[int], block: Sequence[int]) -> str:
    """As in "thread (1,0,0) of block (0,2,0)"; an unknown block is left out."""
    return f"thread {index(thread)} of block {index(block)}" if block else f"thread {index(thread)}"


def element(wrong: Wrong) -> str:
    """The first wrong element as an expression: "C[0][5]"."""
    return wrong.array + "".join(f"[{at}]" for at in wrong.index)


def position(index: Sequence[int]) -> str:
    """An index in an array in words: "index 7", "row 2, column 3", "layer 1, row 2, column 3"."""
    if len(index) == 1:
        return f"index {index[0]}"
    names = ("layer", "row", "column")[-len(index) :]
    if len(names) < len(index):
        return f"index ({', '.join(map(str, index))})"
    return ", ".join(f"{name} {at}" for name, at in zip(names, index, strict=True))


def first_position(wrong: Wrong) -> str:
    """The first wrong element's index in words; of a vector with its component: "row 2, column 3, z"."""
    words = position(wrong.cells_index)
    return f"{words}, {_COMPONENTS[wrong.index[-1]]}" if wrong.vector else words


def base_name(file: str) -> str:
    return file.replace("\\", "/").rsplit("/", 1)[-1]


def place(side: Place) -> str:
    """kernel.cu:12:5; an unknown column or line is left out."""
    if not side.file:
        return ""
    numbers = [str(value) for value in (side.line, side.column) if value]
    return ":".join([base_name(side.file), *numbers])


def actor(side: Place) -> str:
    """The thread and its access: "thread (1,0,0) of block (0,2,0): write"."""
    if not side.thread:
        return side.access
    who = thread_of_block(side.thread, side.block)
    return f"{who}: {side.access}" if side.access else who


def owned(wrong: Wrong) -> str:
    """How a wrong element relates to its thread."""
    return "was to be computed by" if wrong.got == "never written" else "computed by"


def stood(state: str) -> str:
    """A warp's state in words; "can run" means that it waits for nothing."""
    return "at work" if state == "can run" else state


def sentences(*texts: str) -> str:
    """Messages and remedies as running text: each begins with a capital letter and ends with a point."""
    return " ".join(map(_sentence, filter(None, texts)))


def _sentence(text: str) -> str:
    first = text[:1].upper() + text[1:] if re.match(r"[a-z]+[ ,]", text) else text  # no file's name
    return first if first.endswith((".", "?", "!", "…")) else f"{first}."


def amount(value: int, noun: str) -> str:
    """1 → "1 byte", 2 → "2 bytes"."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def listed(names: Sequence[str]) -> str:
    """["a", "b", "c"] → "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def span(numbers: Sequence[int]) -> str:
    """[0, 1, 2, 5] → "0–2, 5"; a constant step gives "0, 4, …, 28"."""
    numbers = sorted(numbers)
    if (
        len(numbers) > 3
        and len(steps := {b - a for a, b in itertools.pairwise(numbers)}) == 1
        and steps != {1}
    ):
        return f"{numbers[0]}, {numbers[1]}, …, {numbers[-1]}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
