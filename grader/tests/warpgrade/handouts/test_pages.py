import re
import shutil
import tomllib
from pathlib import Path

import pytest

from support.borrowed_tools import lend_tools
from support.hand_ins.solution_lines import plain, secrets, squeeze
from support.pages import browser, page_structure, rendered
from warpgrade.answers import questions, stages
from warpgrade.core import messages
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.course import lab
from warpgrade.handouts import markdown, template_names
from warpgrade.handouts import pages as handouts
from warpgrade.handouts.pages import Edition
from warpgrade.records import Lab, LabKind
from warpgrade.solution import skeletons

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[4]
REPOSITORY = Repository(ROOT)
EDITIONS = {edition: rendered.of_edition(REPOSITORY, edition) for edition in Edition}
PAGES = rendered.RenderedPages(
    (f"{edition}/{name}" for edition, pages in EDITIONS.items() for name in pages),
    lambda: ((f"{edition}/{name}", each[name]) for edition, each in EDITIONS.items() for name in each),
)
STUDENT = EDITIONS[Edition.STUDENT]
LABS = {item.name: item for item in lab.find(REPOSITORY) if item.name in STUDENT}
HANDOUTS = rendered.RenderedPages(LABS, lambda: ((name, STUDENT[name]) for name in LABS))
EACH = pytest.mark.parametrize("name", HANDOUTS)
QUESTIONS = [name for name, item in LABS.items() if item.kind is LabKind.ANSWERS]
RUN = pytest.mark.parametrize("name", [name for name in HANDOUTS if name not in QUESTIONS])
EVERY = pytest.mark.parametrize("name", PAGES)


def test_there_is_a_handout_for_each_lab() -> None:
    assert [name for name, page in STUDENT.items() if page.lab] == [
        item.name for item in lab.find(REPOSITORY)
    ]
    assert len(HANDOUTS) >= 4


def test_there_are_secrets_to_look_for() -> None:
    assert len(secrets()) >= 15
    assert "A_tile[ty][tx]=A[row*k+phase*TILE_WIDTH+tx];" in secrets()


@pytest.mark.parametrize("seed", ["", "alice"])
def test_no_solution_line_reaches_a_student(seed: str) -> None:
    for page in rendered.handouts(REPOSITORY, Edition.STUDENT, seed, ""):
        text = plain("".join((page.html, *page.players.values())))
        assert [line for squeezed, line in secrets().items() if squeezed in text] == [], page.name


def test_no_answer_reaches_a_student() -> None:
    asked = 0
    for page in STUDENT.values():
        assert 'class="answer"' not in page.html
        for question in page.questions:
            asked += 1
            assert plain(markdown.to_html(question.text).html) in plain(page.html)
            assert plain(markdown.to_html(question.answer).html) not in plain(page.html)
    assert asked >= 20


def _item(name: str) -> Lab:
    item = HANDOUTS[name].lab
    assert item is not None
    return item


@RUN
def test_staff_and_key_hold_the_solution_and_every_answer(name: str) -> None:
    item, folder = _item(name), ROOT / "solutions" / name
    texts = [(folder / file).read_text() for file in item.files if (folder / file).is_file()]
    names = {(folder / fault.answers).read_text() for fault in item.faults}
    lines = [line for line in secrets().values() if any(line in text for text in texts)]
    for edition in (Edition.STAFF, Edition.KEY):
        page = PAGES[f"{edition}/{name}"]
        text = plain(page.html)
        assert all(squeeze(line) in text for line in (*lines, *names))
        assert page.html.count('class="answer"') >= len(page.questions) + 2


@pytest.mark.parametrize("name", [name for name, item in LABS.items() if item.faults])
def test_staff_and_key_show_the_line_of_each_fault_as_students_get_it(name: str) -> None:
    for edition in (Edition.STAFF, Edition.KEY):
        text = plain(PAGES[f"{edition}/{name}"].html)
        for fault in _item(name).faults:
            answers = tomllib.loads((ROOT / "solutions" / name / fault.answers).read_text())[fault.name]
            given = (ROOT / "labs" / name / fault.file).read_text().splitlines()
            line = given[answers["line"] - 1]
            assert squeeze(f"{fault.file}:{answers['line']} {line}") in text


@RUN
def test_staff_see_the_sizes_of_cases_by_the_labs_own_parameters(name: str) -> None:
    item, text = _item(name), plain(PAGES[f"{Edition.STAFF}/{name}"].html)
    assert squeeze(f"case {' × '.join(item.parameter_names)} values") in text
    for case in item.cases:
        assert squeeze(f"{case.name} {' × '.join(case.drawn or map(str, case.size))} {case.values}") in text


