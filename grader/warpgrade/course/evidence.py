"""What a technique of lab.toml may measure: the names of its expressions, and the sentences that show them.

Counters have the names of Nsight Compute, or the short names of `ALIASES`. All counts are sums over the
launches of the technique's case, or over those of one kernel.
"""

from __future__ import annotations

import difflib
import functools
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..records import PROGRAM_FACTS, Lab, LabKind, Technique
from ..tables import nsight
from .expressions import GRAMMAR, Expression, ExpressionError, Number, parse

# Short name → Nsight Compute's name: the constants of tables/nsight.py in small letters, as in metrics.def.
ALIASES = {name.lower(): metric for name, metric in vars(nsight).items() if name.isupper()}
# What a short name counts besides its metric: an asynchronous copy and an atomic that adds zero also load.
ALSO = {"global_load_bytes": (nsight.ASYNC_COPY_BYTES, nsight.GLOBAL_ATOMIC_BYTES)}
BANK_CONFLICTS = "shared_bank_conflicts"  # wavefronts of shared memory beyond those that would suffice
COUNTERS = (*ALIASES, BANK_CONFLICTS, *ALIASES.values())
# From LAUNCH_SHAPE: threads of a block, and the elements that it covers.
SHAPE_FACTS = ("threads", "threads_x", "threads_y", "threads_z", "elements_x", "elements_y", "elements_z")
LAUNCH_FACTS = ("blocks", "dynamic_shared", "launches")
_FORMAT = re.compile(r"|times|percent|g|,|\.[0-9]f|count [a-z][a-z ]*")
_PATTERN = re.compile(r"[a-z0-9_.:*?]{1,100}")


@dataclass(frozen=True)
class EvidenceMistake:
    """`key`: the key of the technique, or of its `where`, that is wrong."""

    key: tuple[str, ...]
    message: str
    remedy: str = ""


def counters(lab: Lab) -> tuple[str, ...]:
    """Names of what the launches of a case count; of a program lab, what its runs count, too."""
    of_launches = (*ALIASES, *ALIASES.values())
    return (*PROGRAM_FACTS, *of_launches) if lab.kind is LabKind.PROGRAM else COUNTERS


def measurable(lab: Lab) -> tuple[str, ...]:
    """All names that a technique of the lab may use besides the parameters. The launches of a program have
    the shapes that it chooses, as many as it likes.
    """
    of_shape = () if lab.kind is LabKind.PROGRAM else (*SHAPE_FACTS, *LAUNCH_FACTS)
    return (*of_shape, *counters(lab))


def expressions(technique: Technique) -> tuple[Expression, ...]:
    """The named values in their order, then the condition, if there is one, and the comparison."""
    texts = (*(text for _, text in technique.where), technique.counts_if, technique.evidence)
    return tuple(parse(text) for text in texts if text)


def needed(technique: Technique) -> tuple[str, ...]:
    """Names that must be measured: those of expressions and sentences that `where` does not define."""
    defined = {name for name, _ in technique.where}
    used = [name for expression in expressions(technique) for name in expression.names]
    used += [name for text in _sentences(technique).values() for name in _places(text)]
    return tuple(name for name in dict.fromkeys(used) if name not in defined)


def _sentences(technique: Technique) -> dict[str, str]:
    """Key → text."""
    return {
        "met": technique.met, "not_met": technique.not_met, "does_not_count": technique.does_not_count,
    }  # fmt: skip


def patterns(techniques: Sequence[Technique]) -> tuple[str, ...]:
    """The patterns of all ptx(…), each once."""
    found = (expressions(technique) for technique in techniques)
    return tuple(
        dict.fromkeys(each for group in found for expression in group for each in expression.patterns)
    )


# --- sentences ---------------------------------------------------------------------------------


def sentence(text: str, values: Mapping[str, Number]) -> str:
    """The text with each {name} or {name:format} filled in."""
    parts = string.Formatter().parse(text)
    return "".join(
        before + (shown(values[name], form or "") if name else "") for before, name, form, _ in parts
    )


def shown(value: Number, form: str = "") -> str:
    """The value in a format of lab.toml: one decimal unless the format says otherwise."""
    plain = f"{value:,.1f}".removesuffix(".0")
    if form == "times":
        return "once" if plain == "1" else f"{plain} times"
    if form == "percent":
        return f"{100 * value:.0f} %"
    if form.startswith("count "):
        noun = form.removeprefix("count ")
        return f"{plain} {noun}" + ("" if plain == "1" else "s")
    if form == ",":
        return f"{value:,.0f}"
    return format(float(value), f",{form}" if form.startswith(".") else form) if form else plain


