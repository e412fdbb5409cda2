"""A GPU that disappears while a kernel is graded: the score is withheld, and grading works afterwards.

    python grader/tests/gpu/vanish.py OUT [--sandbox none]

The runtime, the driver and the GPU are real. From some start of the harness on, the sandbox lacks the GPU's
device node, or CUDA_VISIBLE_DEVICES lacks its name.
Writes OUT/vanish.json. Exit code 1 if a score was given or withheld by mistake.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from warpgrade.core.paths import here
from warpgrade.course import lab
from warpgrade.gpu import devices
from warpgrade.gpu.devices import DevicePool
from warpgrade.grading import pipeline
from warpgrade.grading.session import Options, Session, prepare
from warpgrade.records import Result
from warpgrade.submission.admit import from_file

LAB = "01-basic"


@dataclass
class VanishingGpu:
    """Removes the GPU after so many starts of the harness."""

    way: str
    starts_left: int

    def here(self) -> bool:
        self.starts_left -= 1
        return self.starts_left >= 0


@contextlib.contextmanager
def vanishing(way: str, after: int) -> Iterator[None]:
    """`way`: "node" or "name"."""
    gpu, nodes, environment = VanishingGpu(way, after), devices.nodes, devices.environment

    def some_nodes(one: devices.Device | None) -> tuple[Path, ...]:
        here = gpu.here()
        return nodes(one) if here or way != "node" else ()

    def some_environment(one: devices.Device | None) -> dict[str, str]:
        variables = environment(one)
        gone = gpu.starts_left <= 0 if way == "name" else False
        return variables | {"CUDA_VISIBLE_DEVICES": ""} if gone else variables

    with (
        mock.patch.object(devices, "nodes", some_nodes),
        mock.patch.object(devices, "environment", some_environment),
    ):
        yield


def graded(session: Session, out: Path) -> Result:
    """Grade the solution on the GPUs that exist at the start."""
    prepared = session.prepared_labs[0]
    source = session.repository.solution(prepared.lab.name) / prepared.lab.files[0]
    found = devices.chosen(devices.find(), "gpu")
    session = replace(session, runner=replace(session.runner, gpus=DevicePool(found)))
    return pipeline.grade_one(from_file(source, prepared.lab, "solution"), prepared, out, session)


def main(out: Path, sandbox: str) -> int:
    repository = here()
    session = prepare(repository, [lab.named(repository, LAB)], Options("gpu", sandbox))
    work = repository.root / "build/hardware/vanish"
    rows: list[dict[str, object]] = []

    def look(what: str, result: Result, wanted: str) -> None:
        total = result.score.total if result.score else None
        right = result.status == wanted and (total is None) == (wanted == "withheld")
        words = result.problem.message if result.problem else ""
        rows.append({"what": what, "status": result.status, "total": total, "problem": words, "ok": right})
        print(f"{'ok ' if right else 'BAD'} {what}: {result.status}, {total}, {words[:90]}", flush=True)

    look("the GPU is present", graded(session, work / "before"), "graded")
    ways = ("node", "name") if sandbox != "none" else ("name",)  # only a sandbox has device nodes of its own
    for way in ways:
        for after in (0, 1):  # before the cases, or between the cases and the times
            folder = work / f"{way}-{after}"
            with vanishing(way, after):
                look(f"its {way} is gone after {after} starts", graded(session, folder), "withheld")
            look("it is back, and the same folder continues", graded(session, folder), "graded")
    (out / "vanish.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[3] if sys.argv[2:3] == ["--sandbox"] else "bwrap"))
