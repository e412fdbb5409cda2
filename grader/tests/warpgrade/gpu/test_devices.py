"""Which GPUs there are and who has which, with an imitated /proc and /dev."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from warpgrade.core.errors import GraderError, UsageError
from warpgrade.gpu import devices
from warpgrade.gpu.devices import BrokenDevice, Device, DevicePool


def machine(root: Path, *minors: int, listed: bool = True) -> Path:
    """Cards in the order of their bus, with these minor numbers."""
    (root / "dev/nvidia-caps").mkdir(parents=True)
    for name in ("nvidiactl", "nvidia-uvm", *(f"nvidia{minor}" for minor in minors)):
        (root / "dev" / name).touch()
    for number, minor in enumerate(minors if listed else ()):
        folder = root / f"proc/driver/nvidia/gpus/0000:0{number}:00.0"
        folder.mkdir(parents=True)
        text = (
            f"Model: \t\t NVIDIA H200\nIRQ:   \t\t 0\nGPU UUID: \t GPU-{minor}abc\nDevice Minor: \t {minor}\n"
        )
        (folder / "information").write_text(text)
    return root


def test_the_driver_lists_the_gpus(tmp_path: Path) -> None:
    found = devices.find(machine(tmp_path, 1, 0), {})
    assert found == (Device(0, 1, "GPU-1abc", "NVIDIA H200"), Device(1, 0, "GPU-0abc", "NVIDIA H200"))


def test_without_the_drivers_word_nodes_are_cards(tmp_path: Path) -> None:
    assert devices.find(machine(tmp_path, 0, 3, listed=False), {}) == (Device(0, 0), Device(3, 3))
    assert devices.find(tmp_path / "nothing", {}) == ()


@pytest.mark.parametrize(("visible", "numbers"), [("1", [1]), ("GPU-0", [0]), ("0,1", [0, 1]), ("", [])])
def test_a_batch_system_bounds_what_we_take(tmp_path: Path, visible: str, numbers: list[int]) -> None:
    found = devices.find(machine(tmp_path, 0, 1), {"CUDA_VISIBLE_DEVICES": visible})
    assert [card.number for card in found] == numbers


def test_one_card_is_chosen_by_its_number(tmp_path: Path) -> None:
    found = devices.find(machine(tmp_path, 0, 1), {})
    assert devices.chosen(found, "1") == found[1:]
    assert devices.chosen(found, "auto") == found
    with pytest.raises(UsageError, match="no GPU 2"):
        devices.chosen(found, "2")
    with pytest.raises(UsageError) as caught:
        devices.chosen((), "0")
    assert "leave --device out" in caught.value.remedy


def test_a_box_shows_the_cards_own_node_and_the_shared_ones(tmp_path: Path) -> None:
    first, second = devices.find(machine(tmp_path, 0, 1), {})
    shared = {"nvidia-caps", "nvidia-uvm", "nvidiactl"}
    assert {path.name for path in devices.nodes(second, tmp_path)} == shared | {"nvidia1"}
    assert {path.name for path in devices.nodes(None, tmp_path)} == shared | {"nvidia0", "nvidia1"}
    assert devices.environment(first)["CUDA_VISIBLE_DEVICES"] == "GPU-0abc"


def test_two_cards_serve_two_at_a_time_and_no_card_serves_two() -> None:
    pool = DevicePool((Device(0, 0), Device(1, 1)))
    both = threading.Barrier(2, timeout=30)
    busy: set[Device | None] = set()

    def work(turn: int) -> Device | None:
        with pool.one() as card:
            assert card not in busy
            busy.add(card)
            if turn < 2:
                both.wait()  # ends only if two are served at the same time
            busy.remove(card)
            return card

    with ThreadPoolExecutor(6) as threads:
        served = list(threads.map(work, range(12)))
    assert set(served) == {Device(0, 0), Device(1, 1)}


def test_a_card_serves_as_many_at_a_time_as_it_has_shares() -> None:
    pool = DevicePool((Device(0, 0), Device(1, 1)), shares=2)
    four = threading.Barrier(4, timeout=30)

    def work(_turn: int) -> Device | None:
        with pool.one() as card:
            four.wait()  # ends only if four are served at the same time
            return card

    with ThreadPoolExecutor(4) as threads:
        served = list(threads.map(work, range(4)))
    assert sorted(card.number for card in served if card) == [0, 0, 1, 1]


def test_a_card_that_breaks_under_one_job_is_given_to_no_further_one() -> None:
    pool = DevicePool((Device(0, 0),), shares=2)
    with pool.one():
        with pytest.raises(BrokenDevice), pool.one():
            raise BrokenDevice("gone")
        with pytest.raises(GraderError, match="no GPU is left"), pool.one():
            pass
    with pytest.raises(GraderError, match="no GPU is left"), pool.one():
        pass


def test_a_broken_card_is_not_used_again() -> None:
    pool = DevicePool((Device(0, 0), Device(1, 1)))
    for _ in range(2):
        with pytest.raises(BrokenDevice), pool.one():
            raise BrokenDevice("gone")
    with pytest.raises(GraderError, match="no GPU is left"), pool.one():
        pass


def test_other_errors_give_the_card_back() -> None:
    pool = DevicePool((Device(0, 0),))
    for _ in range(3):
        with pytest.raises(ValueError, match="mine"), pool.one() as card:
            assert card == Device(0, 0)
            raise ValueError("mine")


def test_a_card_is_present_by_its_node_or_by_that_of_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert not devices.present(tmp_path / "none")
    assert devices.present(machine(tmp_path / "card", 0))
    (tmp_path / "windows/dev").mkdir(parents=True)
    (tmp_path / "windows/dev/dxg").touch()
    assert devices.present(tmp_path / "windows")
