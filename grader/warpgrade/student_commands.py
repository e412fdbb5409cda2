"""The commands of a student's first hour: check, watch, list, hint, explain, profile."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .console import (
    EXIT_CODES,
    aside,
    escape,
    lab_argument,
    machine_options,
    near,
    program,
    screen,
    told,
    width,
)
from .errors import UsageError
from .house import House, here

if TYPE_CHECKING:
    from rich.console import Console

    from .linepictures import LinePicture
    from .records import CaseRun, Finding, Lab, Result, Verdict
    from .workshop import Workshop

_NOT_RIGHT = 1
_OURS = 4
_GLANCE = 0.3  # seconds between two looks at a watched file


# --- check and watch ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Subject:
    """What is checked. `file` is empty for the lab's own kernel.cu."""

    house: House
    lab: Lab
    path: Path
    file: str


def _subject(name: str, file: Path | None) -> _Subject:
    from . import lab

    house = here()
    chosen = lab.named(house, name)
    own = house.labs / name / chosen.files[0]
    path = file or own
    is_own = path.exists() and own.exists() and path.samefile(own)
    return _Subject(house, chosen, path, "" if is_own or file is None else str(file))


def _shop(subject: _Subject, device: str, walls: str, gpu_model: str, console: Console) -> Workshop:
    from . import sandbox, workshop

    trouble = sandbox.trouble(walls)
    if trouble:
        console.print(f"[yellow]note[/]: without a sandbox, as {escape(trouble)}", soft_wrap=True)
        walls = "none"
    wish = workshop.Wish(device, walls, gpu_model)
    shop = workshop.prepare(subject.house, [subject.lab], wish)
    return replace(shop, bench=replace(shop.bench, threads=0))


@dataclass
class _Teller:
    """Prints a case as soon as it has ended; what was printed is not printed again."""

    console: Console
    lab: Lab
    folder: Path
    told: dict[str, Verdict] = field(default_factory=dict)
    built: bool = False

    def __call__(self, case: CaseRun, findings: tuple[Finding, ...]) -> None:
        from . import screen as words
        from .disclosure import ShownCase
        from .records import Verdict, Visibility
        from .verdict import judge_case

        known = self.lab.case(case.name)
        if known.visibility is Visibility.HIDDEN or case.name in self.told:
            return
        self.tell_build()
        verdict = judge_case(case, findings)
        visible = known.visibility is Visibility.VISIBLE
        earned = known.points if verdict.verdict is Verdict.PASS else 0.0
        shown = ShownCase(
            case.name, verdict.verdict, earned, known.points,
            verdict.sentence if visible else "", known if visible else None, case if visible else None,
        )  # fmt: skip
        self.told[case.name] = verdict.verdict
        self._print(words.case_row(self.lab, shown, verdict.codes, width(self.console)))

    def tell_build(self) -> None:
        from . import screen as words
        from . import store
        from .records import Build, Result

        build = None if self.built else store.load(self.folder, "build", None, Build)
        if build is not None:
            self.built = True
            result = Result(self.lab.name, "graded", build=build)
            self._print(words.build_row(self.lab, result, width(self.console)))

    def tell_rest(self, result: Result) -> None:
        from . import screen as words
        from .disclosure import shown_cases
        from .records import BuildStatus

        if not self.built:
            self._print(words.build_row(self.lab, result, width(self.console)))
        if result.build is not None and result.build.status == BuildStatus.BUILT:
            for case in shown_cases(self.lab, result):
                if self.told.get(case.name) is not case.verdict:
                    codes = words.codes_of(result, case.name)
                    self._print(words.case_row(self.lab, case, codes, width(self.console)))
        self._print(list(words.closing_lines(self.lab, result, width(self.console))))

    def _print(self, lines: list[str]) -> None:
        for line in lines:
            self.console.print(line, soft_wrap=True)


