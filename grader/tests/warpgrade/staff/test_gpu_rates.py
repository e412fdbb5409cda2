"""Rates of a GPU for its data sheet, from what the microbenchmarks wrote on an H200."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from warpgrade.core.errors import GraderError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec
from warpgrade.gpu.devices import Device
from warpgrade.staff import gpu_rates

REPOSITORY = Repository(Path(__file__).resolve().parents[4])
H200 = spec.load(REPOSITORY, "h200")
RATES = gpu_rates.read(
    (REPOSITORY.root / "grader/tests/fixtures/gpu/h200-rates.jsonl").read_text(encoding="utf-8")
)
SHEET = (REPOSITORY.gpus / "h200.toml").read_text(encoding="utf-8")


def test_the_rates_of_an_h200_give_what_its_data_sheet_says() -> None:
    sheet = tomllib.loads(SHEET)
    sheet |= sheet["fitted"]
    found = gpu_rates.constants(RATES, H200)
    assert len(found) >= 8
    for name, value in found.items():
        assert value == pytest.approx(sheet[name], rel=0.2), name


def test_the_rate_of_tensor_cores_is_measured_where_there_is_one() -> None:
    assert "mma_lanes" not in gpu_rates.constants(RATES, H200)
    rates = {**RATES, ("mma", 0): 1.56}  # cycles of an SM for a product of 16 by 8 by 16
    assert gpu_rates.constants(rates, H200)["mma_lanes"] == pytest.approx(1313, abs=1)
    assert tomllib.loads(gpu_rates.with_constants(SHEET, {"mma_lanes": 1300}))["mma_lanes"] == 1300


def test_a_data_sheet_keeps_all_but_the_values_that_were_measured() -> None:
    changed = gpu_rates.with_constants(SHEET, {"l2_latency": 300, "block_start": 650.0, "unknown": 1})
    assert tomllib.loads(changed)["l2_latency"] == 300
    assert tomllib.loads(changed)["fitted"]["block_start"] == 650
    assert tomllib.loads(changed)["memory_latency"] == tomllib.loads(SHEET)["memory_latency"]
    assert changed.count("\n") == SHEET.count("\n") and changed.count("#") == SHEET.count("#")


def test_rates_that_are_damaged_are_refused() -> None:
    with pytest.raises(UsageError, match="microbenchmarks"):
        gpu_rates.read('{"name": 1')
    with pytest.raises(UsageError, match="'clock'"):
        gpu_rates.constants({}, H200)


def test_a_gpu_of_another_model_is_not_measured_for_this_data_sheet() -> None:
    other, same = Device(0, 0, "GPU-1", "NVIDIA H100 80GB HBM3"), Device(1, 1, "GPU-2", "NVIDIA H200")
    assert gpu_rates.of_model(H200, [other, same]) == same
    assert gpu_rates.of_model(H200, [Device(0, 0)]) is None  # the driver does not say
    with pytest.raises(GraderError, match="NVIDIA H200, and this machine has NVIDIA H100") as caught:
        gpu_rates.of_model(H200, [other])
    assert "CONTRIBUTING.md" in caught.value.remedy


def test_what_was_measured_can_be_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WARPGRADE_OUTPUT", str(tmp_path))
    path = gpu_rates.keep(REPOSITORY, H200, '{"name": "mma", "at": 0, "value": 1.5}\n')
    assert path == tmp_path / "rates" / "h200.jsonl"
    assert gpu_rates.read(path.read_text(encoding="utf-8")) == {("mma", 0): 1.5}
