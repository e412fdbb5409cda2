"""`warpgrade lab check` on labs that `warpgrade new` writes, whole and with something taken away."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from warpgrade.cli import main
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository, here
from warpgrade.course import lab
from warpgrade.solution import planted_bugs
from warpgrade.staff import lab_check, new_lab
from warpgrade.staff.lab_gaps import hints
from warpgrade.staff.lab_gaps.gap import Gap

ROOT = Path(__file__).parents[4]
NAME = "60-mine"


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Repository]:
    """A course with one lab, made like the template."""
    shutil.copytree(ROOT / "handouts" / "languages", tmp_path / "handouts" / "languages")
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "gpus").symlink_to(ROOT / "grader" / "gpus")

    def make(like: str) -> Repository:
        new_lab.create(tmp_path, NAME, like)
        return Repository(tmp_path)

    return make


def needed(repository: Repository) -> list[Gap]:
    return [gap for gap in lab_check.gaps(repository, NAME) if gap.needed]


def change(file: Path, pattern: str, text: str) -> None:
    before = file.read_text(encoding="utf-8")
    after = re.sub(pattern, text, before, count=1, flags=re.DOTALL)
    assert after != before
    file.write_text(after, encoding="utf-8")


@pytest.mark.parametrize("like", new_lab.templates())
def test_a_template_lacks_nothing_but_translations_and_times(
    like: str, made: Callable[[str], Repository]
) -> None:
    found = lab_check.gaps(made(like), NAME)
    assert {gap.about for gap in found} <= {"language", "timing"}, found
    languages = [gap.file for gap in found if gap.about == "language"]
    assert languages and all(Path(file).name.startswith(f"{NAME}.") for file in languages)


# What is taken away: the file, a pattern and what to put in its place; and what is missing then.
_TAKEN = {
    "a hint": ("labs", "lab.toml", r"\[\[hint\]\]\ntodo = 2.*", "", "hint"),
    "a TODO": ("solutions", "kernel.cu", r"  // TODO\(2\).*?\n", "", "hint"),
    "a case's mutant": ("solutions", "mutants.toml", r'case = "1-integers"', 'case = "256-integers"', "case"),
    "what is hidden": ("labs", "lab.toml", r'visibility = "hidden"', 'visibility = "name"', "visibility"),
    "a fresh skeleton": ("labs", "kernel.cu", r"TODO", "DONE", "skeleton"),
    "a step": (".", f"handouts/{NAME}.md.j2", r"1\. \*\*TODO 1", "1. **To do", "handout"),
    "a report that students see": (
        ".",
        f"handouts/{NAME}.md.j2",
        r'mutant=\("no-wrap"',
        'mutant=("guard-lets-one-more-in"',
        "handout",
    ),
    "a drawn time": ("labs", "lab.toml", r'"65536 \+ 256\*u"', "65536", "size"),
    "a drawn case": ("labs", "lab.toml", r'case = "drawn-zero-mean"', 'case = "256-integers"', "size"),
    "a case": ("solutions", "mutants.toml", r'case = "33000-zero-mean"', 'case = "none"', "mutants"),
}


@pytest.mark.parametrize("what", _TAKEN)
def test_what_is_taken_away_is_missing(what: str, made: Callable[[str], Repository]) -> None:
    folder, file, pattern, text, about = _TAKEN[what]
    repository = made("vector")
    place = repository.root if folder == "." else repository.root / folder / NAME
    change(place / file, pattern, text)
    found = needed(repository)
    assert about in {gap.about for gap in found}, found
    assert all(gap.remedy and not Path(gap.file).is_absolute() for gap in found)


def test_a_fault_must_show_in_a_case_that_students_see(made: Callable[[str], Repository]) -> None:
    repository = made("debug")
    change(repository.labs / NAME / "lab.toml", r'visibility = "visible"', 'visibility = "name"')
    (gap,) = (gap for gap in needed(repository) if gap.about == "fault")
    assert "256-integers" in gap.remedy and gap.line


def test_an_array_is_called_as_in_the_harness(tmp_path: Path) -> None:
    whole = here()
    name = next(item.name for item in lab.find(whole) if item.arrays)
    if not whole.harness(name).exists():
        pytest.skip("needs `make tools`")
    for folder in ("labs", "solutions"):
        shutil.copytree(ROOT / folder / name, tmp_path / folder / name)
    shutil.copytree(ROOT / "labs" / "common", tmp_path / "labs" / "common")
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "gpus").symlink_to(ROOT / "grader" / "gpus")
    (tmp_path / "build").symlink_to(ROOT / "build")
    facts = tmp_path / "labs" / name / lab.FILE
    first = lab.named(Repository(tmp_path), name).arrays[0].name
    for change_to, wrong in ((first, []), (f"{first}_misspelt", [f"arrays.{first}_misspelt"])):
        text = re.sub(rf"(?m)^{first} = ", f"{change_to} = ", facts.read_text(encoding="utf-8"), count=1)
        facts.write_text(text, encoding="utf-8")
        found = [gap for gap in lab_check.gaps(Repository(tmp_path), name) if gap.about == "array"]
        assert [gap.message.split(":")[0] for gap in found] == wrong
        assert all(text.split("\n")[(gap.line or 0) - 1].startswith(change_to) for gap in found)


def test_mutants_without_a_translation_are_named(made: Callable[[str], Repository]) -> None:
    repository = made("vector")
    names = [bug.name for bug in planted_bugs.load(repository, NAME)]
    page = repository.root / "handouts" / f"{NAME}.de.md.j2"
    page.write_text(f'+++\n[mistakes]\n{names[0]} = "…"\n+++\n', encoding="utf-8")
    found = [gap for gap in lab_check.gaps(repository, NAME) if Path(gap.file).name == page.name]
    assert len(found) == 1 and not found[0].needed
    assert f"lacks {len(names) - 1} of {len(names)}" in found[0].message and names[1] in found[0].message


def test_a_page_may_ask_about_the_labs_own_mutants_only(made: Callable[[str], Repository]) -> None:
    repository = made("image")
    change(repository.solution(NAME) / "mutants.toml", r'"border-left-out"', '"another"')
    (gap,) = (gap for gap in needed(repository) if gap.about == "handout")
    assert "border-left-out" in gap.message
    page = repository.root / gap.file
    assert gap.line and "border-left-out" in page.read_text(encoding="utf-8").splitlines()[gap.line - 1]


def test_a_mistake_in_another_lab_is_that_labs(made: Callable[[str], Repository]) -> None:
    """Two people write two labs at a time: one half written stops nobody but its author."""
    repository = made("vector")
    other = repository.labs / "61-other"
    other.mkdir()
    (other / lab.FILE).write_text('title = "Half"\n', encoding="utf-8")
    assert needed(repository) == []
    change(repository.labs / NAME / lab.FILE, r"needs = \[\]", 'needs = ["61-other"]')
    with pytest.raises(InstructorError, match="61-other"):
        needed(repository)


def test_a_line_is_named_by_its_number(made: Callable[[str], Repository]) -> None:
    repository = made("vector")
    folder = repository.solution(NAME)
    change(folder / "kernel.cu", r"  //< solution", "  __threadfence();\n  //< solution")
    lines = (folder / "kernel.cu").read_text().splitlines()
    (gap,) = (gap for gap in needed(repository) if gap.about == "line")
    assert gap.line is not None and lines[gap.line - 1].strip() == "__threadfence();"
    assert gap.file == f"solutions/{NAME}/kernel.cu"


def test_the_command_prints_it_and_ends_with_its_exit_code(
    made: Callable[[str], Repository], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = made("image")
    monkeypatch.setenv("WARPGRADE_ROOT", str(repository.root))
    whole = CliRunner().invoke(main.cli, ["lab", "check", "mine"])
    assert whole.exit_code == 0 and f"{NAME}: nothing is missing, " in whole.output
    (repository.labs / NAME / "kernel.cu").unlink()
    lacking = CliRunner().invoke(main.cli, ["lab", "check", NAME])
    assert lacking.exit_code == 3
    assert f"missing  labs/{NAME}/kernel.cu: " in lacking.output
    data = json.loads(CliRunner().invoke(main.cli, ["lab", "check", NAME, "--json"]).output)
    assert data["lab"] == NAME and data["gaps"][0]["about"] == "skeleton"


@pytest.mark.parametrize("name", Repository(ROOT).lab_names())
def test_the_courses_own_labs_lack_nothing(name: str) -> None:
    assert [gap for gap in lab_check.gaps(Repository(ROOT), name) if gap.needed] == []


def test_questions_need_near_misses(made: Callable[[str], Repository]) -> None:
    repository = made("answers")
    change(repository.solution(NAME) / "questions.toml", r'  \{ name = "rounded-down".*?\n', "")
    (gap,) = needed(repository)
    assert gap.about == "near miss" and gap.file == f"solutions/{NAME}/questions.toml"
    assert f"{hints.FEWEST_NEAR_MISSES}" in gap.message and "near_miss" in gap.remedy


def test_a_question_without_a_value_stops(made: Callable[[str], Repository]) -> None:
    repository = made("answers")
    file = repository.solution(NAME) / "questions.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("ceil(n / threads)", "gcd(n, threads)"), encoding="utf-8")
    with pytest.raises(InstructorError, match="calls 'gcd'") as caught:
        lab_check.gaps(repository, NAME)
    assert caught.value.file == file and caught.value.line and "docs/questions.md" in caught.value.remedy
