from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from support.pages.figure_tables import rows
from warpgrade.core import messages
from warpgrade.core.errors import InstructorError
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.spec import file_name
from warpgrade.handouts.figures import roofline_chart

ROOT = Path(__file__).resolve().parents[5]
WORDS = messages.load(ROOT, "en")
STEPS = (("01-basic", 1.0), ("02-tiled", 16.0), ("03-tiled-bounded", 16.0), ("04-register-tiled", 128.0))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    shutil.copytree(ROOT / "grader" / "gpus", tmp_path / "grader" / "gpus")
    return Repository(tmp_path)


def timed(repository: Repository, text: str | None = None) -> None:
    gpu = spec.load(repository, "h200")
    folder = repository.root / "datasets" / "reference-timings"
    folder.mkdir(parents=True)
    rows = [
        {"lab": "02-tiled", "size": [1024, 1024, 1024], "milliseconds": 0.3, "gflops": 7000.0},
        {"lab": "02-tiled", "size": [2048, 2048, 2048], "milliseconds": 2.1, "gflops": 8000.0},
    ]
    data = {"conditions": {"gpu": gpu.name}, "timings": rows}
    (folder / file_name(gpu.name)).write_text(text or json.dumps(data))


@pytest.mark.parametrize("chart", [roofline_chart.roofline, roofline_chart.ladder])
def test_a_caption_names_the_sizes_of_the_labs_that_it_shows(repository: Repository, chart) -> None:  # type: ignore[no-untyped-def]
    timed(repository)
    figure = chart(WORDS, repository, model="h200", steps=STEPS[:1], id="c")
    assert "2048" not in figure and "None of them has been timed on" in figure


@pytest.mark.parametrize("chart", [roofline_chart.roofline, roofline_chart.ladder])
@pytest.mark.parametrize("measured", [True, False])
def test_a_chart_is_well_formed_and_keeps_inside(repository: Repository, chart, measured: bool) -> None:  # type: ignore[no-untyped-def]
    if measured:
        timed(repository)
    figure = chart(WORDS, repository, model="h200", steps=STEPS, id="c")
    svg = ElementTree.fromstring(figure).find(".//svg")
    assert svg is not None and svg.findtext("title") and svg.findtext("desc")
    width, height = float(svg.get("width", "0")), float(svg.get("height", "0"))
    for circle in svg.iter("circle"):
        assert 0 < float(circle.get("cx", "-1")) < width and 0 < float(circle.get("cy", "-1")) < height
    for rectangle in svg.iter("rect"):
        assert float(rectangle.get("x", "0")) + float(rectangle.get("width", "0")) <= width
    assert ("None of them has been timed on" in figure) is not measured
    assert len(rows(figure)) == 4


def test_limits_are_the_smaller_of_memory_and_arithmetic(repository: Repository) -> None:
    gpu = spec.load(repository, "g80")
    found = rows(roofline_chart.roofline(WORDS, repository, model="g80", steps=STEPS, id="c"))
    assert found[0] == ["01-basic", "0.25", "22", "–"]  # 21.6: 86.4 GB/s, four bytes for an operation
    assert found[1][2] == "346"  # 345.6: both limits meet
    assert gpu.memory_bytes_per_second == 86.4e9


def test_the_fastest_measured_size_counts(repository: Repository) -> None:
    timed(repository)
    found = roofline_chart.measured(repository, spec.load(repository, "h200"))
    assert found["02-tiled"].gflops == 8000.0 and list(found) == ["02-tiled"]
    ladder = roofline_chart.ladder(WORDS, repository, model="h200", steps=STEPS, id="c")
    assert rows(ladder)[1] == ["02-tiled", "19,200", "8,000", "12"]
    assert rows(ladder)[0][2] == "–"
    assert "2048 × 2048 × 2048" in ladder


def test_a_broken_file_is_named(repository: Repository) -> None:
    timed(repository, '{"timings": [{}]}')
    with pytest.raises(InstructorError) as caught:
        roofline_chart.ladder(WORDS, repository, model="h200", steps=STEPS, id="c")
    assert "calibrate" in caught.value.remedy


def test_kernels_stand_below_the_roof_of_l2(repository: Repository) -> None:
    kernels = (("slow", 0.25, 400.0), ("fast", 16.0, 20_000.0))
    figure = roofline_chart.reached(WORDS, repository, model="h200", kernels=kernels, id="c")
    gpu = spec.load(repository, "h200")
    limits = (WORDS.count(0.25 * gpu.l2_gigabytes_per_second), WORDS.count(gpu.peak_gflops))
    assert [row[2] for row in rows(figure)] == list(limits)
    assert [row[0] for row in rows(figure)] == ["slow", "fast"]
    svg = ElementTree.fromstring(figure).find(".//svg")
    assert svg is not None and len(list(svg.iter("circle"))) == 2
    assert [text.text for text in svg.iter("text") if text.text in ("slow", "fast")] == ["slow", "fast"]