def _check(subject: _Subject, shop: Workshop, console: Console, quiet: bool) -> Result:
    """Grade it once; unless `quiet`, everything is printed as it becomes known."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return _checked_in(Path(folder), subject, shop, console, quiet)


def _checked_in(folder: Path, subject: _Subject, shop: Workshop, console: Console, quiet: bool) -> Result:
    """The same with a folder that keeps what was built."""
    from . import batch, journal, screen, submission

    handed = submission.from_file(subject.path, subject.lab, "you")
    if quiet:
        result = batch.grade_one(handed, shop.places[0], folder, shop)
    else:
        for line in [*screen.header(subject.lab, near(subject.path), width(console)), ""]:
            console.print(line, soft_wrap=True)
        teller = _Teller(console, subject.lab, folder)
        shop = replace(shop, bench=replace(shop.bench, tell=teller))
        result = batch.grade_one(handed, shop.places[0], folder, shop)
        teller.tell_rest(result)
    if not subject.file:
        journal.note_check(subject.house, subject.lab, result)
    return result


def _print_advice(subject: _Subject, result: Result, console: Console) -> None:
    from . import advice, lab

    names = [path.parent.name for path in sorted(subject.house.labs.glob(f"*/{lab.FILE}"))]
    later = [name for name in names if name > subject.lab.name]
    told_ = advice.after(subject.lab, result, subject.file, later[0] if later else "")
    console.print(f"\n[dim]{escape(told_.why)}:[/]", soft_wrap=True)
    console.print(f"  [bold cyan]{escape(program())} {escape(told_.command)}[/]", soft_wrap=True)


def _status(result: Result) -> int:
    from .records import Verdict

    if result.status == "withheld":
        return _OURS
    cases = result.judgement.cases if result.judgement else ()
    return 0 if cases and all(case.verdict == Verdict.PASS for case in cases) else _NOT_RIGHT


@click.command(epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=click.Path(path_type=Path))
@machine_options
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
@told
def check(name: str, file: Path | None, device: str, walls: str, gpu_model: str, as_json: bool) -> int:
    """Check one kernel and say what is wrong with it.

    FILE: default labs/LAB/kernel.cu.
    """
    subject = _subject(name, file)
    console = screen()
    notes = aside() if as_json else console
    shop = _shop(subject, device, walls, gpu_model, notes)
    result = _check(subject, shop, console, quiet=as_json)
    if as_json:
        from . import checkfile

        click.echo(checkfile.text(subject.lab, result), nl=False)
    else:
        _print_advice(subject, result, console)
    return _status(result)


@click.command(epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=click.Path(path_type=Path))
@machine_options
@click.option("--times", type=int, default=0, hidden=True, help="stop after this many checks")
@told
def watch(name: str, file: Path | None, device: str, walls: str, gpu_model: str, times: int) -> int:
    """Check again at each save, until Ctrl-C."""
    subject = _subject(name, file)
    console = screen()
    shop = _shop(subject, device, walls, gpu_model, console)
    status, done = 0, 0
    while True:
        seen = _stamp(subject.path)
        if console.is_terminal:
            console.clear()
        result = _check(subject, shop, console, quiet=False)
        status, done = _status(result), done + 1
        if done == times:
            return status
        console.print("\n[dim]waiting for the next save; Ctrl-C ends this[/]")
        while _stamp(subject.path) in (seen, None):
            time.sleep(_GLANCE)


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes with each save; None while an editor has the file away."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if found.st_size else None


# --- list --------------------------------------------------------------------------------------


@click.command("list")
@click.option("--points", "in_numbers", is_flag=True, help="what each lab gives points for")
@click.option("--json", "as_json", is_flag=True, help="print one JSON object instead")
@told
def list_labs(in_numbers: bool, as_json: bool) -> int:
    """The labs, and how far you are."""
    from . import lab

    house, console = here(), screen()
    labs = lab.find(house)
    if as_json:
        click.echo(json.dumps({"labs": [_lab_data(house, item) for item in labs]}, ensure_ascii=False))
    elif in_numbers:
        for item in labs:
            console.print(f"[bold]{item.name}[/]  {escape(item.title)}", soft_wrap=True)
            console.print(f"  {_in_numbers(item)}", soft_wrap=True)
    else:
        _list_progress(house, labs, console)
    return 0


def _list_progress(house: House, labs: tuple[Lab, ...], console: Console) -> None:
    from . import journal
    from .terminal import points

    name_width = max(len(item.name) for item in labs)
    title_room = max(10, width(console) - name_width - 34)
    fresh = None
    for item in labs:
        done = journal.read(house, item.name)
        title = item.title if len(item.title) <= title_room else item.title[: title_room - 1] + "…"
        if done.points is None:
            state, fresh = "[dim]not checked yet[/]", fresh or item.name
        else:
            colour = "green" if done.points >= lab_total(item) else "yellow"
            earned = f"{points(done.points)}/{points(lab_total(item))}"
            state = f"[{colour}]{earned:>8}[/] points  {done.passed}/{done.cases} cases"
            if colour != "green":
                fresh = fresh or item.name
        console.print(f"{item.name:<{name_width}}  {escape(title):<{title_room}}  {state}", soft_wrap=True)
    if fresh:
        console.print(f"\n[dim]go on with:[/]\n  [bold cyan]{program()} check {fresh}[/]", soft_wrap=True)


def lab_total(item: Lab) -> float:
    points = [case.points for case in item.cases] + [technique.points for technique in item.techniques]
    return sum(points) + item.build_points + item.performance.points


def _lab_data(house: House, item: Lab) -> dict[str, Any]:
    from . import journal

    done = journal.read(house, item.name)
    return {
        "name": item.name,
        "title": item.title,
        "teaches": item.teaches,
        "possible": lab_total(item),
        "points": done.points,
        "passed": done.passed,
        "cases": len(item.cases),
    }


def _in_numbers(item: Lab) -> str:
    hidden = sum(case.visibility == "hidden" for case in item.cases)
    correct = sum(case.points for case in item.cases)
    technique = sum(technique.points for technique in item.techniques)
    return (
        f"{len(item.cases)} cases ({hidden} hidden); points: build {item.build_points:g}, "
        f"correct {correct:g}, technique {technique:g}, performance {item.performance.points:g}"
    )


# --- hint and explain --------------------------------------------------------------------------


@click.command()
@lab_argument
@click.argument("todo", required=False, type=int)
@told
def hint(name: str, todo: int | None) -> int:
    """One hint more each time.

    With TODO, the hint for that number in kernel.cu.
    """
    from . import hints, lab

    house, console = here(), screen()
    chosen = lab.named(house, name)
    for line in hints.lines(house, chosen, todo, width(console)):
        console.print(line, soft_wrap=True)
    return 0


@click.command()
@click.argument("code", required=False)
@told
def explain(code: str | None) -> int:
    """What a finding's code means.

    Shows a small wrong and a right kernel. Without CODE: all codes.
    """
    from . import explanations

    house, console = here(), screen()
    if code is None:
        for kind in explanations.kinds(house):
            console.print(f"[bold]{kind.code}[/]  {kind.name.replace('-', ' ')}")
        console.print(f"\n[dim]more about one:[/]\n  [bold cyan]{program()} explain WG101[/]")
        return 0
    for line in explanations.lines(house, code, width(console)):
        console.print(line, soft_wrap=True)
    return 0


# --- profile -----------------------------------------------------------------------------------


@click.command(epilog=EXIT_CODES)
@lab_argument
@click.argument("file", required=False, type=click.Path(path_type=Path))
@machine_options
@click.option("--open/--no-open", "shall_open", default=False, help="open the page in a browser")
@told
def profile(name: str, file: Path | None, device: str, walls: str, gpu_model: str, shall_open: bool) -> int:
    """Where the time goes, line by line.

    Writes a page with what each line costs, what your warps touch, occupancy, roofline, counters.
    """
    import tempfile

    from . import feedback, report, speedlines
    from .records import BuildStatus, Grades, Student

    subject, console = _subject(name, file), screen()
    shop = _shop(subject, device, walls, gpu_model, console)
    with tempfile.TemporaryDirectory() as folder:
        result = _checked_in(Path(folder), subject, shop, console, quiet=True)
        if result.build is None or result.build.status != BuildStatus.BUILT:
            raise UsageError("does not compile", file=subject.path, remedy=f"{program()} check {name}")
        pictures = _pictures(Path(folder), subject, shop, result)
    grades = Grades(shop.setting, shop.labs, (Student("you", "Your kernel", subject.path.name, (result,)),))
    page = subject.house.root / "build" / "profile" / f"{name}.html"
    report.write_one(grades, grades.students[0], page, {name: pictures} if pictures else {})
    for line in speedlines.lines(feedback.lab_feedback(subject.lab, result, {}), width(console)):
        console.print(line, soft_wrap=True)
    console.print(f"\nwrote {near(page)}; open it in a browser", soft_wrap=True, markup=False)
    if shall_open:
        click.launch(str(page))
    return 0


def _pictures(folder: Path, subject: _Subject, shop: Workshop, result: Result) -> tuple[LinePicture, ...]:
    """What the kernel's first block touches, in one visible case."""
    from . import catalogue, linepictures, recording
    from .build import FATBIN

    case = linepictures.case_to_record(subject.lab, result.run.launch_shape if result.run else None)
    handed = result.submission
    if case is None or handed is None or not (folder / FATBIN).is_file():
        return ()
    made = recording.traced(shop.bench, subject.lab, handed, folder / FATBIN, case)
    if not made.accesses:
        return ()
    words = catalogue.load(subject.house.root, catalogue.BASE)
    source = handed.files[0]
    return linepictures.pictures(words, made, source.name, source.text, f"{subject.lab.name}-access")


def commands() -> list[click.Command]:
    """In the order of a first hour."""
    return [check, watch, list_labs, hint, explain, profile]