@functools.cache
def _places(text: str) -> tuple[str, ...]:
    return tuple(name for _, name, _, _ in string.Formatter().parse(text) if name)


# --- mistakes ----------------------------------------------------------------------------------


def mistakes(technique: Technique, lab: Lab) -> Iterator[EvidenceMistake]:
    """Mistakes in the technique's names, expressions and sentences, in their order."""
    known = [*lab.parameter_names, *measurable(lab)]
    for name, text in technique.where:
        if name in known:
            yield EvidenceMistake(("where", name), f"{name!r} has a meaning already", "choose another name")
        yield from _of_expression(("where", name), text, known)
        known.append(name)
    if technique.counts_if:
        yield from _of_expression(("counts_if",), technique.counts_if, known)
    yield from _of_expression(("evidence",), technique.evidence, known)
    yield from _of_comparison(technique)
    for key, text in _sentences(technique).items():
        yield from _of_sentence(key, text, known)
    if technique.kernel and lab.kind is LabKind.PROGRAM:
        message = "a program's counters are those of all its launches"
        yield EvidenceMistake(("kernel",), message, "leave it out")
    elif technique.kernel and technique.kernel not in lab.kernels:
        remedy = f"the kernels are {', '.join(lab.kernels)}"
        yield EvidenceMistake(("kernel",), f"there is no kernel {technique.kernel!r}", remedy)
    yield from _of_drawn_sizes(technique, lab)


def _of_drawn_sizes(technique: Technique, lab: Lab) -> Iterator[EvidenceMistake]:
    """Sentences that would tell students a size that the course draws, or what follows from it alone."""
    case = lab.case(technique.case)
    drawn = {name for name, text in zip(case.names, case.drawn, strict=False) if parse(text).names}
    for name, text in technique.where:
        expression = parse(text)
        names = set(expression.names)
        if names & drawn and names <= drawn | set(case.names) and not expression.patterns:
            drawn.add(name)
    for key, text in _sentences(technique).items():
        for name in sorted(drawn.intersection(_places(text))):
            message = f"{{{name}}} tells a size that the course draws from its secret"
            yield EvidenceMistake(
                (key,), message, "say a share of it, or how many there are for each element"
            )


def _of_expression(key: tuple[str, ...], text: str, known: Sequence[str]) -> Iterator[EvidenceMistake]:
    try:
        expression = parse(text)
    except ExpressionError as error:
        yield EvidenceMistake(key, f"{text!r} {error}", GRAMMAR)
        return
    if expression.impossible:
        yield EvidenceMistake(key, f"{text!r} {expression.impossible}", GRAMMAR)
    yield from (_unknown(key, name, known) for name in expression.names if name not in known)
    for pattern in expression.patterns:
        if not _PATTERN.fullmatch(pattern):
            remedy = "a pattern has small letters, digits, dots and * as in atom.*.add.f32"
            yield EvidenceMistake(key, f"{pattern!r} is no pattern of an opcode", remedy)


def _of_comparison(technique: Technique) -> Iterator[EvidenceMistake]:
    compared = parse(technique.evidence).comparison
    if compared is None:
        remedy = "write one comparison: what is measured on its left, the limit on its right"
        yield EvidenceMistake(("evidence",), f"{technique.evidence!r} compares no two values", remedy)
    elif technique.slack != 1 and compared[1] in ("==", "!="):
        yield EvidenceMistake(("slack",), f"slack has no meaning for {compared[1]}", "leave it out")


def _of_sentence(key: str, text: str, known: Sequence[str]) -> Iterator[EvidenceMistake]:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as error:
        yield EvidenceMistake((key,), f"{text!r} cannot be filled in: {error}", "double a brace that is one")
        return
    for _, name, form, conversion in parts:
        if name is not None and name not in known:
            yield _unknown((key,), name, known)
        elif name is not None and (conversion or not _FORMAT.fullmatch(form or "")):
            remedy = "formats are times, percent, g, a comma, .1f and `count NOUN`"
            yield EvidenceMistake((key,), f"{{{name}:{form}}} has an unknown format", remedy)


def _unknown(key: tuple[str, ...], name: str, known: Sequence[str]) -> EvidenceMistake:
    found = difflib.get_close_matches(name, known, 1)
    nearest = f"; did you mean {found[0]!r}?" if found else ""
    own = [each for each in known if each not in COUNTERS]
    counted = [each for each in ALIASES if each in known and each.startswith(name.partition("_")[0] + "_")]
    counters = f"counters, such as {', '.join(counted)}," if counted else "the counters"
    remedy = f"names are {', '.join(own)}, and {counters} of grader/emulator/machine/counters/metrics.def"
    return EvidenceMistake(key, f"there is no {name!r}{nearest}", remedy)
