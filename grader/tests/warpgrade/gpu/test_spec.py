"""GPUs as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from warpgrade.core.errors import InstructorError, UsageError
from warpgrade.core.paths import Repository
from warpgrade.gpu import spec

ROOT = Path(__file__).resolve().parents[4]


def test_h200() -> None:
    card = spec.load(Repository(ROOT), "h200")
    assert card.sm_count == 132 and card.architecture == "sm_90"
    assert card.clock_hz == pytest.approx(1.98e9)
    assert card.limits.block_registers == 65536


def test_tensor_cores_have_a_peak_of_their_own() -> None:
    card = spec.load(Repository(ROOT), "h200")
    assert card.peak_gflops_of(tensor_cores=True) == pytest.approx(16 * card.peak_gflops)
    old = spec.load(Repository(ROOT), "g80")
    assert old.peak_gflops_of(tensor_cores=True) == old.peak_gflops


@pytest.mark.parametrize("model", sorted(path.stem for path in (ROOT / "grader" / "gpus").glob("*.toml")))
def test_every_model_loads(model: str) -> None:
    if model == "compute_capability":
        with pytest.raises(UsageError):
            spec.load(Repository(ROOT), model)
    else:
        assert spec.load(Repository(ROOT), model).architecture.startswith("sm_")


def test_unknown_and_incomplete(repository: Repository) -> None:
    with pytest.raises(UsageError) as caught:
        spec.load(repository, "h900")
    assert "h200" in caught.value.remedy
    (repository.gpus / "bare.toml").write_text('name = "Bare"\n')
    with pytest.raises(InstructorError, match="lacks the key"):
        spec.load(repository, "bare")
    text = (repository.gpus / "h200.toml").read_text()
    (repository.gpus / "typo.toml").write_text(text.replace("sm_count", "sm_counts", 1))
    with pytest.raises(InstructorError, match=r"typo.toml:4: unknown key 'sm_counts'"):
        spec.load(repository, "typo")
