"""The runs that the questions of a lab ask about: solutions/<lab>/runs.toml, written by `warpgrade runs`.

`profiled` in lab.toml names a program and the arguments that it can have. Each combination of them is a run.
It is profiled as students get the program, and once with each change of solutions/<lab>/changes.toml:

    [[change]]
    name = "A"
    when = { kernel = "scores" }   # the runs that it is for, by their arguments
    text = "the rows of tile_b get one more column"
    edit = [{ find = "tile_b[T][T]", replace = "tile_b[T][T + 1]" }]   # the text occurs once in the program

Changes of one name are compiled together, so their `when` must exclude one another.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import perfmodel
from ..core import store, toml
from ..core.errors import InstructorError, UsageError
from ..core.paths import Repository, file_hash, text_hash
from ..course import question_file
from ..gpu import spec
from ..perfmodel.launch_profile import figures
from ..records import Lab, ProfiledProgram
from ..student.profiled_program import compiled_program

CHANGES = "changes.toml"
_SCHEMA = Path(__file__).with_name("changes.schema.json")
_OF_CHANGE = ("milliseconds", "bound")  # figures that are kept of a changed program
Row = dict[str, int | float | str]  # figures by name


@dataclass(frozen=True)
class ProgramChange:
    name: str
    when: Mapping[str, str]
    text: str
    edits: tuple[tuple[str, str], ...]  # text that occurs once, and what stands in its place

    def concerns(self, run: Mapping[str, str]) -> bool:
        return all(run.get(name) == value for name, value in self.when.items())


def program_of(item: Lab) -> ProfiledProgram:
    """The program that the lab's questions are about. UsageError if they are about none."""
    if item.profiled is None:
        message = f"{item.name} asks about no program"
        raise UsageError(message, remedy="docs/questions.md describes the table [profiled] of lab.toml")
    return item.profiled


def combinations(program: ProfiledProgram) -> Iterator[dict[str, str]]:
    """The arguments of each run that a question can be about, by name."""
    for values in itertools.product(*(values for _, values in program.arguments)):
        yield _named(program, values)


def examples(program: ProfiledProgram) -> Iterator[dict[str, str]]:
    """The arguments of each run that the handout shows, by name."""
    for values in program.examples:
        yield _named(program, values)


def _named(program: ProfiledProgram, values: tuple[str, ...]) -> dict[str, str]:
    return {name: value for (name, _), value in zip(program.arguments, values, strict=True)}


def changes(repository: Repository, item: Lab) -> tuple[ProgramChange, ...]:
    """The changes of the lab, empty if it has none. InstructorError with the line of a mistake."""
    file = repository.solution(item.name) / CHANGES
    if not file.is_file():
        return ()
    document, source = toml.load(file, _SCHEMA), _source(repository, item)
    for index, row in enumerate(document.data["change"]):
        for edit in row["edit"]:
            if (times := source.count(edit["find"])) != 1:
                first = edit["find"].strip().partition("\n")[0]
                message = f"change {row['name']}: {first!r} occurs {times} times in {program_of(item).file}"
                raise document.error(message, "change", index, "edit", remedy="it must occur once")
    return tuple(_change(row) for row in document.data["change"])


def inputs(repository: Repository, item: Lab) -> str:
    """A hash of all files from which the runs are made, and of the model of their times."""
    file = repository.solution(item.name) / CHANGES
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    model = sorted(Path(perfmodel.__file__).parent.rglob("*.py"))
    gpus = sorted((repository.root / "grader" / "gpus").glob("*.toml"))
    return text_hash(_source(repository, item), text, repr(program_of(item)), file_hash(*model, *gpus))


def is_fresh(repository: Repository, item: Lab) -> bool:
    """Whether runs.toml was made from the present files."""
    recorded = question_file.load(repository.labs / item.name).data.get("recorded", {})
    return bool(recorded.get("inputs") == inputs(repository, item))


def record(repository: Repository, item: Lab, say: Callable[[str], None]) -> Path:
    """Run everything, and write runs.toml. `say` is called with a line for each program."""
    drawn, shown = list(combinations(program_of(item))), list(examples(program_of(item)))
    runs, known = [*drawn, *shown], changes(repository, item)
    rows = measured(repository, item, (), runs, say)
    for name in dict.fromkeys(change.name for change in known):
        together = [change for change in known if change.name == name]
        concerned = [run for run in runs if any(change.concerns(run) for change in together)]
        for run, found in zip(concerned, measured(repository, item, together, concerned, say), strict=True):
            (change,) = (each for each in together if each.concerns(run))
            row = rows[runs.index(run)]
            row[f"{name}.text"] = change.text
            row |= {f"{name}.{figure}": found[figure] for figure in _OF_CHANGE}
    file = repository.solution(item.name) / question_file.RUNS
    store.write_text(file, _written(item, inputs(repository, item), rows[: len(drawn)], rows[len(drawn) :]))
    return file


def measured(
    repository: Repository,
    item: Lab,
    applied: Sequence[ProgramChange],
    runs: list[dict[str, str]],
    say: Callable[[str], None] = lambda line: None,
) -> list[Row]:
    """The figures of these runs of the program with these changes applied."""
    program, source = program_of(item), _source(repository, item)
    for find, replace in (edit for change in applied for edit in change.edits):
        source = source.replace(find, replace)
    names = ", ".join(dict.fromkeys(change.name for change in applied))
    about = f"with change {names}" if names else "as students get it"
    say(f"{program.file} {about}: {len(runs)} runs")
    with tempfile.TemporaryDirectory(prefix="warpgrade-") as folder:
        file = Path(folder) / program.file
        file.write_text(source, encoding="utf-8")
        with compiled_program(repository, file, spec.load(repository, program.gpu)) as made:
            return [_arguments(run) | figures(made.profile(tuple(run.values()))) for run in runs]


def _arguments(run: Mapping[str, str]) -> Row:
    return {name: int(value) if value.isdecimal() else value for name, value in run.items()}


def _source(repository: Repository, item: Lab) -> str:
    file = repository.labs / item.name / program_of(item).file
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        remedy = "write the program, or correct `program` in lab.toml"
        raise InstructorError("is missing", file=file, remedy=remedy) from None


def _change(row: Mapping[str, object]) -> ProgramChange:
    when, edits = row["when"], row["edit"]
    assert isinstance(when, dict) and isinstance(edits, list)
    pairs = tuple((edit["find"], edit["replace"]) for edit in edits)
    return ProgramChange(
        str(row["name"]), {name: str(value) for name, value in when.items()}, str(row["text"]), pairs
    )


def _written(item: Lab, key: str, runs: list[Row], shown: list[Row]) -> str:
    """The text of runs.toml: each figure with its values in all runs. JSON strings and numbers are valid
    TOML, too.
    """
    lines = [f"# Written by the command `runs {item.name}`: what was measured of each run. Do not edit."]
    lines += ["[recorded]", f'inputs = "{key}"']
    for table, rows in (("runs", runs), ("examples", shown)):
        lines += ["", f"[{table}]"]
        for name in dict.fromkeys(name for row in rows for name in row):
            values = [_rounded(row.get(name, question_file.NO_FIGURE)) for row in rows]
            if any(values):
                lines.append(f"{json.dumps(name)} = {json.dumps(values, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _rounded(value: int | float | str) -> int | float | str:
    """The value with six digits: the last digits of a modelled time depend on the machine's floating-point
    arithmetic.
    """
    return float(f"{value:.6g}") if isinstance(value, float) else value
