"""Gaps in lab.toml: cases that nothing needs, unknown arrays, known sizes, visibility, faults."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.errors import InstructorError
from ...course import evidence
from ...records import LabKind, Visibility
from ...run import datasets
from .gap import MUTANTS, Gap, LabFiles


def cases(files: LabFiles) -> Iterator[Gap]:
    """Cases that no mutant fails and on which no technique is measured."""
    used = {bug.case for bug in files.bugs} | {technique.case for technique in files.lab.techniques}
    for at, case in enumerate(files.lab.cases):
        if case.name not in used:
            remedy = f"add a [[mutant]] with case = {case.name!r} that passes the others, or remove the case"
            message, line = f"no mutant needs the case {case.name}", files.line_of("case", at)
            yield Gap("case", message, files.lab_toml, line, remedy)


def arrays(files: LabFiles) -> Iterator[Gap]:
    """What the harness says about the declared arrays; nothing before `make tools`."""
    item = files.lab
    if not item.arrays or not files.repository.harness(item.name).exists():
        return
    try:
        folder = datasets.prepare(files.repository, item, datasets.PUBLIC_SALT)
        datasets.need_known_arrays(item, folder, files.repository)
    except InstructorError as error:
        yield Gap("array", error.message, str(error.file), error.line, error.remedy)


def sizes(files: LabFiles) -> Iterator[Gap]:
    """Sizes that students know and at which times or techniques are measured."""
    if files.lab.kind is LabKind.PROGRAM:
        return
    remedy = 'let it use a name of [drawn], as in n = "2000 + a"'
    performance = files.lab.performance
    fixed = {"sizes": performance.sizes and not performance.drawn,
             "gpu_sizes": performance.gpu_sizes and not performance.gpu_drawn}  # fmt: skip
    for key in fixed if performance.points else ():
        if fixed[key]:
            message = f"times are measured at {key} that everybody knows"
            yield Gap("size", message, files.lab_toml, files.line_of("performance", key), remedy)
    for at, technique in enumerate(files.lab.techniques):
        counted = set(evidence.needed(technique)) & set(evidence.counters(files.lab))
        if counted and not files.lab.case(technique.case).drawn:
            message = f"the technique {technique.name} is measured at a size that everybody knows"
            yield Gap("size", message, files.lab_toml, files.line_of("technique", at, "case"), remedy)


def visibility(files: LabFiles) -> Iterator[Gap]:
    """Each visibility needs a case, and a mutant that loses points there."""
    named = {bug.case for bug in files.bugs}
    for visibility in Visibility:
        cases = [case.name for case in files.lab.cases if case.visibility is visibility]
        if not cases:
            message, remedy = (
                f"no case is {visibility.value!r}",
                f"set visibility = {visibility.value!r} of one",
            )
        elif not named.intersection(cases):
            message = f"no mutant names a case whose visibility is {visibility.value!r}"
            remedy = f"add a [[mutant]] to {MUTANTS} with case = {cases[0]!r}"
        else:
            continue
        yield Gap("visibility", message, files.lab_toml, files.line_of("case", 0), remedy)


def faults(files: LabFiles) -> Iterator[Gap]:
    """A fault that students have to name must show in a case that they can see."""
    for at, fault in enumerate(files.lab.faults):
        if any(files.lab.case(name).visibility is Visibility.VISIBLE for name in fault.cases):
            continue
        message = f"students see no line of the fault {fault.name}: none of its cases is visible"
        remedy = f"set visibility = 'visible' of {fault.cases[0]}"
        yield Gap("fault", message, files.lab_toml, files.line_of("fault", at, "cases"), remedy)
