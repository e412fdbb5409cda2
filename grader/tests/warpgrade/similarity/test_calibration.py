"""The threshold on kernels of our own: no independent pair above it, at least 95 % of disguised copies.

Independent are the right kernels in unlike styles; copies are made of them. Those that are not of the pair
are the course's own, and the collection that many labs share is a class. Compiling all takes long, so this
takes a part of them unless WARPGRADE_CALIBRATE is "all".
"""

from __future__ import annotations

import functools
import itertools
import os
import random
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from support.hand_ins import disguises, other_disguises
from support.hand_ins import styles as right_kernels
from warpgrade.build import toolkit
from warpgrade.build.compiler import FATBIN, Compiler, build
from warpgrade.build.emu import Emu
from warpgrade.core.paths import here
from warpgrade.core.scratch import scratch_folder
from warpgrade.course import lab
from warpgrade.records import Lab, LabKind, SourceFile, Submission
from warpgrade.sandbox import choice
from warpgrade.similarity.comparison import THRESHOLD, AlikePair, Likeness, compared
from warpgrade.similarity.documents import CLASS, COURSE, Candidate, document, without

pytestmark = [pytest.mark.long, pytest.mark.exhaustive]  # about 200 kernels for one number

REPOSITORY = here()
LABS = {each.name: each for each in lab.find(REPOSITORY)}
WHOLE = os.environ.get("WARPGRADE_CALIBRATE") == "all"
# The share that is found of so few copies may lie some way below that of all of them.
LEAST = 0.95 if WHOLE else 0.85
OF_CLASS, COPIES, OTHERS = (10**6, 16, 8) if WHOLE else (10, 4, 2)  # of a lab
SMALL_CLASS, CLASSES = 12, 20
MOST_OF_INDEPENDENT = 7  # pairs of independent kernels that have the same sizes, of a lab


@dataclass(frozen=True)
class Independent:
    """A lab's kernels that were written independently: the course's, and a class that has the collection."""

    lab: Lab
    course: dict[str, str]
    of_class: dict[str, str]

    @property
    def texts(self) -> dict[str, str]:
        return self.course | self.of_class


def independent() -> Iterator[Independent]:
    chance = random.Random("class")
    for name, item in LABS.items():
        if item.kind is not LabKind.KERNELS:
            continue  # styles of a lab with faults combine the same repairs of one program
        solution = REPOSITORY.solution(name) / item.files[0]
        files = [*right_kernels.files(REPOSITORY, item), solution]
        if len(files) >= 5:
            shared = {
                each.label: each.submission.files[0].text for each in right_kernels.shared(REPOSITORY, item)
            }
            drawn = chance.sample(sorted(shared), min(OF_CLASS, len(shared)))
            course = {
                path.stem if path != solution else "solution": path.read_text("utf-8") for path in files
            }
            yield Independent(item, course, {f"class-{label}": shared[label] for label in drawn})


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


def grouped(found: Iterable[Candidate], students: set[str]) -> list[Candidate]:
    return [replace(each, kind=CLASS if each.name in students else COURSE) for each in found]


def pair_of(result: Likeness, names: set[str]) -> AlikePair | None:
    return next((pair for pair in result.pairs if {pair.one.name, pair.other.name} == names), None)


def is_after(one: Candidate, other: Candidate) -> bool:
    """Whether a kernel's text says that it was written after the other one."""
    return f"// After {other.name.removeprefix('class-')} " in one.source


def accused(kernels: Independent, found: list[Candidate]) -> Iterator[AlikePair]:
    """Independent pairs above the threshold: each two of the course's as students, and classes."""
    course = [each for each in found if each.name in kernels.course]
    for two in itertools.combinations(sorted(kernels.course), 2):
        pair = pair_of(compared(grouped(course, set(two))), set(two))
        if pair:
            yield pair
    chance = random.Random("classes")
    of_class = sorted(kernels.of_class)
    parts = [
        chance.sample(of_class, SMALL_CLASS) for _ in range(CLASSES if len(of_class) > SMALL_CLASS else 0)
    ]
    for part in (of_class, *parts):
        students = [each for each in found if each.name in part]
        for pair in compared([*grouped(course, set()), *students]).pairs:
            if not is_after(pair.one, pair.other) and not is_after(pair.other, pair.one):
                yield pair


