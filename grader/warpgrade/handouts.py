"""Student handouts: handouts/<lab>.md.j2 → Markdown → one HTML file a lab, and an index.

What a handout knows, it reads: points and sizes from lab.toml, code from tagged excerpts as a
student sees them, numbers from `numbers` and `occupancy`, figures from sizes. A name that is
missing in a template is an error with its line, never an empty place.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from . import excerpts, figures, gpu, lab, numbers, occupancy, prose, wording
from .errors import InstructorError
from .gpu import Gpu
from .house import House
from .records import Lab, Occupancy, Visibility

COURSE = "course.toml"
LAYOUT = "layout.html.j2"
INDEX = "index.html.j2"
_SHARED_TEMPLATES = Path(__file__).parent / "templates"
_CODE = {".cu": "cuda", ".cuh": "cuda", ".cpp": "cpp", ".hpp": "cpp", ".toml": "toml"}
_COMPARED = {"integers": "compared bit for bit", "zero-mean": "compared within rounding"}
_TABLE_HEAD = "| For | points | |\n|---|--:|---|\n"


@dataclass(frozen=True)
class Course:
    """course.toml: what is the same in all handouts."""

    title: str
    term: str
    gpu: str  # a file of grader/gpus/ without .toml


@dataclass(frozen=True)
class Handout:
    lab: Lab
    html: str

    @property
    def name(self) -> str:
        return f"{self.lab.name}.html"


def make(root: Path, out: Path) -> tuple[Path, ...]:
    """Write every lab's handout and the index below `out`, and return the paths."""
    house = House(root)
    course, pages = load_course(root), handouts(house)
    texts = {page.name: page.html for page in pages}
    texts["index.html"] = _index(house, course, [page.lab for page in pages])
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_bytes(text.encode())
    return tuple(out / name for name in texts)


def handouts(house: House) -> tuple[Handout, ...]:
    """The handout of each lab in labs/. InstructorError names the file and line that is wrong."""
    course = load_course(house.root)
    return tuple(_handout(house, course, item) for item in lab.find(house))


def load_course(root: Path) -> Course:
    file = root / "handouts" / COURSE
    shown = f"handouts/{COURSE}"
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        return Course(**{key: str(data.pop(key)) for key in ("title", "term", "gpu")}, **data)
    except FileNotFoundError:
        raise InstructorError("is missing", file=shown, remedy="it needs title, term and gpu") from None
    except tomllib.TOMLDecodeError as error:
        raise InstructorError(str(error), file=shown, remedy="see https://toml.io") from None
    except KeyError as error:
        raise InstructorError(f"lacks the key {error}", file=shown, remedy="add it") from None
    except TypeError as error:
        key = str(error).rsplit(" ", 1)[-1]
        raise InstructorError(f"unknown key {key}", file=shown, remedy="remove it") from None


def _handout(house: House, course: Course, item: Lab) -> Handout:
    file = f"{item.name}.md.j2"
    if not (house.root / "handouts" / file).is_file():
        raise InstructorError(
            "is missing", file=f"handouts/{file}", remedy=f"each folder in labs/ has one: write {file}"
        )
    environment = _environment(house)
    environment.globals.update(_vocabulary(house, course, item))
    document = prose.to_html(_render(environment, file))
    html = _render(environment, LAYOUT, document=document)
    return Handout(item, html)


def _index(house: House, course: Course, labs: list[Lab]) -> str:
    return _render(_environment(house), INDEX, course=course, labs=labs)


def _render(environment: jinja2.Environment, name: str, **context: Any) -> str:
    """A template's text; whatever is wrong in it is the instructor's, with file and line."""
    try:
        return environment.get_template(name).render(**context)
    except jinja2.TemplateSyntaxError as error:
        file, line, message = error.name or name, error.lineno, error.message or "syntax error"
    except jinja2.TemplateNotFound as error:
        file, line, message = name, None, f"uses the template {error.message}, which is not there"
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        file, line, message = name, _template_line(error, name), str(error)
    raise InstructorError(
        message,
        file=f"handouts/{file}",
        line=line,
        remedy="the names a handout may use stand in handouts/README.md",
    )


