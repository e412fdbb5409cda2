from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError
from warpgrade.solution import markers, skeletons

ROOT = Path(__file__).parents[4]
SOURCE = "int a;\n//> solution\nanswer();\n//< solution\n/*> stub\n// TODO(1): answer\n<*/\n"


def course(root: Path, text: str = SOURCE) -> Path:
    folder = root / "solutions" / "09-demo"
    folder.mkdir(parents=True)
    (folder / "kernel.cu").write_text(text)
    (folder / "mutants.toml").write_text("# not cut\n")
    return root


def test_a_skeleton_says_whose_it_is_and_where_it_comes_from(tmp_path: Path) -> None:
    (skeleton,) = skeletons.all_of(course(tmp_path))
    first, second, _, *rest = skeleton.text.splitlines()
    assert "yours" in first and "./warpgrade check 09-demo" in first
    assert "solutions/09-demo/kernel.cu" in second
    assert rest == ["int a;", "// TODO(1): answer"]


def test_stale_is_seen_then_written_then_fresh(tmp_path: Path) -> None:
    root = course(tmp_path)
    (before,) = skeletons.all_of(root)
    assert not before.fresh
    assert skeletons.write((before,)) == (before,)
    assert before.fresh
    assert skeletons.write(skeletons.all_of(root)) == ()
    (root / "labs/09-demo/kernel.cu").write_text("edited\n")
    assert not skeletons.all_of(root)[0].fresh


def test_check_names_the_stale_and_writes_nothing(tmp_path: Path) -> None:
    root = course(tmp_path)
    assert [skeleton.lab for skeleton, _ in skeletons.make(root, check=True)] == ["09-demo"]
    assert not (root / "labs").exists()
    assert len(skeletons.make(root, check=False)) == 1
    assert skeletons.make(root, check=True) == []


def test_what_was_filled_in_is_kept(tmp_path: Path) -> None:
    """Beside the new skeleton, and nothing is kept of the one before."""
    root = course(tmp_path)
    skeletons.make(root, check=False)
    file, source = root / "labs/09-demo/kernel.cu", root / "solutions/09-demo/kernel.cu"
    source.write_text(SOURCE.replace("int a", "int b"))
    ((_, copy),) = skeletons.make(root, check=False)
    assert copy is None and "int b;" in file.read_text()
    for number in (1, 2):
        file.write_text(f"// mine {number}\n")
        ((skeleton, copy),) = skeletons.make(root, check=False)
        assert skeleton.fresh and copy == file.with_name(f"kernel.cu.{number}")
        assert copy.read_text() == f"// mine {number}\n"


def test_a_bad_marker_is_named_below_the_root(tmp_path: Path) -> None:
    with pytest.raises(InstructorError) as caught:
        skeletons.all_of(course(tmp_path, "//> solution\n"))
    assert "solutions/09-demo/kernel.cu:1" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize("skeleton", skeletons.all_of(ROOT), ids=lambda skeleton: skeleton.lab)
def test_every_skeleton_of_the_course_is_fresh(skeleton: skeletons.Skeleton) -> None:
    assert skeleton.fresh, f"{skeleton.path.name} of {skeleton.lab} is stale: type `make skeletons`"


CUT = [each for each in skeletons.all_of(ROOT) if each.source.suffix != ".toml"]


@pytest.mark.parametrize("skeleton", CUT, ids=lambda skeleton: skeleton.lab)
def test_no_line_of_its_solution_is_left_in_a_skeleton(skeleton: skeletons.Skeleton) -> None:
    secret = set(markers.solution_lines(skeleton.source.read_text(), skeleton.source.name))
    assert secret
    long_lines = {line for line in secret if len(line) > 20}  # a barrier may be all that is missing
    assert long_lines.isdisjoint(line.strip() for line in skeleton.text.splitlines())
