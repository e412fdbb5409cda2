"""Which backend --sandbox gives: the strongest that works, and none by itself for other people's code."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from warpgrade.core.errors import GraderError, SandboxError
from warpgrade.sandbox import choice, process

Working = Callable[..., None]


@pytest.fixture
def working(monkeypatch: pytest.MonkeyPatch) -> Working:
    """Makes only these backends work."""

    monkeypatch.setattr(process, "need_launcher", lambda: None)

    def only(*kinds: str) -> None:
        def why(kind: str) -> str | None:
            return None if kind in (*kinds, "none") else f"no {kind} here"

        monkeypatch.setattr(process, "why_unavailable", why)

    return only


@pytest.mark.parametrize(
    ("kinds", "taken"),
    [
        (("bwrap", "landlock", "seccomp"), "bwrap"),
        (("landlock", "seccomp"), "landlock"),
        (("bwrap",), "bwrap"),
    ],
)
def test_auto_takes_the_strongest(working: Working, kinds: tuple[str, ...], taken: str) -> None:
    working(*kinds)
    assert choice.chosen("auto") == taken
    assert choice.for_trusted_code("auto") == (taken, "")


@pytest.mark.parametrize("kinds", [(), ("seccomp",)])
def test_auto_takes_nothing_that_shows_files(working: Working, kinds: tuple[str, ...]) -> None:
    """Other people's code then needs a name said by hand; the message has each backend's reason."""
    working(*kinds)
    with pytest.raises(SandboxError, match=r"no bwrap here.*no landlock here") as caught:
        choice.chosen("auto")
    assert "--sandbox=none" in caught.value.remedy
    assert choice.chosen("none") == "none"


def test_a_name_is_taken_at_its_word(working: Working) -> None:
    working("landlock", "seccomp")
    assert choice.chosen("seccomp") == "seccomp"
    with pytest.raises(SandboxError, match="no bwrap here"):
        choice.chosen("bwrap")


def test_trusted_code_runs_in_any_case(working: Working) -> None:
    working("seccomp")
    assert choice.for_trusted_code("auto") == ("seccomp", "the sandbox cannot start: bwrap: no bwrap here; "
                                               "landlock: no landlock here")  # fmt: skip
    working()
    kind, trouble = choice.for_trusted_code("auto")
    assert kind == "none" and "no landlock here" in trouble
    assert "without a sandbox" in choice.instead(kind, trouble)


def test_a_backend_that_was_named_is_not_replaced_for_trusted_code_either(working: Working) -> None:
    working("seccomp")
    with pytest.raises(SandboxError, match="no bwrap here"):
        choice.for_trusted_code("bwrap")
    assert choice.for_trusted_code("none") == ("none", "")


def test_a_damaged_launcher_is_repaired_and_no_reason_to_run_without_a_sandbox(
    working: Working, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged() -> None:
        raise GraderError("does not start", remedy="type `make clean tools`")

    working()
    monkeypatch.setattr(process, "need_launcher", damaged)
    with pytest.raises(GraderError, match="does not start"):
        choice.for_trusted_code("auto")