def _template_line(error: Exception, name: str) -> int | None:
    """The template's own line in the traceback, which Jinja rewrites for us."""
    at, line = error.__traceback__, None
    while at:
        if at.tb_frame.f_code.co_filename.endswith(name):
            line = at.tb_lineno
        at = at.tb_next
    return line


def _environment(house: House) -> jinja2.Environment:
    loader = jinja2.FileSystemLoader([house.root / "handouts", _SHARED_TEMPLATES])
    environment = jinja2.Environment(
        loader=loader,
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(count=wording.count, points=wording.points)

    def inline(name: str) -> Markup:
        return Markup(loader.get_source(environment, name)[0])

    environment.globals["inline"] = inline
    return environment


def _vocabulary(house: House, course: Course, item: Lab) -> dict[str, Any]:
    """The names that a handout may use; handouts/README.md explains them."""
    card = gpu.load(house, course.gpu)
    return {
        "course": course,
        "lab": item,
        "gpu": card,
        "points_table": lambda: points_table(item),
        "excerpt": _excerpt_of(house, item),
        "listing": lambda file: _fenced(file, excerpts.cut(_read(house, file), file, excerpts.View.STUDENT)),
        "card": lambda model: gpu.load(house, model),
        "numbers": numbers,
        "tile_traffic": numbers.tile_traffic,
        "residency": numbers.residency,
        "occupancy": _occupancy_of(house, card),
        "limits": lambda capability: occupancy.limits_of(house.gpus, capability),
        "figures": figures,
        "KB": 1024,
    }


def points_table(item: Lab) -> str:
    """What a lab's points are given for, as a Markdown table; hidden cases as one line."""
    rows = [("builds without an error", item.build_points, "compiled with `nvcc` as it is")]
    for case in item.cases:
        if case.visibility is not Visibility.HIDDEN:
            seen = "" if case.visibility is Visibility.VISIBLE else "; you see its verdict only"
            rows.append((f"case `{case.name}`", case.points, _COMPARED.get(case.values, case.values) + seen))
    hidden = [case for case in item.cases if case.visibility is Visibility.HIDDEN]
    if hidden:
        noun = "case" if len(hidden) == 1 else "cases"
        rows.append(
            (f"{len(hidden)} hidden {noun}", sum(case.points for case in hidden), "sizes that you do not see")
        )
    rows += [(f"technique: {each.name}", each.points, _evidence(each.evidence)) for each in item.techniques]
    if item.performance.points:
        full = f"full points from {item.performance.full:.0%} of the reference solution's speed"
        rows.append(("performance", item.performance.points, full))
    body = "".join(f"| {name} | {wording.points(value)} | {why} |\n" for name, value, why in rows)
    total = sum(value for _, value, _ in rows)
    return _TABLE_HEAD + body + f"| **together** | **{wording.points(total)}** | |\n"


def _evidence(evidence: str) -> str:
    return {
        "loads-per-input-element": "each input element is loaded no more often than the tile allows",
        "outputs-per-thread": "each thread computes several elements of C",
    }.get(evidence, evidence)


def _excerpt_of(house: House, item: Lab) -> Callable[..., str]:
    """excerpt("tag") cuts the lab's kernel; excerpt("tag", "labs/common/x.cuh") any other file."""

    def excerpt(tag: str, file: str = "") -> str:
        name = file or f"solutions/{item.name}/{item.files[0]}"
        text = _read(house, name)
        code = excerpts.excerpt(text, name, tag, excerpts.View.STUDENT)
        return _fenced(name, code)

    return excerpt


def _fenced(name: str, code: str) -> str:
    return f"```{_CODE.get(Path(name).suffix, 'text')}\n{code}```\n"


def _read(house: House, name: str) -> str:
    path = (house.root / name).resolve()
    if not path.is_relative_to(house.root.resolve()) or not path.is_file():
        raise InstructorError(
            "is not a file of the course", file=name, remedy="an excerpt's file is named from the root"
        )
    return path.read_text(encoding="utf-8")


def _occupancy_of(house: House, card: Gpu) -> Callable[..., Occupancy]:
    def of(threads: int, registers: int, shared_bytes: int, capability: str = "") -> Occupancy:
        capability = capability or card.compute_capability
        limits = occupancy.limits_of(house.gpus, capability)
        return occupancy.theoretical(limits, capability, threads, registers, shared_bytes)

    return of