@pytest.mark.parametrize("name", QUESTIONS)
def test_staff_and_key_hold_a_marked_sheet_and_staff_the_near_misses(name: str) -> None:
    item = HANDOUTS[name].lab
    assert item is not None
    key = squeeze(stages.key_sheet(REPOSITORY, item, "example").split("[answers]")[1].splitlines()[-1])
    for edition in (Edition.STAFF, Edition.KEY):
        page = PAGES[f"{edition}/{name}"]
        assert key in plain(page.html)
        assert page.html.count('class="answer"') >= len(page.questions)
    assert key not in plain(HANDOUTS[name].html)
    staff = plain(PAGES[f"{Edition.STAFF}/{name}"].html)
    for question in questions.of_lab(REPOSITORY, name).draw("any"):
        assert all("".join(miss.feedback.split()) in staff for miss in question.near_misses)


@EACH
def test_only_staff_see_hidden_cases(name: str) -> None:
    item = HANDOUTS[name].lab
    assert item is not None
    for case in item.cases:
        assert (case.name in HANDOUTS[name].html) == (case.visibility != "hidden")
        assert case.name in PAGES[f"staff/{name}"].html


@RUN
def test_every_todo_of_the_skeleton_has_its_step(name: str) -> None:
    texts = [item.text for item in skeletons.all_of(ROOT) if item.lab == name]
    todos = [number for text in texts for number in re.findall(r"TODO\((\d+)\)", text)]
    assert re.findall(r"<strong>TODO (\d+)\.", HANDOUTS[name].html) == todos


@EACH
def test_a_handout_names_every_file_that_is_written(name: str) -> None:
    item, page = LABS[name], HANDOUTS[name].html
    head, text = page.split("</header>")
    named = [f"labs/{name}/{file}" for file in item.files]
    assert all(f"<code>{file}</code>" in head for file in named)
    assert item.kind is LabKind.ANSWERS or all(f"<code>{file}</code>" in text for file in named)


@EVERY
def test_a_handout_stands_alone(name: str) -> None:
    page = PAGES[name].html
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")
    assert not re.search(r'(?:src|href)="(?!#|data:|[\w-]+\.html")', page)
    assert "$$" not in page and "{{" not in page and "{%" not in page


@EVERY
def test_no_number_is_repeated_text(name: str) -> None:
    """In Jinja, `2 * 16 | count` repeats the text "16" where a product was meant."""
    text = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", PAGES[name].html, flags=re.DOTALL)
    assert not re.search(r"(?<![\w.])(\d{1,6})\1{4,}(?!\w)", text), name


@EVERY
def test_players_lie_beside_their_handout(name: str) -> None:
    page = PAGES[name]
    shown = re.findall(r'<iframe src="([^"]+)"', page.html)
    assert sorted(shown) == sorted(page.players) and not set(shown) & {
        f"{each.name}.html" for each in PAGES.values()
    }
    assert ("frame-src" in page.html) == bool(shown)


def test_a_phase_and_races_can_be_stepped_through() -> None:
    assert STUDENT["02-tiled"].players and not STUDENT["01-basic"].players
    assert sum(len(page.players) for page in PAGES.values() if page.edition is Edition.STAFF) >= 5


@EVERY
def test_ids_are_unique_and_links_arrive(name: str) -> None:
    page = PAGES[name].html
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


@EVERY
def test_a_page_can_be_used_without_eyes_or_mouse(name: str) -> None:
    assert page_structure.faults(PAGES[name].html) == []


@EACH
def test_points_add_up_to_one_hundred(name: str) -> None:
    item = HANDOUTS[name].lab
    assert item is not None
    table = template_names.points_table(item, messages.load(ROOT, "en"))
    rows = re.findall(r"^\| [^*|]+ \| ([\d.]+) \|", table, re.M)
    assert sum(map(float, rows)) == 100
    assert "| **together** | **100** |" in table


def test_numbers_of_the_lectures_stand_in_the_texts() -> None:
    tiled = plain(HANDOUTS["02-tiled"].html)
    for number in ("512", "8,192", "2,048", "65,536", "4,096", "12,288", "345.6", "21.6"):
        assert number in tiled
    model = plain(HANDOUTS["00-threads"].html)
    for number in ("12,288", "30,720", "24warps", "512threads,16warps", "4cycles"):
        assert number in model
    occupancy = plain(HANDOUTS["08-occupancy"].html)
    for number in ("12,288", "30,720", "12.5", "13warps", "16warpsinsteadof24", "512threads,16warps"):
        assert number in occupancy
    assert "1,382" in plain(HANDOUTS["01-basic"].html)
    assert "1,386" in plain(PAGES["key/01-basic"].html)
    assert "15inpractice" in plain(STUDENT["10-host-program"].html)
    assert "64×32" in plain(HANDOUTS["04-register-tiled"].html)


