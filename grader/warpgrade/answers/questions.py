"""Loads questions.toml and draws a student's questions from it.

    [[question]]
    name = "blocks-by-threads"
    text = "How many blocks of {threads} threads does an SM of a {gpu.name} hold?"
    gpu = ["g80", "gt200"]             # models of grader/gpus: one is drawn, its figures are gpu.threads, …
    choose = { threads = [128, 256] }  # one of each list is drawn; a table gives the names key.field
    where = { by_threads = "gpu.threads // threads" }   # named values, in order; see formulas.py
    answer = "min(by_threads, gpu.blocks)"
    points = 10
    feedback = "An SM also has a greatest number of blocks."       # of an answer that is wrong
    [[question.near_miss]]             # a wrong answer that earns a part of the points
    name = "no-block-limit"
    answer = "by_threads"
    share = 0.5
    feedback = "You divided the threads, and left out the limit of blocks."

`options` makes a question one of choice: its answer is one of these texts, and the expressions are one of
them, name a value that is one of them, or give its position, counted from 0. Every combination of values is
computed when the file is loaded, so that no student meets a formula that has no value.

Of a lab with a profiled program one run is drawn for all questions. Its figures are run.threads,
run.registers, … (perfmodel/launch_profile.py).
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import toml
from ..core.errors import UsageError
from ..core.paths import Repository
from ..course import question_file
from ..gpu import spec
from ..gpu.spec import GpuSpec
from .formulas import FormulaError, Number, value

FILE = question_file.FILE
_MOST_COMBINATIONS = 5000
_PLACEHOLDER = re.compile(r"\{([a-z_][A-Za-z0-9_.]*)\}")
_DERIVED = ("peak_gflops", "l2_gigabytes_per_second")  # figures of a GPU that follow from its data sheet
_RUN = "run"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
RunFigures = Mapping[str, Number | str]
Drawn = Mapping[str, Number | RunFigures]


@dataclass(frozen=True)
class NearMiss:
    """A wrong answer that a usual mistake leads to, and the share of the points that it earns."""

    name: str
    answer: Number
    share: float
    feedback: str


@dataclass(frozen=True)
class DrawnQuestion:
    """A question with a student's values. `answer` and near misses are positions where there are options."""

    name: str
    text: str
    answer: Number
    options: tuple[str, ...]
    unit: str
    tolerance: float
    points: float
    feedback: str
    near_misses: tuple[NearMiss, ...]

    def accepts(self, given: Number, expected: Number) -> bool:
        """Whether the answer equals the expected one, within the question's relative tolerance."""
        if self.options or not self.tolerance:
            return given == expected or math.isclose(given, expected, rel_tol=1e-9)
        return abs(given - expected) <= self.tolerance * abs(expected)


@dataclass(frozen=True)
class QuestionFile:
    """questions.toml, checked: every question has an answer for every combination of its values."""

    document: toml.Document
    gpus: Mapping[str, GpuSpec]
    runs: tuple[RunFigures, ...]  # the figures of every recorded run of the lab's program, by name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row["name"] for row in self.document.data["question"])

    @property
    def points(self) -> float:
        return math.fsum(row["points"] for row in self.document.data["question"])

    def run(self, seed: str) -> RunFigures:
        """The run that the seed selects for all questions; empty where the lab has none."""
        return _pick(seed, "", "run", self.runs) if self.runs else {}

    def draw(self, seed: str) -> tuple[DrawnQuestion, ...]:
        """The questions with the values that the seed selects. The same seed gives the same values."""
        return tuple(self._draw(row, seed) for row in self.document.data["question"])

    def _draw(self, row: dict[str, Any], seed: str) -> DrawnQuestion:
        drawn = {key: _pick(seed, row["name"], key, values) for key, values in row.get("choose", {}).items()}
        model = _pick(seed, row["name"], "gpu", row["gpu"]) if "gpu" in row else None
        return _question(row, drawn | _of_run(self.run(seed)), self.gpus[model] if model else None)

    def combinations(self, index: int) -> Iterator[DrawnQuestion]:
        """The question at `index` with every combination of its values."""
        row = self.document.data["question"][index]
        choices = row.get("choose", {})
        models: Sequence[str | None] = row.get("gpu", [None])
        for run, model, *values in itertools.product(self.runs or ({},), models, *choices.values()):
            drawn = dict(zip(choices, values, strict=True)) | _of_run(run)
            yield _question(row, drawn, self.gpus[model] if model else None)


def of_lab(repository: Repository, name: str) -> QuestionFile:
    """The questions of the lab with that name."""
    return checked(question_file.load(repository.labs / name), repository)


def load(file: Path, repository: Repository) -> QuestionFile:
    return checked(question_file.read(file), repository)