def copied(kernels: Independent, chance: random.Random) -> list[tuple[str, str]]:
    """Name, "of@disguise", and text of each copy: drawn from all disguises, and from others."""
    texts = {name: text.replace("KERNEL", kernels.lab.kernel) for name, text in kernels.texts.items()}
    rows = [(f"{name}@{kind}", text) for name in sorted(texts) for kind, text in disguises.every(texts[name])]
    drawn = chance.sample(rows, min(COPIES, len(rows)))
    for name in chance.sample(sorted(texts), min(OTHERS, len(texts))):
        kind, text = other_disguises.some(texts[name], chance)
        drawn.append((f"{name}@others: {kind}", text))
    return drawn


def test_copies_are_found_and_nobody_else() -> None:
    chance = random.Random(LABS[min(LABS)].name)
    missed: list[str] = []
    total = small = 0
    for kernels in independent():
        found = documents(list(kernels.texts.items()), kernels.lab)
        above = [(pair.one.name, pair.other.name, pair.score) for pair in accused(kernels, found)]
        assert above == [], kernels.lab.name
        for copy in documents(copied(kernels, chance), kernels.lab):
            name = copy.name.partition("@")[0]
            result = compared([*grouped(found, {*kernels.of_class, name}), copy])
            if {name, copy.name} & {each.name for each in result.small}:
                small += 1
                continue
            total += 1
            if pair_of(result, {name, copy.name}) is None:
                missed.append(f"{kernels.lab.name} {copy.name}")
    print(
        f"{total - len(missed)} of {total} copies are found, {small} are too small to tell", *missed, sep="\n"
    )
    assert total > 30 and 4 * small < total
    assert 1 - len(missed) / total >= LEAST, f"{len(missed)} of {total} below {THRESHOLD}"


def by_hand(folder: str) -> list[tuple[Lab, Path]]:
    """Copies of styles, by the style's name: some disguised, some rewritten as a whole."""
    return [
        (item, path)
        for item in LABS.values()
        for path in sorted((REPOSITORY.solution(item.name) / folder).glob("*.cu"))
    ]


DISGUISED, REWRITTEN = by_hand("disguised"), by_hand("rewritten")


def beside_its_original(item: Lab, path: Path) -> Likeness:
    """The copy and its original as students, the lab's other kernels as the course's."""
    (kernels,) = (each for each in independent() if each.lab.name == item.name)
    rows = [*kernels.course.items(), ("copy", path.read_text("utf-8"))]
    return compared(grouped(documents(rows, item), {path.stem, "copy"}))


def test_some_copies_are_made_by_hand() -> None:
    assert len(REWRITTEN) >= 4, "a folder `rewritten` beside a lab's styles holds them, by the style's name"
    assert len(DISGUISED) >= 4, "and a folder `disguised`"


@pytest.mark.parametrize(("item", "path"), DISGUISED, ids=lambda each: getattr(each, "stem", None))
def test_a_copy_disguised_by_hand_is_a_pair(item: Lab, path: Path) -> None:
    (pair,) = beside_its_original(item, path).pairs
    assert {pair.one.name, pair.other.name} == {path.stem, "copy"}


@pytest.mark.parametrize(("item", "path"), REWRITTEN, ids=lambda each: getattr(each, "stem", None))
def test_a_rewritten_copy_is_no_pair_but_is_listed(item: Lab, path: Path) -> None:
    """Among the nearest three, or with sizes that hardly anybody else has."""
    found = beside_its_original(item, path)
    assert found.pairs == ()
    names = [{pair.one.name, pair.other.name} for pair in (*found.nearest[:3], *found.same_sizes)]
    assert {path.stem, "copy"} in names, names


def test_of_a_class_of_independent_kernels_few_have_the_same_sizes() -> None:
    """What the page lists apart; sizes need no compiler."""
    for kernels in independent():
        students = [_of_text(name, text, CLASS) for name, text in kernels.of_class.items()]
        course = [_of_text(name, text, COURSE) for name, text in kernels.course.items()]
        listed = compared([*students, *course]).same_sizes
        assert len(listed) <= MOST_OF_INDEPENDENT, kernels.lab.name


def _of_text(name: str, text: str, kind: str) -> Candidate:
    return replace(document(name, kind, text, None), terms={}, grams={})
