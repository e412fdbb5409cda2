"""Handouts: handouts/<name>.md.j2 → Markdown → HTML and PDF, for students, for staff, and as answer key.

A page belongs to the lab of the same name. The first line of a page without a lab is its title.
`template_names` defines the names that a template may use. An unknown name is an error with file and line.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core import messages, store
from ..core.errors import InstructorError, UsageError
from ..core.messages import Messages
from ..core.paths import Repository
from ..course import lab
from ..records import Lab
from ..solution.markers import View
from . import course, markdown, syllabus, template_names, topics, translation
from .book import book
from .book.book import Book
from .book.chapters import ChapterSource
from .course import Course
from .figures import figure_files
from .markdown import RenderedText
from .printing import page_references
from .printing.chromium import Chromium, Chromiums, need_browser
from .printing.pdf import to_pdf
from .questions import Question, QuestionSheet
from .template_names import PageContext
from .templates import TEXT, environment, render
from .topics import TopicReference

LAYOUT = "layout.html.j2"
INDEX = "index.html.j2"
TOPICS = "handouts/TOPICS.md"
FIGURES = "figures"  # the folder of figures as files
_STAFF_PART = "partials/staff.md.j2"
_KEY_PART = "partials/key.md.j2"
# A PDF, and the function that prints it: False if the file was already made from the same text.
Print = tuple[Path, Callable[[Path, Chromium], bool]]
_BUGS = 2  # listings of planted bugs in a page for staff
_TITLE = re.compile(r"\A\s*# (.+)\n")


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
    texts: tuple[tuple[RenderedText, Messages], ...] = ()  # of `html`, with their languages
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
    editions: Collection[Edition] = tuple(Edition), books: Collection[Edition] = (),
    only: Collection[str] = (), report: Callable[[Path], None] | None = None,
) -> tuple[Path, ...]:  # fmt: skip
    """Write these editions below `out`; return the paths. With all, also their index, the students' figures
    as files, and handouts/TOPICS.md. `only`: the pages of these names alone, with no index; UsageError if
    there is none of such a name, or a book is asked for.

    `pdf`: also write a tagged PDF of each page; `books`: also one of all pages of these editions.
    GraderError if Chromium is missing. `report` is called with the path of each file that is written.
    """
    run = _run_context(Repository(root), seed, language)
    names = _chosen(run, only)
    if only and books:
        raise UsageError("a book has all pages", remedy="leave out the names or --book")
    written: list[Path] = []

    def keep(path: Path, text: str) -> None:
        store.write_text(path, text)
        written.append(path)
        if report:
            report(path)

    every = {edition: _edition(run, edition, names) for edition in editions}
    chromium = need_browser() if pdf or books else ""
    for path, text in _texts(every, out):
        keep(path, text)
    for path, text in () if only else _common_texts(run, every, out, {"pdf": pdf, "books": books}):
        keep(path, text)
    if chromium:
        with Chromiums(chromium) as browsers, ThreadPoolExecutor(browsers.count) as pool:
            prints = _prints(run, every, out, pdf, books)
            for path, is_new in pool.map(functools.partial(_printed, browsers), prints):
                written.append(path)
                if is_new and report:
                    report(path)
    return tuple(written)


def _texts(every: dict[Edition, tuple[Handout, ...]], out: Path) -> Iterator[tuple[Path, str]]:
    """The files of all pages."""
    for edition, pages in every.items():
        for page in pages:
            yield out / edition / f"{page.name}.html", page.html
            yield from ((out / edition / name, text) for name, text in page.players.items())


def _common_texts(
    run: RunContext, every: dict[Edition, tuple[Handout, ...]], out: Path, links: dict[str, Any]
) -> Iterator[tuple[Path, str]]:
    """The files of all pages of an edition together, and those of all editions if there is each."""
    for edition, pages in every.items():
        yield out / edition / "index.html", _index(run, {edition: pages}, links)
    if len(every) == len(Edition):
        yield out / "index.html", _index(run, every, links)
        yield from ((out / FIGURES / name, text) for name, text in _figures(run, every[Edition.STUDENT]))
        root = run.repository.root
        if (root / topics.FILE).is_file():
            yield root / TOPICS, topics_table(run.repository)


def handouts(
    repository: Repository, edition: Edition = Edition.STUDENT, seed: str = "", language: str = ""
) -> tuple[Handout, ...]:
    """The pages of one edition. InstructorError names the file and the line that are wrong."""
    run = _run_context(repository, seed, language)
    return _edition(run, edition, _names(run))


def page_names(repository: Repository) -> tuple[str, ...]:
    """The names of the pages of each edition, without making any."""
    return tuple(_names(_run_context(repository)))


def topics_table(repository: Repository) -> str:
    """handouts/TOPICS.md, from all pages in English, also those that course.toml leaves out."""
    run = replace(_run_context(repository), course=replace(course.load(repository.root), labs=()))
    run = replace(run, words=messages.load(repository.root, messages.BASE), labs=lab.find(repository))
    pages = _edition(run, Edition.STUDENT, _names(run))
    references = [reference for page in pages for reference in page.topic_references]
    return topics.table(topics.load(repository.root), references)


def _printed(browsers: Chromiums, print_: Print) -> tuple[Path, bool]:
    """The file, and whether it is new."""
    path, to = print_
    with browsers.one() as browser:
        return path, to(path, browser)


def _prints(
    run: RunContext, every: dict[Edition, tuple[Handout, ...]], out: Path,
    pdf: bool, books: Collection[Edition],
) -> Iterator[Print]:  # fmt: skip
    """The PDF files of pages and books."""
    for edition, pages in every.items():
        for page in pages if pdf else ():
            html = out / edition / f"{page.name}.html"
            yield out / edition / f"{page.name}.pdf", functools.partial(to_pdf, html)
        if edition in books:
            bound = book.bind([_source(page) for page in pages], run.words)
            made = functools.partial(_book, run, edition, bound)
            yield out / edition / book.FILE, functools.partial(book.write, made)


def _run_context(repository: Repository, seed: str = "", language: str = "") -> RunContext:
    chosen = course.load(repository.root)
    words = messages.load(repository.root, language or chosen.language)
    labs = {item.name: item for item in lab.find(repository)}
    return RunContext(
        repository, chosen, words, tuple(labs[name] for name in chosen.labs or sorted(labs)), seed
    )


def _edition(run: RunContext, edition: Edition, names: Iterable[str]) -> tuple[Handout, ...]:
    labs = {item.name: item for item in run.labs}
    return tuple(_page(run, name, labs.get(name), edition) for name in names)


def _chosen(run: RunContext, only: Collection[str]) -> list[str]:
    """The names of the pages to make; a lab's may be short, as "07"."""
    names = _names(run)
    wanted = [lab.full_name(name, names) for name in only]
    if unknown := [name for name in wanted if name not in names]:
        words = f"there is no page {unknown[0]!r}; they are: {', '.join(names)}"
        raise UsageError(words, remedy="type a page's name, or none for all")
    return wanted or names


