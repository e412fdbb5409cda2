"""Players of recorded blocks in handouts: a page beside the handout's, shown in it, and pictures for paper.

Recordings are kept in build/recorded/ under the hash of all that they depend on.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markupsafe import Markup

from ...build import toolkit
from ...build.compiler import FATBIN, Compiler, build
from ...core import store
from ...core.code_hash import code_hash
from ...core.errors import InstructorError
from ...core.messages import Messages
from ...core.paths import Repository, file_hash, need, text_hash
from ...drawing import moment
from ...drawing.moment import MomentPicture
from ...player import masking, memory, moments, page, recording, scene, stills
from ...player.recording import BlockRecording
from ...player.scene import Scene
from ...records import BuildStatus, Case, Finding, Lab, Submission, Visibility
from ...run import trace
from ...run.emulator_rows import finding_of
from ...run.harness import RecordRequest, RunnerConfig
from ...submission.admit import from_file

_MOST = 20_000  # steps in which a phase ends or a race is found
_AFTER = 64  # steps that are kept after a race


@dataclass(frozen=True)
class Player:
    """`figure`: HTML of the handout; `page`: of the file `name` beside it."""

    figure: Markup
    name: str
    page: str


@dataclass(frozen=True)
class _Kept:
    """What is saved. `pictures`: none where nothing can be shown."""

    pictures: tuple[MomentPicture, ...]
    page: str


def of_phase(
    words: Messages, repository: Repository, lab: Lab, source: str, case: str, id: str, mask: str = ""
) -> Player:
    """The first block of a kernel up to its second barrier, opened while shared memory fills. `mask`: the
    source as its readers may see it, line for line.
    """

    def shown(made: BlockRecording, submission: Submission) -> _Shown:
        opened = [at for at, step in enumerate(made.steps) if step.opens]
        chosen = stills.of_phase(made)
        return _Shown(opened[1] + 1 if len(opened) > 1 else len(made.steps), chosen, f"#step={chosen[0] + 1}")

    kept = _kept(repository, lab, source, lab.case(case), shown, mask)
    return _player(words, lab, kept, "phase", id)


def of_race(
    words: Messages, repository: Repository, lab: Lab, source: str, case: str, id: str
) -> Player | None:
    """The first race of a wrong kernel within its first block. None where there is none, or where students
    do not see the case.
    """

    def shown(made: BlockRecording, submission: Submission) -> _Shown:
        for row in made.head["findings"]:
            found = finding_of(row, submission)
            if not found.kind.startswith("race") or not found.other:
                continue
            (row,) = moments.rows([found], made)
            chosen = stills.of_race(made, row)
            if row["step"] >= 0 and row["other_step"] >= 0:
                return _Shown(max(chosen) + _AFTER, chosen, "#finding=1", (found,))
        return _Shown(0, (), "")

    if lab.case(case).visibility is not Visibility.VISIBLE:
        return None
    kept = _kept(repository, lab, source, lab.case(case), shown)
    return _player(words, lab, kept, "race", id) if kept.pictures else None


def _player(words: Messages, lab: Lab, kept: _Kept, kind: str, id: str) -> Player:
    drawn = moment.moments(words, kept.pictures, kind, id)
    name = f"{lab.name}-{id}.html"
    frame = Markup(
        '<div class="player"><p><a href="{0}">{1}</a></p>'
        '<iframe src="{0}" title="{2}" loading="lazy" lang="en"></iframe></div></figure>'
    ).format(name, words("figure.moments.open"), words("figure.moments.player"))
    return Player(Markup(str(drawn).removesuffix("</figure>")) + frame, name, kept.page)


# --- recordings --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Shown:
    """How many steps are kept, the moments that are drawn, where the page opens, and what it is about."""

    steps: int
    moments: Sequence[int]
    start: str
    findings: tuple[Finding, ...] = ()


_Choose = Callable[[BlockRecording, Submission], _Shown]


def _kept(
    repository: Repository, lab: Lab, source: str, case: Case, choose: _Choose, mask: str = ""
) -> _Kept:
    tools = (need(path, "type `make tools`") for path in (repository.emulator, repository.harness(lab.name)))
    what = (source, mask, repr(case), choose.__qualname__, code_hash(__name__), page.template_hash())
    key = text_hash(*what, file_hash(*tools))
    folder = repository.root / "build" / "recorded" / f"{lab.name}-{key[:16]}"

    def make() -> _Kept:
        return _record(repository, lab, source, case, choose, mask)

    return store.kept(folder, "player", key, _Kept, make)


def _record(repository: Repository, lab: Lab, source: str, case: Case, choose: _Choose, mask: str) -> _Kept:
    """Record the build without optimisation, with its own findings."""
    tools = toolkit.find(repository)
    runner = RunnerConfig(repository, tools, "none", threads=1)
    with tempfile.TemporaryDirectory(prefix="warpgrade-play-") as name:
        folder = Path(name)
        store.write_text(folder / lab.files[0], source)
        submission = from_file(folder / lab.files[0], lab, "staff")
        built = build(submission, lab, Compiler(repository, tools, "none", optimised=False), folder)
        if built.status is not BuildStatus.BUILT:
            raise InstructorError(f"cannot be recorded: {built.summary}", file=repository.solution(lab.name))

        def run(steps: int) -> BlockRecording:
            wanted = RecordRequest(steps=steps)
            made = recording.read(trace.recorded(runner, lab, submission, folder / FATBIN, case, wanted))
            scene.with_source(made, submission.files[0].name, submission.files[0].text)
            return made

        made = run(_MOST)
        shown = choose(made, submission)
        if not shown.moments:
            return _Kept((), "")
        if shown.steps < len(made.steps):
            made = run(shown.steps)
        made.head = scene.with_shapes(made.head, runner, lab, case)
        memory.complete(made)
    made.head |= {"findings": moments.rows(shown.findings, made), "start": shown.start}
    raced = made.head["findings"][0]["element"] if shown.findings else None
    pictures = tuple(stills.picture(made, at, raced) for at in shown.moments)
    if shown.findings:  # of a wrong kernel, which only staff see
        code = ["", *source.splitlines()]  # line 0: of code that was included
        pictures = tuple(replace(each, code=code[each.line].strip()) for each in pictures)
    whole = Scene(made, made.head, tuple(filter(None, (scene.cut_note(made),))))
    return _Kept(pictures, page.of_scene(masking.masked(whole, mask) if mask else whole, lab.title))
