import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from support import sample_results
from support.pages import browser, page_structure
from warpgrade.core import messages
from warpgrade.core.paths import here
from warpgrade.drawing import figure as figures
from warpgrade.drawing.source_lines import LinePicture
from warpgrade.records import Result
from warpgrade.report import html as report

PAGES = report.pages(sample_results.grades())
EACH_PAGE = pytest.mark.parametrize("name", PAGES)


class Elements(HTMLParser):
    """What a parser sees: tags, ids, references, attributes."""

    VOID = frozenset({"meta", "link", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]


def test_one_page_a_student_and_one_for_the_class() -> None:
    assert set(PAGES) == {"index.html"} | {f"students/{s.id}.html" for s in sample_results.grades().students}


def test_a_large_class_has_pages_of_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each student stands in one of them, and in the list of those who need attention on the same page."""
    monkeypatch.setattr(report, "ROWS", 2)
    grades = sample_results.grades()
    report.render(grades, tmp_path)
    pages = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.html")}
    assert sorted(pages) == ["class-2.html", "class-3.html", "index.html"]
    row = re.compile(r'<th scope="row" data-value[^>]*><a href="students/(\w+)')
    rows = {name: row.findall(text) for name, text in pages.items()}
    assert [rows[name] for name in ("index.html", "class-2.html", "class-3.html")] == [
        ["ada", "bob"], ["carol", "dan"], ["eve", "frank"],
    ]  # fmt: skip
    for name, text in pages.items():
        ids = Elements(text).ids()
        assert page_structure.faults(text) == [] and len(ids) == len(set(ids)), name
        others = {other for other in pages if other != name}
        assert {link for link in others if f'href="{link}#points"' in text} == others
    assert "does not compile" in pages["class-2.html"], "carol needs attention"


def test_the_same_grades_give_the_same_bytes(tmp_path: Path) -> None:
    written = report.render(sample_results.grades(), tmp_path)
    assert {path.relative_to(tmp_path).as_posix(): path.read_text() for path in written} == PAGES


def test_earlier_attempts_stand_on_the_page() -> None:
    student = sample_results.right_student()
    first, *others = student.results
    assert first.score is not None
    earlier = replace(first, submitted="2026-03-01 10:00", score=replace(first.score, total=41.5))
    now = replace(first, attempt=2, submitted="2026-03-02 09:00")
    tried = replace(student, results=(now, *others), earlier=(earlier,))
    page = report.student_page(sample_results.grades(), tried)
    rows = page.partition(f'id="{first.lab}-attempts"')[2].partition("</table>")[0]
    assert rows.index("2026-03-01 10:00") < rows.index("41.5") < rows.index("2026-03-02 09:00")
    assert rows.count("this one") == 1
    assert all("-attempts" not in text for text in PAGES.values()), "a single attempt needs no table"


def test_pages_of_a_class_that_was_graded_before_do_not_stay(tmp_path: Path) -> None:
    (tmp_path / "students").mkdir()
    for name in ("students/gone.html", "leaderboard-gone.html", "class-2.html", "mine.html"):
        (tmp_path / name).write_text("of another class")
    written = report.render(sample_results.grades(), tmp_path)
    assert set(tmp_path.rglob("*.html")) == {*written, tmp_path / "mine.html"}


def test_each_page_says_that_there_was_no_sandbox() -> None:
    grades = sample_results.grades()
    pages = report.pages(replace(grades, setting=replace(grades.setting, sandbox="none")))
    assert all("submissions ran without a sandbox" in page for page in pages.values())
    assert not any("ran without a sandbox" in page for page in PAGES.values())


@EACH_PAGE
def test_elements_are_closed_and_ids_are_unique_and_found(name: str) -> None:
    elements = Elements(PAGES[name])
    assert elements.open == []
    ids = elements.ids()
    assert len(ids) == len(set(ids))
    for _, attributes in elements.tags:
        for attribute in ("aria-labelledby", "for"):
            for reference in (attributes.get(attribute) or "").split():
                assert reference in ids
        if (attributes.get("href") or "").startswith("#"):
            assert str(attributes["href"])[1:] in ids


@EACH_PAGE
def test_a_page_can_be_used_without_eyes_or_mouse(name: str) -> None:
    assert page_structure.faults(PAGES[name]) == []


def test_pictures_of_accesses_stand_in_a_page_that_was_given_them(tmp_path: Path) -> None:
    grades = sample_results.grades()
    student = next(each for each in grades.students if each.results)
    figure = figures.figure(
        messages.load(here().root, "en"),
        "pic",
        (9, 9),
        "Title",
        "Text.",
        [],
        figures.Table("c", ("h",), (("1",),)),
    )
    made = {student.results[0].lab: (LinePicture(3, "a < b", (figure,)),)}
    report.write_one(grades, student, tmp_path / "page.html", made)
    page = (tmp_path / "page.html").read_text()
    assert figure in page and "line 3: <code>a &lt; b</code>" in page and ".drawing .matrix" in page
    assert page_structure.faults(page) == [] and Elements(page).open == []


def test_commands_of_a_page_name_the_file_that_was_checked(tmp_path: Path) -> None:
    grades = sample_results.grades()
    pages = {}
    for student in grades.students:
        report.write_one(grades, student, tmp_path / "page.html", subject="02-tiled mine.cu")
        pages[student.id] = (tmp_path / "page.html").read_text()
    played = [line for page in pages.values() for line in page.splitlines() if " --finding " in line]
    assert played and all("./warpgrade play 02-tiled mine.cu --finding" in line for line in played)


@EACH_PAGE
def test_nothing_is_fetched(name: str) -> None:
    for tag, attributes in Elements(PAGES[name]).tags:
        assert tag not in ("img", "iframe", "object", "embed")
        for attribute in ("src", "href"):
            assert not re.match(r"[a-z]+:(?!,)", attributes.get(attribute) or "") or tag == "link"
    assert "http:" not in PAGES[name] and "https:" not in PAGES[name]


@EACH_PAGE
def test_what_a_student_wrote_stays_text(name: str) -> None:
    tags = Elements(PAGES[name]).tags
    assert sum(tag == "script" for tag, _ in tags) == 1
    assert not any("onclick" in attributes for _, attributes in tags)
    assert "alert('x')" not in PAGES[name]


@EACH_PAGE
def test_hidden_cases_leave_no_trace(name: str) -> None:
    assert sample_results.SECRET not in PAGES[name]
    assert "97 × 113" not in PAGES[name]


def test_a_name_only_case_shows_name_and_verdict_only() -> None:
    page = PAGES["students/bob.html"]
    assert sample_results.NAMED in page
    assert f"sentence about {sample_results.NAMED}" not in page
    assert f"about {sample_results.NAMED}" not in page.replace("sentence ", "")


def test_a_race_shows_both_sides_with_their_lines() -> None:
    page = PAGES["students/bob.html"]
    assert "kernel.cu:12:5" in page and "kernel.cu:15:47" in page
    assert "thread (3,0,0) of block (0,0,0): write" in page
    assert "the other side: thread (9,0,0) of block (0,0,0): read" in page


def test_a_finding_of_many_cases_is_shown_once() -> None:
    page = PAGES["students/bob.html"]
    assert page.count("no barrier between</span>") == 1
    assert "Seen in 16x16x16-integers, 48x40x32-integers, 64x64x64-zero-mean, 1,440 times in all" in page


def test_an_access_out_of_bounds_names_allocation_and_distance() -> None:
    page = PAGES["students/bob.html"]
    assert "begins 64 bytes after the end of A, which holds 6,144 bytes" in page


def test_modelled_time_is_marked_as_modelled() -> None:
    assert "modelled, not measured" in PAGES["students/ada.html"]


def test_compiler_messages_stand_on_the_students_line() -> None:
    page = PAGES["students/carol.html"]
    assert "identifier &#34;rov&#34; is undefined" in page
    assert re.search(r'class="line marked"><span class="at">12<', page)
    assert "Put right line 12 of kernel.cu first" in page


def test_a_fault_of_ours_is_no_zero() -> None:
    page = PAGES["students/dan.html"]
    assert "withheld" in page and "0 <small>of" not in page
    assert "grade this lab again" in page


def test_a_refused_entry_says_why() -> None:
    assert "the archive has a path that leaves it" in PAGES["students/frank.html"]


@browser.needs_chromium
def test_no_page_is_wider_than_the_screen(tmp_path: Path) -> None:
    names = ["index.html", "students/bob.html", "students/carol.html"]
    shown = [(name, width) for name in names for width in (360, 1280)]
    answers = browser.ask_all(
        [browser.Question(PAGES[name], browser.WIDTH, width) for name, width in shown], tmp_path
    )
    for (name, width), answer in zip(shown, answers, strict=True):
        assert answer == [width, 0], name


@browser.needs_chromium
@pytest.mark.parametrize("name", ["index.html", "students/bob.html"])
def test_long_words_and_many_labs_fit_a_phone(name: str, tmp_path: Path) -> None:
    labs = tuple(sample_results.lab(f"0{number}-a-long-name-of-a-lab") for number in range(1, 7))
    long = "kernel.cu:4:does(not,fit," + "LAUNCH_SHAPE" * 12

    def many(result: Result) -> tuple[Result, ...]:
        score = result.score
        parts = tuple(replace(part, sentence=long) for part in score.parts) if score else ()
        shown = replace(result, score=replace(score, parts=parts) if score else None)
        return tuple(replace(shown, lab=lab.name) for lab in labs)

    sample = sample_results.grades()
    students = tuple(replace(s, results=many(s.results[0]) if s.results else ()) for s in sample.students)
    page = report.pages(replace(sample, labs=labs, students=students))[name]
    root = "document.documentElement"
    opened = f"(document.querySelectorAll('details').forEach(d => d.open = true), {root}.scrollWidth)"
    assert browser.ask(page, f"{opened} - {root}.clientWidth", 360, tmp_path) == 0


@browser.needs_chromium
def test_sorting_and_filtering_work_without_a_server(tmp_path: Path) -> None:
    expression = """(() => {
      const names = () => [...document.querySelectorAll('#class-table tbody tr')].filter(r => !r.hidden)
        .map(r => r.cells[0].textContent.trim().split(' ')[0]);
      const total = [...document.querySelectorAll('#class-table th button')].at(-1);
      total.click(); const down = names(); total.click(); const up = names();
      const find = document.querySelector('input[type=search]');
      find.value = 'okafor'; find.dispatchEvent(new Event('input'));
      return [down, up, names(), total.parentElement.getAttribute('aria-sort')];
    })()"""
    down, up, found, state = browser.ask(PAGES["index.html"], expression, 1280, tmp_path)
    assert down[:3] == ["Ada", "Eve", "Bob"]
    assert up[-3:] == ["Bob", "Eve", "Ada"]
    assert found == ["Eve"]
    assert state == "ascending"
