"""Rules for lab.toml that its schema cannot express."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.paths import here, typed
from ..records import ArrayShape, Lab, LabKind, Visibility
from ..tables import finding_kinds
from . import arrays, draws, evidence, fault_rules, question_file, work
from .expressions import FUNCTIONS, GRAMMAR, PATTERN, ExpressionError, NoValue, parse

_CASE_KEYS = ("name", "values", "points", "visibility")


@dataclass(frozen=True)
class LabMistake:
    """A mistake at the key `path`, and what to do about it."""

    path: tuple[str | int, ...]
    message: str
    remedy: str = ""


def table_mistakes(data: dict[str, Any]) -> Iterator[LabMistake]:
    """Mistakes in the tables of lab.toml, the first one first."""
    yield from _repeated(data, "case", "name")
    yield from _repeated(data, "technique", "name")
    yield from _repeated(data, "hint", "todo")
    yield from _repeated(data, "fault", "name")
    yield from _kind_mistakes(data)
    yield from _forgiveness_mistakes(data.get("forgives", ()))
    yield from _parameter_mistakes(data)
    for draw in draws.declared(data):
        if draw.first > draw.last:
            message = f"drawn {draw.name!r}: from = {draw.first} is greater than to = {draw.last}"
            yield LabMistake(("drawn", draw.name), message, "`from` is the least number that is drawn")
        if draw.name in data.get("parameters", {}):
            message = f"drawn {draw.name!r} has the name of a parameter"
            yield LabMistake(("drawn", draw.name), message, "choose another name")
    for index, case in enumerate(data.get("case", [])):
        yield from _case_mistakes(index, case, data)
    yield from _technique_mistakes(data)
    yield from _performance_mistakes(data)


def _repeated(data: dict[str, Any], table: str, key: str) -> Iterator[LabMistake]:
    seen: set[Any] = set()
    for index, row in enumerate(data.get(table, [])):
        if row[key] in seen:
            message = f"two {table}s have the {key} {row[key]!r}"
            yield LabMistake((table, index, key), message, f"give one of them another {key}")
        seen.add(row[key])


def _kind_mistakes(data: dict[str, Any]) -> Iterator[LabMistake]:
    answers = data.get("kind") == LabKind.ANSWERS
    if answers and "case" in data:
        remedy = f"write the questions in {question_file.FILE} of the lab's folder in solutions/"
        yield LabMistake(("case",), "a lab of the kind 'answers' has no [[case]]", remedy)
    if data.get("steered") and data.get("kind") != LabKind.PROGRAM:
        message = "steered: only a lab of the kind 'program' has calls that results may steer"
        yield LabMistake(("steered",), message, 'write kind = "program", or leave it out')
    profiled = data.get("profiled", {})
    if profiled and not answers:
        message = "only a lab of the kind 'answers' has a table [profiled]"
        yield LabMistake(("profiled",), message, 'write kind = "answers", or leave the table out')
    for index, example in enumerate(profiled.get("examples", ())):
        if list(example) != list(profiled["arguments"]):
            message = f"an example has the arguments {', '.join(profiled['arguments'])}, in this order"
            yield LabMistake(("profiled", "examples"), message, f"correct example {index + 1}")


def _forgiveness_mistakes(codes: Sequence[str]) -> Iterator[LabMistake]:
    """Codes that no finding has: nothing would be forgiven, and nobody would notice."""
    known = [kind.code for kind in finding_kinds.load(here())] if codes else []
    for index, code in enumerate(codes):
        if code not in known:
            message = f"forgives: there is no finding {code!r}{_nearest(code, known)}"
            yield LabMistake(("forgives", index), message, f"{typed('explain')} for the list of findings")


def _parameter_mistakes(data: dict[str, Any]) -> Iterator[LabMistake]:
    for name, row in data.get("parameters", {}).items():
        path = ("parameters", name)
        if name in (*FUNCTIONS, *evidence.SHAPE_FACTS, *evidence.LAUNCH_FACTS, *evidence.COUNTERS):
            message = f"a parameter cannot be called {name!r}: the word has another meaning"
            yield LabMistake(path, message, "choose another name")
        if row["from"] > row["to"]:
            yield LabMistake(
                path,
                f"parameter {name!r}: from = {row['from']} is greater than to = {row['to']}",
                "`from` is the least value of the parameter",
            )


def _case_mistakes(index: int, case: dict[str, Any], data: dict[str, Any]) -> Iterator[LabMistake]:
    declared = data.get("parameters", {})
    where = f"case[{index + 1}]"
    for key in case:
        if key not in declared and key not in _CASE_KEYS:
            yield LabMistake(
                ("case", index, key),
                f"unknown key {key!r} in {where}{_nearest(key, (*declared, *_CASE_KEYS))}",
                f"the lab's [parameters] are {', '.join(declared)}; other keys are {', '.join(_CASE_KEYS)}",
            )
    for name in declared:
        if name not in case:
            remedy = f"every case has a number for each of the lab's [parameters]: {', '.join(declared)}"
            yield LabMistake(("case", index), f"{where} lacks the parameter {name!r}", remedy)
        else:
            at: tuple[str | int, ...] = ("case", index, name)
            yield from _size_mistakes(at, f"{where}.{name}", case[name], declared[name], data)
            if isinstance(case[name], str) and not parse(case[name]).names:
                message = f"{where}.{name}: {case[name]!r} is text"
                yield LabMistake(at, message, "write the number without quotation marks")
            elif isinstance(case[name], str) and case["visibility"] == Visibility.VISIBLE:
                message = f"{where}.{name} is drawn from the course's secret, but the case shows its size"
                yield LabMistake(at, message, 'write visibility = "name"')
    if case["values"] not in data.get("values", []):
        yield _unknown_values(
            ("case", index, "values"), f"{where}.values", case["values"], data.get("values", [])
        )


def _size_mistakes(
    path: tuple[str | int, ...], where: str, value: Any, row: dict[str, Any], data: dict[str, Any]
) -> Iterator[LabMistake]:
    """Mistakes of a size: a number, or an expression over [drawn]."""
    if not isinstance(value, str):
        yield from _range_mistakes(path, where, value, row)
        return
    remedy = "[drawn] declares names with ranges: a = { from = 3, to = 5 }"
    for message in draws.mistakes(value, draws.declared(data), row["from"], row["to"]):
        yield LabMistake(path, f"{where}: {message}", remedy)


def _range_mistakes(
    path: tuple[str | int, ...], where: str, value: Any, row: dict[str, Any]
) -> Iterator[LabMistake]:
    remedy = f"choose an integer from {row['from']} to {row['to']}, as [parameters] declares"
    if type(value) is not int:
        yield LabMistake(path, f"{where}: {value!r} is not of type 'integer'", remedy)
    elif value < row["from"]:
        yield LabMistake(path, f"{where}: {value} is less than the minimum of {row['from']}", remedy)
    elif value > row["to"]:
        yield LabMistake(path, f"{where}: {value} is greater than the maximum of {row['to']}", remedy)


def _unknown_values(path: tuple[str | int, ...], where: str, word: str, known: list[str]) -> LabMistake:
    return LabMistake(
        path,
        f"{where}: {word!r} is not one of {known}{_nearest(word, known)}",
        "the key `values` at the top names them",
    )


def _nearest(word: str, known: Iterable[str]) -> str:
    by_spelling = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), list(by_spelling), 1)
    return f"; did you mean {by_spelling[found[0]]!r}?" if found else ""


def _technique_mistakes(data: dict[str, Any]) -> Iterator[LabMistake]:
    names = [case["name"] for case in data.get("case", [])]
    for index, technique in enumerate(data.get("technique", [])):
        if technique["case"] not in names:
            message = f"there is no case {technique['case']!r}{_nearest(technique['case'], names)}"
            yield LabMistake(("technique", index, "case"), message, f"the cases are {', '.join(names)}")


def _performance_mistakes(data: dict[str, Any]) -> Iterator[LabMistake]:
    if "performance" not in data:
        return
    performance, declared = data["performance"], data.get("parameters", {})
    if not performance["none"] < performance["full"]:
        message = "performance.full must be greater than performance.none"
        remedy = (
            "points begin at `none` and are full at `full`: 0.2 and 0.9 of the solution's speed, for instance"
        )
        yield LabMistake(("performance", "full"), message, remedy)
    for key in ("sizes", "gpu_sizes", "ladder"):
        path = ("performance", key)
        for size in performance.get(key, ()):
            if len(size) != len(declared):
                names = ", ".join(declared)
                message = f"performance.{key}: {size} holds {len(size)} numbers, not {len(declared)}"
                yield LabMistake(path, message, f"give each size as [{names}]")
            else:
                for value, (name, row) in zip(size, declared.items(), strict=True):
                    yield from _size_mistakes(path, f"performance.{key}: {name}", value, row, data)
    known = data.get("values", [])
    values = performance.get("values", next(reversed(known), None))
    if values is not None and values not in known:
        yield _unknown_values(("performance", "values"), "performance.values", values, known)


def _expression_mistakes(
    path: tuple[str | int, ...], where: str, text: str, known: Sequence[str]
) -> Iterator[LabMistake]:
    """Mistakes of an expression that may use these names, and no pattern of PTX."""
    try:
        expression = parse(text)
    except ExpressionError as error:
        yield LabMistake(path, f"{where}: {text!r} {error}", GRAMMAR)
        return
    if expression.impossible:
        yield LabMistake(path, f"{where}: {text!r} {expression.impossible}", GRAMMAR)
    remedy = f"the names that it may use are {', '.join(known)}"
    for name in expression.names:
        if name not in known:
            yield LabMistake(path, f"{where}: there is no {name!r}{_nearest(name, known)}", remedy)
    if expression.patterns:
        yield LabMistake(path, f"{where}: only a technique can count instructions with {PATTERN}(…)", remedy)


def lab_mistakes(lab: Lab) -> Iterator[LabMistake]:
    """Mistakes in expressions and in references between tables, which need the whole lab."""
    yield from _hint_mistakes(lab)
    yield from _array_mistakes(lab)
    yield from _picture_mistakes(lab)
    yield from _work_mistakes(lab)
    for fault_key, message, remedy in fault_rules.mistakes(lab):
        yield LabMistake(fault_key, message, remedy)
    for index, technique in enumerate(lab.techniques):
        for found in evidence.mistakes(technique, lab):
            where = f"technique[{index + 1}].{'.'.join(found.key)}"
            yield LabMistake(("technique", index, *found.key), f"{where}: {found.message}", found.remedy)


def _hint_mistakes(lab: Lab) -> Iterator[LabMistake]:
    """Hints of a lab of questions whose number no question has."""
    for index, hint in enumerate(lab.hints):
        if lab.kind is LabKind.ANSWERS and hint.todo > len(lab.cases):
            message = f"there is no question {hint.todo}: there are {len(lab.cases)}"
            remedy = f"questions have the numbers 1, 2, … in the order of {question_file.FILE}"
            yield LabMistake(("hint", index, "todo"), message, remedy)


def _array_mistakes(lab: Lab) -> Iterator[LabMistake]:
    for array in lab.arrays:
        path, where = ("arrays", array.name), f"arrays.{array.name}"
        for extent in array.extents:
            yield from _expression_mistakes(path, where, extent, lab.parameter_names)
        yield from _extent_mistakes(lab, array)
    names = [array.name for array in lab.arrays]
    if lab.covers and lab.covers not in names:
        message = f"covers: there is no array {lab.covers!r}{_nearest(lab.covers, names)}"
        yield LabMistake(("covers",), message, f"[arrays] declares {', '.join(names) or 'none'}")


def _extent_mistakes(lab: Lab, array: ArrayShape) -> Iterator[LabMistake]:
    remedy = "an extent is an integer of 0 or more in every case; // divides and rounds down"
    for case, extent in itertools.product(lab.cases, array.extents):
        at = f"arrays.{array.name}: {extent!r}"
        try:
            value = parse(extent).value(case.parameters)
        except NoValue as error:
            yield LabMistake(
                ("arrays", array.name), f"{at} has no value in the case {case.name}: {error}", remedy
            )
            continue
        if value < 0 or value != int(value):
            yield LabMistake(("arrays", array.name), f"{at} is {value} in the case {case.name}", remedy)


def _picture_mistakes(lab: Lab) -> Iterator[LabMistake]:
    if lab.pictures:
        known = (*lab.parameter_names, *arrays.ELEMENTS)
        yield from _expression_mistakes(("pictures",), "pictures", lab.pictures, known)


def _work_mistakes(lab: Lab) -> Iterator[LabMistake]:
    for key, text in (("flops", lab.work.flops), ("bytes", lab.work.bytes)):
        yield from _expression_mistakes(("work", key), f"work.{key}", text, lab.parameter_names)
    for size in (*lab.performance.sizes, *lab.performance.gpu_sizes):
        try:
            amount = work.of(lab, size)
        except NoValue as error:
            message = f"work has no value for the size {list(size)}: {error}"
            yield LabMistake(("work",), message, "each timed size needs a number of operations and of bytes")
            continue
        if amount.counted <= 0 or amount.bytes <= 0:
            key = lab.work.rate if amount.counted <= 0 else "bytes"
            remedy = "each timed size needs some work and some traffic"
            yield LabMistake(("work", key), f"work.{key} is not above 0 for the size {list(size)}", remedy)
