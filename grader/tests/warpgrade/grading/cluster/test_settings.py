"""cluster.toml and the command line: what a task may take, and where a mistake is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.fake_repository import write
from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.grading.cluster import settings

DOCS = Path(__file__).resolve().parents[5] / "docs"


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    found = settings.load(None, tmp_path / "cluster.toml", {})
    assert found == settings.ClusterSettings() and found.time is None
    assert settings.with_gpu(found).time == settings.TaskSettings(gres="gpu:1")


def test_the_gpu_stage_is_like_the_other_where_it_says_nothing(tmp_path: Path) -> None:
    text = 'account = "cs1"\nchunk = 9\n[gpu]\npartition = "gpu"\nminutes = 20\n'
    file = write(tmp_path / "cluster.toml", text)
    found = settings.load(None, file, {"constraint": "h200", "account": "", "options": ("--qos=low",)})
    assert found.emulate.words() == [
        "--account=cs1", "--constraint=h200", "--time=60", "--cpus-per-task=2", "--qos=low",
    ]  # fmt: skip
    assert found.time is not None and found.time.chunk == 0
    assert found.time.words() == [
        "--partition=gpu", "--account=cs1", "--constraint=h200", "--gres=gpu:1", "--time=20",
        "--cpus-per-task=2", "--qos=low",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('partition = "a"\nnodes = 3\n', 2),
        ('\n[gpu]\ncpus = "two"\n', 3),
        ("minutes = 0\n", 1),
        ('options = ["qos=low"]\n', 1),
        ('partition = "-w n1"\n', 1),
    ],
)
def test_a_mistake_has_a_line_and_a_remedy(tmp_path: Path, text: str, line: int) -> None:
    file = write(tmp_path / "cluster.toml", text)
    with pytest.raises(InstructorError) as caught:
        settings.load(None, file, {})
    assert (caught.value.file, caught.value.line) == (file, line) and caught.value.remedy


def test_a_file_that_is_named_and_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is missing"):
        settings.load(tmp_path / "mine.toml", tmp_path / "cluster.toml", {})


def test_the_example_of_the_page_has_every_key(tmp_path: Path) -> None:
    text = (DOCS / "cluster.md").read_text(encoding="utf-8")
    example = next(block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[gpu]" in block)
    found = settings.load(None, write(tmp_path / "cluster.toml", example), {})
    assert found.time is not None
    assert set(settings.toml.load(tmp_path / "cluster.toml", settings._SCHEMA).data) == set(
        settings.toml.json.loads(settings._SCHEMA.read_text())["properties"]
    )
