"""Rules of the tables [[fault]] in lab.toml that a schema cannot express."""

from __future__ import annotations

from collections.abc import Iterator

from ..records import FaultyKernel, Lab, LabKind, Visibility

Mistake = tuple[tuple[str | int, ...], str, str]  # path of the key, message, remedy


def mistakes(lab: Lab) -> Iterator[Mistake]:
    """Mistakes in the lab's tables [[fault]], in their order."""
    if lab.kind is LabKind.DEBUG and all(fault.file != lab.files[0] for fault in lab.faults):
        message = f"a lab of the kind 'debug' has a [[fault]] in its first file, {lab.files[0]}"
        yield ("kind",), message, "see docs/faults.md"
    if lab.faults and lab.kind not in (LabKind.DEBUG, LabKind.KERNELS):
        yield ("fault", 0), f"a lab of the kind '{lab.kind}' has no [[fault]]", "see docs/faults.md"
    for index, fault in enumerate(lab.faults):
        for key, message, remedy in _of_fault(fault, lab):
            yield ("fault", index, key), f"fault[{index + 1}].{key}: {message}", remedy


def _of_fault(fault: FaultyKernel, lab: Lab) -> Iterator[tuple[str, str, str]]:
    for key, name, known in (
        ("file", fault.file, lab.files),
        ("answers", fault.answers, lab.files[1:]),
        ("kernel", fault.kernel, lab.kernels),
    ):
        if name not in known:
            yield key, f"there is no {name!r}", f"choose one of {', '.join(known) or 'none'}"
    cases = {case.name: case for case in lab.cases}
    for name in fault.cases:
        if name not in cases:
            yield "cases", f"there is no case {name!r}", f"choose some of {', '.join(cases)}"
        elif cases[name].visibility is Visibility.HIDDEN:
            yield "cases", f"the case {name!r} is hidden, so that students do not have it", "choose another"
    if fault.file == lab.files[0] and fault.program:
        yield "program", f"{fault.file} holds the lab's kernels", "write the program in another file"
    if fault.file == lab.files[0] and fault.repaired:
        remedy = "leave it out: the points of the lab's cases are for repairing"
        yield "repaired", f"{fault.file} earns the points of all cases", remedy
