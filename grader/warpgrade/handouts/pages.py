"""Handouts: handouts/<name>.md.j2 → Markdown → HTML and PDF, for students, for staff, and as answer key.

A page belongs to the lab of the same name. The first line of a page without a lab is its title.
`template_names` defines the names that a template may use. An unknown name is an error with file and line.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from ..core import messages, store
from ..core.errors import InstructorError
from ..core.messages import Messages
from ..core.paths import Repository
from ..course import lab
from ..records import Lab
from ..solution.markers import View
from . import course, markdown, syllabus, template_names, topics, translation
from .chromium import Chromium, need_browser
from .course import Course
from .markdown import RenderedText
from .pdf import to_pdf
from .questions import Question, Questions, QuestionSheet
from .template_names import PageContext
from .topics import TopicReference

LAYOUT = "layout.html.j2"
INDEX = "index.html.j2"
TOPICS = "handouts/TOPICS.md"
_TEXT = translation.TEXT
_STAFF_PART = "partials/staff.md.j2"
_KEY_PART = "partials/key.md.j2"
_BUGS = 2  # listings of planted bugs in a page for staff
_TITLE = re.compile(r"\A\s*# (.+)\n")
_SHARED_TEMPLATES = Path(__file__).parents[1] / "report" / "templates"


class Edition(enum.StrEnum):
    """For whom a page is made. Each edition has its own folder, so that the students' can be published."""

    STUDENT = "student"
    STAFF = "staff"
    KEY = "key"

    @property
    def view(self) -> View:
        return View.STUDENT if self is Edition.STUDENT else View.STAFF


@dataclass(frozen=True)
class Handout:
    """One page in one edition. `lab` is None for a page that belongs to no lab."""

    name: str
    title: str
    edition: Edition
    lab: Lab | None
    html: str
    questions: tuple[Question, ...]
    topic_references: tuple[TopicReference, ...]
    players: Mapping[str, str] = field(default_factory=dict)  # pages beside it that it shows, by file name


@dataclass(frozen=True)
class RunContext:
    """What all pages of one run have in common."""

    repository: Repository
    course: Course
    words: Messages
    labs: tuple[Lab, ...]
    seed: str = ""


def make(
    root: Path, out: Path, *, seed: str = "", language: str = "", pdf: bool = False,
    editions: Collection[Edition] = tuple(Edition), report: Callable[[Path], None] | None = None,
) -> tuple[Path, ...]:  # fmt: skip
    """Write these editions below `out`; return the paths. With all, also their index and handouts/TOPICS.md.

    `pdf`: also write a tagged PDF of each page; GraderError if Chromium is missing. `report` is called
    with the path of each file that is written.
    """
    run = _run_context(Repository(root), seed, language)
    written: list[Path] = []

    def keep(path: Path, text: str) -> None:
        store.write_text(path, text)
        written.append(path)
        if report:
            report(path)

    every = {edition: _edition(run, edition) for edition in editions}
    chromium = need_browser() if pdf else ""
    for edition, pages in every.items():
        for page in pages:
            keep(out / edition / f"{page.name}.html", page.html)
            for name, text in page.players.items():
                keep(out / edition / name, text)
        keep(out / edition / "index.html", _index(run, {edition: pages}, pdf))
    if len(every) == len(Edition):
        keep(out / "index.html", _index(run, every, pdf))
        if (root / topics.FILE).is_file():
            keep(root / TOPICS, topics_table(run.repository))
    if pdf:
        written += _print(every, out, chromium, report)
    return tuple(written)


def handouts(
    repository: Repository, edition: Edition = Edition.STUDENT, seed: str = "", language: str = ""
) -> tuple[Handout, ...]:
    """The pages of one edition. InstructorError names the file and the line that are wrong."""
    return _edition(_run_context(repository, seed, language), edition)


def topics_table(repository: Repository) -> str:
    """handouts/TOPICS.md, from all pages in English, also those that course.toml leaves out."""
    run = replace(_run_context(repository), course=replace(course.load(repository.root), labs=()))
    run = replace(run, words=messages.load(repository.root, messages.BASE), labs=lab.find(repository))
    pages = _edition(run, Edition.STUDENT)
    references = [reference for page in pages for reference in page.topic_references]
    return topics.table(topics.load(repository.root), references)