def _names(run: RunContext) -> list[str]:
    """The names of this course's pages: its labs, and every text that belongs to no lab."""
    texts = {
        file.name.removesuffix(TEXT).split(".")[0]
        for file in (run.repository.root / "handouts").glob(f"*{TEXT}")
    }
    every = set(run.repository.lab_names())
    return sorted((texts - every) | {item.name for item in run.labs})


# --- one page ----------------------------------------------------------------------------------


def _page(run: RunContext, name: str, item: Lab | None, edition: Edition) -> Handout:
    words = _words_of_text(run, name)
    own = translation.load(run.repository.root, name, run.words.code)
    if item:
        item = translation.of_lab(item, own, f"handouts/{name}.{run.words.code}{TEXT}")
    sheet = QuestionSheet(name, run.seed, edition is Edition.STAFF, words("question.answer"))
    known = topics.load(run.repository.root) if (run.repository.root / topics.FILE).is_file() else ()
    context = PageContext(run.repository, run.course, words, sheet, item, edition.view, known, own.mistakes)
    templates = environment(run.repository, words)
    templates.globals.update(template_names.names(context))
    text, references = topics.extract_tags(render(templates, name + TEXT), name)
    title, text = (item.title, text) if item else _title(text, name)
    root = run.repository.root
    body = markdown.without_dead_links(markdown.to_html(text, root=root), _names(run))
    documents = [(body, words)] if edition is not Edition.KEY else []
    part = _part(run, context, edition)
    documents += [(part, run.words)] if part else []
    html = render(
        environment(run.repository, run.words),
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
    return Handout(
        name, title, edition, item, html, tuple(sheet.asked), references, tuple(documents), players
    )


def _words_of_text(run: RunContext, name: str) -> Messages:
    """The messages of the course's language if this page is translated, else the English ones."""
    folder = run.repository.root / "handouts"
    code = run.words.code
    if code == messages.BASE or (folder / f"{name}.{code}{TEXT}").is_file():
        return run.words
    if not (folder / f"{name}{TEXT}").is_file():
        raise InstructorError(
            "is missing",
            file=f"handouts/{name}{TEXT}",
            remedy=f"each folder in labs/ has one: write {name}{TEXT}",
        )
    return messages.load(run.repository.root, messages.BASE)


def _title(markdown: str, name: str) -> tuple[str, str]:
    match = _TITLE.match(markdown)
    if match is None:
        raise InstructorError(
            "belongs to no lab and has no title",
            file=f"handouts/{name}{TEXT}",
            line=1,
            remedy="begin it with a line '# Title', or make a folder of that name in labs/",
        )
    return match[1].strip(), markdown[match.end() :]


def _part(run: RunContext, context: PageContext, edition: Edition) -> RenderedText | None:
    """The part of the page that only staff get, in the course's language."""
    if edition is Edition.STUDENT or (edition is Edition.STAFF and context.lab is None):
        return None
    templates = environment(run.repository, run.words)
    own = replace(context, words=run.words)
    templates.globals.update(template_names.names(own))
    sheet = replace(context.sheet, answer_word=run.words("question.answer"))
    names: dict[str, Any] = {
        "questions": [sheet.to_markdown(question, True) for question in context.sheet.asked]
    }
    if context.lab:
        names |= {
            "solution": template_names.solution(own),
            "bugs": template_names.bugs(own, _BUGS),
            "faults": template_names.faults(own),
            "mutants": template_names.mistakes(own),
            "near_misses": template_names.near_misses(own),
        }
    template = _KEY_PART if edition is Edition.KEY else _STAFF_PART
    return markdown.to_html(render(templates, template, **names), "staff-", run.repository.root)


# --- all pages ---------------------------------------------------------------------------------


def _index(run: RunContext, every: dict[Edition, tuple[Handout, ...]], links: dict[str, Any]) -> str:
    """The index of one edition, or the index of all: then the links name the editions' folders."""
    templates = environment(run.repository, run.words)
    plan = _weeks(run, next(iter(every.values())))
    is_nested = len(every) > 1
    return render(
        templates, INDEX, **_frame(run), **links, editions=every, nested=is_nested, weeks=plan,
        book=book.FILE, figures=f"{FIGURES}/index.html",
    )  # fmt: skip


def _figures(run: RunContext, pages: Iterable[Handout]) -> Iterator[tuple[str, str]]:
    """The files of all figures, and a page that shows them."""
    found = [(page, figure_files.of_page(page.name, page.html, run.words)) for page in pages]
    templates = environment(run.repository, run.words)
    yield "index.html", render(templates, "figures.html.j2", **_frame(run), figures=found)
    for _, figures in found:
        yield from ((figure.path, figure.text) for figure in figures)


def _source(page: Handout) -> ChapterSource:
    return ChapterSource(
        page.name, page.title, page.lab, tuple((text.html, words) for text, words in page.texts)
    )


def _book(run: RunContext, edition: Edition, bound: Book, pages: Mapping[str, int]) -> str:
    """The book with marks for numbers of pages. `pages`: those that are known by now."""
    labs = [each.source.lab for each in bound.chapters if each.source.lab]
    return render(
        environment(run.repository, run.words),
        book.TEMPLATE,
        **_frame(run),
        edition=edition,
        book=bound,
        weeks=syllabus.weeks(labs, run.course.begins),
        letters=book.by_letter(bound.index),
        places=lambda entry: book.places(entry, pages),
        page_of=page_references.page_of,
    )


def _weeks(run: RunContext, pages: Iterable[Handout]) -> tuple[syllabus.Week, ...]:
    return syllabus.weeks([page.lab for page in pages if page.lab], run.course.begins)


def _frame(run: RunContext) -> dict[str, Any]:
    return {"course": run.course, "t": run.words, "seed": run.seed}