WIDTHS = [
    (f"{edition}/{name}", width)
    for edition, pages in EDITIONS.items()
    for name in pages
    for width in (360, 1280)
    # An answer key holds parts of the staff edition only, and what fits a phone fits a context.
    if edition is Edition.STUDENT or (edition is Edition.STAFF and width == 360)
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], list[int]]:
    """Each handout in each width: browser.WIDTH."""
    scripts = ("img-src data:", "img-src data:; script-src 'unsafe-inline'")
    questions = [
        browser.Question(PAGES[name].html.replace(*scripts), browser.WIDTH, width) for name, width in WIDTHS
    ]
    answers = browser.ask_all(questions, tmp_path_factory.mktemp("shown"))
    return dict(zip(WIDTHS, answers, strict=True))


@browser.needs_chromium
@pytest.mark.parametrize(("name", "width"), WIDTHS)
def test_no_handout_is_wider_than_the_screen(
    name: str, width: int, shown: dict[tuple[str, int], list[int]]
) -> None:
    assert shown[name, width] == [width, 0]


# --- what an instructor can get wrong ------------------------------------------------------------------


@pytest.fixture
def course(tmp_path: Path) -> Path:
    for folder in ("labs", "solutions", "handouts"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    lend_tools(tmp_path)
    (tmp_path / "grader").mkdir()
    shutil.copytree(ROOT / "grader" / "gpus", tmp_path / "grader" / "gpus")
    return tmp_path


def failure(course: Path) -> InstructorError:
    with pytest.raises(InstructorError) as caught:
        handouts.make(course, course / "build" / "handouts")
    assert caught.value.remedy
    return caught.value


def test_pages_and_index_are_written(course: Path) -> None:
    written = handouts.make(course, course / "build" / "handouts")
    out = course / "build" / "handouts"
    names = [path.relative_to(course).as_posix() for path in written]
    for edition in Edition:
        pages = {name.split("/")[1]: page for name, page in PAGES.items() if page.edition is edition}
        assert {f"build/handouts/{edition}/{name}.html" for name in [*pages, "index"]} <= set(names)
        assert [(out / edition / f"{name}.html").read_text() for name in pages] == [
            page.html for page in pages.values()
        ]
        index = (out / edition / "index.html").read_text()
        assert all(f'href="{name}.html"' in index for name in pages)
    assert 'href="key/01-basic.html"' in (out / "index.html").read_text()
    assert "build/handouts/index.html" in names


def test_one_page_alone_is_written(course: Path) -> None:
    out = course / "made"
    handouts.make(course, out, editions=(Edition.STUDENT,), only=["07"])
    assert [path.name for path in (out / "student").iterdir()] == ["07-transpose.html"]
    assert (out / "student" / "07-transpose.html").read_text() == PAGES["student/07-transpose"].html
    with pytest.raises(UsageError, match="no page 'seven'; they are: 00-"):
        handouts.make(course, out, only=["seven"])
    with pytest.raises(UsageError, match="a book has all pages"):
        handouts.make(course, out, only=["07"], books=(Edition.STUDENT,))


def test_a_misspelt_name_is_named_with_its_line(course: Path) -> None:
    file = course / "handouts" / "01-basic.md.j2"
    file.write_text("## Hello\n\nAbout {{ lab.titel }}.\n")
    error = failure(course)
    assert str(error).startswith("handouts/01-basic.md.j2:3: ") and "titel" in str(error)


def test_a_mistake_of_syntax_is_named_with_its_line(course: Path) -> None:
    (course / "handouts" / "02-tiled.md.j2").write_text("one\n{% if %}\n")
    assert str(failure(course)).startswith("handouts/02-tiled.md.j2:2: ")


def test_a_missing_handout_is_named(course: Path) -> None:
    (course / "handouts" / "03-tiled-bounded.md.j2").unlink()
    assert str(failure(course)) == "handouts/03-tiled-bounded.md.j2: is missing"


def test_a_missing_excerpt_names_the_file_that_lacks_it(course: Path) -> None:
    (course / "handouts" / "01-basic.md.j2").write_text('{{ excerpt("nowhere") }}\n')
    assert str(failure(course)).startswith("solutions/01-basic/kernel.cu: there is no excerpt 'nowhere'")


def test_an_excerpt_of_the_solution_is_refused(course: Path) -> None:
    (course / "handouts" / "02-tiled.md.j2").write_text('{{ excerpt("load-phase") }}\n')
    assert "all solution" in str(failure(course))


def test_files_outside_the_course_are_refused(course: Path) -> None:
    (course / "handouts" / "01-basic.md.j2").write_text('{{ listing("../../etc/passwd") }}\n')
    assert "is not a file of the course" in str(failure(course))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('title = "T"\nterm = "t"\n', "lacks the key 'gpu'"),
        ('title = "T"\nterm = "t"\ngpu = "h200"\nrooms = 3\n', "unknown key 'rooms'"),
        ("title =\n", "handouts/course.toml:1: "),
    ],
)
def test_a_wrong_course_file_is_named(course: Path, text: str, says: str) -> None:
    (course / "handouts" / "course.toml").write_text(text)
    assert says in str(failure(course))
