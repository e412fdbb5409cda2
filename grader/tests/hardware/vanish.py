"""A GPU that disappears while a kernel is graded: its score is withheld, and grading goes on afterwards.

    python grader/tests/hardware/vanish.py OUT [--sandbox none]

The runtime, the driver and the card are real; what is taken away is the card's device node in the box, or
its name in CUDA_VISIBLE_DEVICES, from one start of the harness on. Beside it other processes run a kernel
into an illegal address, one after the other: their own fault, which must not reach a right kernel's results.
Writes OUT/vanish.json. Exit code 1 where a score was given or withheld that should not be.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from unittest import mock

from warpgrade import batch, build, cards, harness, lab, workshop
from warpgrade.cards import Pool
from warpgrade.harness import Order
from warpgrade.house import here
from warpgrade.records import Result
from warpgrade.submission import from_file
from warpgrade.workshop import Workshop

LAB = "01-basic"
STRAY = ("C[", "C[(1ull << 40) + ")  # a write beyond anything that is mapped


@dataclass
class Card:
    """Takes the card away after so many starts of the harness on it."""

    way: str
    starts_left: int

    def here(self) -> bool:
        self.starts_left -= 1
        return self.starts_left >= 0


@contextlib.contextmanager
def vanishing(way: str, after: int) -> Iterator[None]:
    """`way`: "node" or "name"."""
    card, nodes, environment = Card(way, after), cards.nodes, cards.environment

    def some_nodes(one: cards.Card | None) -> tuple[Path, ...]:
        here = card.here()
        return nodes(one) if here or way != "node" else ()

    def some_environment(one: cards.Card | None) -> dict[str, str]:
        told = environment(one)
        gone = card.starts_left <= 0 if way == "name" else False
        return told | {"CUDA_VISIBLE_DEVICES": ""} if gone else told

    with (
        mock.patch.object(cards, "nodes", some_nodes),
        mock.patch.object(cards, "environment", some_environment),
    ):
        yield


def graded(shop: Workshop, out: Path) -> Result:
    """The solution, by all stages, with cards as they are when a grading starts."""
    place = shop.places[0]
    source = shop.house.solution(place.lab.name) / place.lab.files[0]
    found = cards.chosen(cards.find(), "gpu")
    shop = replace(shop, bench=replace(shop.bench, cards=Pool(found)))
    return batch.grade_one(from_file(source, place.lab, "solution"), place, out, shop)


@contextlib.contextmanager
def beside(shop: Workshop, folder: Path) -> Iterator[list[str]]:
    """Another process, and another, that dies of an illegal address on the same card; what each one said."""
    place = shop.places[0]
    source = shop.house.solution(place.lab.name) / place.lab.files[0]
    stray = folder / "stray" / "kernel.cu"
    stray.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8")
    stray.write_text(text.replace(*STRAY), encoding="utf-8")
    submission = from_file(stray, place.lab, "stray")
    build.build(submission, place.lab, shop.compiler, stray.parent)
    card = next(iter(cards.find()), None)
    order = Order(place.lab, stray.parent / build.FATBIN, place.data, ("--mode", "check"), "gpu", card)
    said: list[str] = []
    ended = threading.Event()

    def again_and_again() -> None:
        while not ended.is_set():
            report = harness.start(order, shop.bench, submission)
            said.extend(case.cuda_error or case.status for case in report.cases)

    other = threading.Thread(target=again_and_again)
    other.start()
    try:
        yield said
    finally:
        ended.set()
        other.join()


def main(out: Path, walls: str) -> int:
    house = here()
    shop = workshop.prepare(house, [lab.named(house, LAB)], workshop.Wish("gpu", walls))
    work = house.root / "build/hardware/vanish"
    rows: list[dict[str, object]] = []

    def look(what: str, result: Result, wanted: str) -> None:
        total = result.score.total if result.score else None
        right = result.status == wanted and (total is None) == (wanted == "withheld")
        words = result.problem.message if result.problem else ""
        rows.append({"what": what, "status": result.status, "total": total, "problem": words, "ok": right})
        print(f"{'ok ' if right else 'BAD'} {what}: {result.status}, {total}, {words[:90]}", flush=True)

    look("the card is there", graded(shop, work / "before"), "graded")
    for way in (
        ("node", "name") if walls != "none" else ("name",)
    ):  # without a box there are no nodes of its own
        for after in (0, 1):  # before the cases, or between the cases and the times
            folder = work / f"{way}-{after}"
            with vanishing(way, after):
                look(f"its {way} is gone after {after} starts", graded(shop, folder), "withheld")
            look("it is back, and the same folder goes on", graded(shop, folder), "graded")
    with beside(shop, work) as said:
        look("another process dies of illegal addresses", graded(shop, work / "beside"), "graded")
    died = sum(word in ("cudaErrorIllegalAddress", "stray_write") for word in said)
    rows.append({"what": "processes that died beside it", "count": died, "ok": died > 0})
    print(f"beside it {died} cases ended in an illegal address")
    (out / "vanish.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["ok"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[3] if sys.argv[2:3] == ["--sandbox"] else "bwrap"))