def _print(
    every: dict[Edition, tuple[Handout, ...]], out: Path, chromium: str, report: Callable[[Path], None] | None
) -> list[Path]:
    """Print every page to PDF; the paths of the PDF files."""
    made = []
    with Chromium(chromium) as browser:
        for edition, pages in every.items():
            for page in pages:
                pdf = out / edition / f"{page.name}.pdf"
                if to_pdf(out / edition / f"{page.name}.html", pdf, browser) and report:
                    report(pdf)
                made.append(pdf)
    return made


def _run_context(repository: Repository, seed: str = "", language: str = "") -> RunContext:
    chosen = course.load(repository.root)
    words = messages.load(repository.root, language or chosen.language)
    labs = {item.name: item for item in lab.find(repository)}
    return RunContext(
        repository, chosen, words, tuple(labs[name] for name in chosen.labs or sorted(labs)), seed
    )


def _edition(run: RunContext, edition: Edition) -> tuple[Handout, ...]:
    labs = {item.name: item for item in run.labs}
    return tuple(_page(run, name, labs.get(name), edition) for name in _names(run))


def _names(run: RunContext) -> list[str]:
    """The names of this course's pages: its labs, and every text that belongs to no lab."""
    texts = {
        file.name.removesuffix(_TEXT).split(".")[0]
        for file in (run.repository.root / "handouts").glob(f"*{_TEXT}")
    }
    every = set(run.repository.lab_names())
    return sorted((texts - every) | {item.name for item in run.labs})


# --- one page ----------------------------------------------------------------------------------


def _page(run: RunContext, name: str, item: Lab | None, edition: Edition) -> Handout:
    words = _words_of_text(run, name)
    own = translation.load(run.repository.root, name, run.words.code)
    if item:
        item = translation.of_lab(item, own, f"handouts/{name}.{run.words.code}{_TEXT}")
    sheet = QuestionSheet(name, run.seed, edition is Edition.STAFF, words("question.answer"))
    known = topics.load(run.repository.root) if (run.repository.root / topics.FILE).is_file() else ()
    context = PageContext(run.repository, run.course, words, sheet, item, edition.view, known, own.mistakes)
    environment = _environment(run.repository, words)
    environment.globals.update(template_names.names(context))
    text, references = topics.extract_tags(_render(environment, name + _TEXT), name)
    title, text = (item.title, text) if item else _title(text, name)
    documents = [(markdown.to_html(text), words)] if edition is not Edition.KEY else []
    part = _part(run, context, edition)
    documents += [(part, run.words)] if part else []
    html = _render(
        _environment(run.repository, run.words),
        LAYOUT,
        **_frame(run),
        title=title,
        page=name,
        edition=edition,
        lab=item,
        documents=documents,
        has_players=any("<iframe" in document.html for document, _ in documents),
        headings=[heading for document, _ in documents for heading in document.headings],
        text_words=words,
    )
    players = {name: text for name, text in context.players.items() if f'"{name}"' in html}
    return Handout(name, title, edition, item, html, tuple(sheet.asked), references, players)


def _words_of_text(run: RunContext, name: str) -> Messages:
    """The messages of the course's language if this page is translated, else the English ones."""
    folder = run.repository.root / "handouts"
    code = run.words.code
    if code == messages.BASE or (folder / f"{name}.{code}{_TEXT}").is_file():
        return run.words
    if not (folder / f"{name}{_TEXT}").is_file():
        raise InstructorError(
            "is missing",
            file=f"handouts/{name}{_TEXT}",
            remedy=f"each folder in labs/ has one: write {name}{_TEXT}",
        )
    return messages.load(run.repository.root, messages.BASE)


def _title(markdown: str, name: str) -> tuple[str, str]:
    match = _TITLE.match(markdown)
    if match is None:
        raise InstructorError(
            "belongs to no lab and has no title",
            file=f"handouts/{name}{_TEXT}",
            line=1,
            remedy="begin it with a line '# Title', or make a folder of that name in labs/",
        )
    return match[1].strip(), markdown[match.end() :]


