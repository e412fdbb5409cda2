"""The threshold on kernels of our own: no independent pair above it, at least 95 % of disguised copies.

Independent are the right kernels in unlike styles; copies are made of them. Compiling all takes long, so this
takes a part of them unless WARPGRADE_CALIBRATE is "all".
"""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from support.hand_ins import disguises
from warpgrade.build import toolkit
from warpgrade.build.compiler import FATBIN, Compiler, build
from warpgrade.build.emu import Emu
from warpgrade.core.paths import here
from warpgrade.core.scratch import scratch_folder
from warpgrade.course import lab
from warpgrade.records import Lab, LabKind, SourceFile, Submission
from warpgrade.sandbox import choice
from warpgrade.similarity.comparison import THRESHOLD, compared
from warpgrade.similarity.documents import Candidate, document, without

pytestmark = [pytest.mark.long, pytest.mark.exhaustive]  # about 200 kernels for one number

REPOSITORY = here()
LABS = {each.name: each for each in lab.find(REPOSITORY)}
MATRIX = REPOSITORY.root / "grader" / "tests" / "fixtures" / "submissions" / "styles"
WHOLE = os.environ.get("WARPGRADE_CALIBRATE") == "all"
# The share that is found of so few copies may lie some way below that of all of them.
LEAST = 0.95 if WHOLE else 0.85
ORIGINALS, COPIES = (10**6, 10**6) if WHOLE else (14, 5)  # of a lab


def styles() -> Iterator[tuple[Lab, list[Path]]]:
    """Each lab with independent kernels; the styles of matrix products are tried as the lab of tiles."""
    for name, item in LABS.items():
        if item.kind is LabKind.DEBUG:
            continue  # its styles combine the same repairs of one program: they are not independent
        found = sorted((REPOSITORY.solution(name) / "styles").glob("*.cu"))
        if name.startswith("02-"):
            found += sorted(MATRIX.glob("*.cu"))
        if len(found) >= 5:
            yield item, [*found, REPOSITORY.solution(name) / item.files[0]]


@functools.cache
def compiler() -> Compiler:
    return Compiler(
        REPOSITORY, toolkit.find(REPOSITORY), choice.for_trusted_code("auto")[0], machine_code=False
    )


def made(name: str, text: str, item: Lab) -> Candidate | None:
    """The document; None where a disguise broke the kernel."""
    text = text.replace("KERNEL", item.kernel)
    with scratch_folder(REPOSITORY) as folder:
        submission = Submission("s", item.name, name, (SourceFile(item.files[0], text),), "")
        build(submission, replace(item, kernels=item.kernels[:1]), compiler(), folder)
        compiled = Emu(REPOSITORY, compiler().sandbox).fingerprints([folder / FATBIN])[0]
    return document(name, "class", text, compiled) if compiled else None


def documents(rows: list[tuple[str, str]], item: Lab) -> list[Candidate]:
    skeleton = made("skeleton", (REPOSITORY.labs / item.name / item.files[0]).read_text("utf-8"), item)
    with ThreadPoolExecutor() as pool:
        found = [each for each in pool.map(lambda row: made(*row, item), rows) if each]
    return [without(each, skeleton) if skeleton else each for each in found]


def test_copies_are_found_and_nobody_else() -> None:
    chance = random.Random(LABS[min(LABS)].name)
    found = total = 0
    for item, paths in styles():
        texts = {path.stem: path.read_text("utf-8") for path in paths}
        chosen = chance.sample(sorted(texts), min(ORIGINALS, len(texts)))
        originals = documents([(name, texts[name]) for name in chosen], item)
        alone = compared(originals)
        assert alone.pairs == (), [(item.name, p.one.name, p.other.name, p.score) for p in alone.pairs]
        small = {each.name for each in alone.small}
        rows = [(f"{name}@{kind}", text) for name in chosen if name not in small
                for kind, text in disguises.every(texts[name])]  # fmt: skip
        for copy in documents(chance.sample(rows, min(COPIES, len(rows))), item):
            pairs = compared([*originals, copy]).pairs
            wanted = {copy.name, copy.name.partition("@")[0]}
            found += any({pair.one.name, pair.other.name} == wanted for pair in pairs)
            total += 1
    assert total > 30
    assert found / total >= LEAST, f"{found} of {total} above {THRESHOLD}"


ANEW = [(item, path) for item in LABS.values()
        for path in sorted((REPOSITORY.solution(item.name) / "rewritten").glob("*.cu"))]  # fmt: skip


def test_some_copies_are_written_anew() -> None:
    assert len(ANEW) >= 4, "a folder `rewritten` beside a lab's styles holds them, by the style's name"


@pytest.mark.parametrize(("item", "path"), ANEW, ids=lambda each: getattr(each, "stem", None))
def test_a_copy_written_anew_is_no_pair_but_among_the_nearest(item: Lab, path: Path) -> None:
    (originals,) = (paths for each, paths in styles() if each.name == item.name)
    rows = [(each.stem, each.read_text("utf-8")) for each in originals]
    found = compared(documents([*rows, ("anew", path.read_text("utf-8"))], item))
    assert found.pairs == ()
    names = [{pair.one.name, pair.other.name} for pair in found.nearest[:3]]
    assert {path.stem, "anew"} in names, names