def checked(document: toml.Document, repository: Repository) -> QuestionFile:
    """The questions, checked. InstructorError with the line of a mistake."""
    rows = document.data["question"]
    gpus: dict[str, GpuSpec] = {}
    seen: set[str] = set()
    for index, row in enumerate(rows):
        if row["name"] in seen:
            message = f"two questions have the name {row['name']!r}"
            raise document.error(message, "question", index, "name", remedy="rename one of them")
        seen.add(row["name"])
        for model in row.get("gpu", []):
            try:
                gpus[model] = spec.load(repository, model)
            except UsageError as error:
                raise document.error(error.message, "question", index, "gpu", remedy=error.remedy) from None
    questions = QuestionFile(document, gpus, question_file.runs(document))
    for index, row in enumerate(rows):
        _check(questions, index, row)
    return questions


def _check(questions: QuestionFile, index: int, row: dict[str, Any]) -> None:
    document, place = questions.document, ("question", index)
    count = math.prod(map(len, row.get("choose", {}).values())) * len(row.get("gpu", [None]))
    count *= max(1, len(questions.runs))
    if count > _MOST_COMBINATIONS:
        message = (
            f"{row['name']}: {count:,} combinations of values; at most {_MOST_COMBINATIONS:,} are checked"
        )
        raise document.error(message, *place, "choose", remedy="shorten a list")
    apart: set[str] = set()
    numbers: set[float] = set()
    try:
        for question in questions.combinations(index):
            numbers.add(float(question.answer))
            apart |= {
                miss.name
                for miss in question.near_misses
                if not question.accepts(miss.answer, question.answer)
            }
    except FormulaError as error:
        remedy = "docs/questions.md says what formulas and calls may hold"
        raise document.error(f"{row['name']}: {error}", *place, remedy=remedy) from None
    for miss in row.get("near_miss", []):
        if miss["name"] not in apart:
            message = f"{row['name']}: the near miss {miss['name']!r} is the right answer for all values"
            raise document.error(message, *place)
    sentences = [row["feedback"], *(miss["feedback"] for miss in row.get("near_miss", []))]
    for sentence in () if row.get("options") else sentences:
        shown = {float(number) for number in _NUMBER.findall(sentence)} & numbers
        if shown:
            message = f"{row['name']}: a sentence of feedback holds {min(shown):g}, which is a right answer"
            raise document.error(message, *place, "feedback", remedy="write it without the number")


def _of_run(run: RunFigures) -> dict[str, RunFigures]:
    """Its figures, under the name that formulas and texts use."""
    return {_RUN: run} if run else {}


def _pick(seed: str, question: str, key: str, values: Sequence[Any]) -> Any:
    digest = hashlib.sha256(f"{seed}|{question}|{key}".encode()).digest()
    return values[int.from_bytes(digest[:8], "big") % len(values)]


def _question(row: dict[str, Any], drawn: Drawn, gpu: GpuSpec | None) -> DrawnQuestion:
    numbers, texts = _names(drawn, gpu)
    capability = gpu.compute_capability if gpu else ""
    limits = gpu.limits if gpu else None
    for name, formula in row.get("where", {}).items():
        numbers[name] = value(formula, numbers, limits, capability)
    options = tuple(row.get("options", ()))

    def answer(text: str) -> Number:
        is_word = text not in numbers and not text.isdecimal()
        named = texts.get(text, text if is_word else "")
        if named in options:
            return options.index(named)
        result = value(text, numbers, limits, capability)
        if options and not (result == int(result) and 0 <= result < len(options)):
            raise FormulaError(f"{text!r} gives {result:g}, which is the position of no option")
        return result

    misses = tuple(
        NearMiss(miss["name"], answer(miss["answer"]), float(miss["share"]), miss["feedback"])
        for miss in row.get("near_miss", [])
    )
    return DrawnQuestion(
        name=row["name"],
        text=_filled(row["text"], numbers, texts),
        answer=answer(row["answer"]),
        options=options,
        unit=row.get("unit", ""),
        tolerance=float(row.get("tolerance", 0)),
        points=float(row["points"]),
        feedback=row["feedback"],
        near_misses=misses,
    )


def _names(drawn: Drawn, gpu: GpuSpec | None) -> tuple[dict[str, Number], dict[str, str]]:
    """Numbers and texts by their names in formulas and in the question's text."""
    tables: dict[str, Any] = dict(drawn)
    if gpu:
        figures = {name: each for name, each in vars(gpu).items() if isinstance(each, int | float | str)}
        figures |= {name: getattr(gpu, name) for name in _DERIVED}
        tables["gpu"] = figures | vars(gpu.limits)
    flat: dict[str, Number | str] = {}
    for key, entry in tables.items():
        flat |= (
            {f"{key}.{name}": each for name, each in entry.items()}
            if isinstance(entry, Mapping)
            else {key: entry}
        )
    numbers = {key: each for key, each in flat.items() if not isinstance(each, str)}
    return numbers, {key: each for key, each in flat.items() if isinstance(each, str)}


def _filled(text: str, numbers: Mapping[str, Number], texts: Mapping[str, str]) -> str:
    def shown(match: re.Match[str]) -> str:
        name = match[1]
        if name in texts:
            return texts[name]
        if name not in numbers:
            raise FormulaError(f"the text uses {{{name}}}, which has no value")
        number = numbers[name]
        return f"{number:g}" if isinstance(number, float) else f"{number:,}" if number > 9999 else str(number)

    return _PLACEHOLDER.sub(shown, text)