def _part(run: RunContext, context: PageContext, edition: Edition) -> RenderedText | None:
    """The part of the page that only staff get, in the course's language."""
    if edition is Edition.STUDENT or (edition is Edition.STAFF and context.lab is None):
        return None
    environment = _environment(run.repository, run.words)
    own = replace(context, words=run.words)
    environment.globals.update(template_names.names(own))
    sheet = replace(context.sheet, answer_word=run.words("question.answer"))
    names: dict[str, Any] = {
        "questions": [sheet.to_markdown(question, True) for question in context.sheet.asked]
    }
    if context.lab:
        names |= {
            "solution": template_names.solution(own),
            "bugs": template_names.bugs(own, _BUGS),
            "mutants": template_names.mistakes(own),
            "near_misses": template_names.near_misses(own),
        }
    template = _KEY_PART if edition is Edition.KEY else _STAFF_PART
    return markdown.to_html(_render(environment, template, **names), prefix="staff-")


def _index(run: RunContext, every: dict[Edition, tuple[Handout, ...]], pdf: bool) -> str:
    """The index of one edition, or the index of all: then the links name the editions' folders."""
    environment = _environment(run.repository, run.words)
    pages = next(iter(every.values()))
    plan = syllabus.weeks([page.lab for page in pages if page.lab], run.course.begins)
    return _render(
        environment, INDEX, **_frame(run), editions=every, pdf=pdf, nested=len(every) > 1, weeks=plan
    )


def _frame(run: RunContext) -> dict[str, Any]:
    return {"course": run.course, "t": run.words, "seed": run.seed}


# --- templates ---------------------------------------------------------------------------------


def _render(environment: jinja2.Environment, name: str, **context: Any) -> str:
    """The rendered template. InstructorError names the file and the line of an error in it."""
    try:
        return environment.get_template(name).render(**context)
    except jinja2.TemplateSyntaxError as error:
        file, line, message = error.name or name, error.lineno, error.message or "syntax error"
    except jinja2.TemplateNotFound as error:
        file, line = name, None
        message = (
            "is missing" if error.name == name else f"uses the template {error.name}, which does not exist"
        )
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        file, line, message = name, _template_line(error, name), str(error)
    raise InstructorError(
        message,
        file=f"handouts/{file}",
        line=line,
        remedy="handouts/README.md lists the names that a handout may use",
    )


def _template_line(error: Exception, name: str) -> int | None:
    """The last line of the template in the traceback: Jinja maps its frames to template lines."""
    at, line = error.__traceback__, None
    while at:
        if at.tb_frame.f_code.co_filename.endswith((name, name.replace(_TEXT, ""))):
            line = at.tb_lineno
        at = at.tb_next
    return line


class _Loader(jinja2.FileSystemLoader):
    """Loads <name>.<code>.md.j2 instead of <name>.md.j2 if it exists."""

    def __init__(self, folders: list[Path], code: str) -> None:
        super().__init__(folders)
        self.code = code

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        if template.endswith(_TEXT) and self.code != messages.BASE:
            own = f"{template.removesuffix(_TEXT)}.{self.code}{_TEXT}"
            try:
                text, file, fresh = super().get_source(environment, own)
                return translation.body(text), file, fresh
            except jinja2.TemplateNotFound:
                pass
        return super().get_source(environment, template)


class _Compiled(jinja2.BytecodeCache):
    """Compiled templates of this process: each page has an environment, but the templates are the same."""

    def __init__(self) -> None:
        self._code: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (code := self._code.get(f"{bucket.key} {bucket.checksum}")) is not None:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[f"{bucket.key} {bucket.checksum}"] = bucket.code


_COMPILED = _Compiled()


def _environment(repository: Repository, words: Messages) -> jinja2.Environment:
    loader = _Loader([repository.root / "handouts", _SHARED_TEMPLATES], words.code)
    environment = jinja2.Environment(
        loader=loader,
        bytecode_cache=_COMPILED,
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        undefined=jinja2.StrictUndefined,
        extensions=[Questions],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        count=words.count,
        number=words.number,
        date=words.date,
        limiter=lambda name: words(f"limiter.{name.replace(' ', '-')}"),
        points=functools.partial(template_names.points, words),
        plain=markdown.plain,
    )

    def inline(name: str) -> Markup:
        return Markup(loader.get_source(environment, name)[0])

    environment.globals["inline"] = inline
    return environment
