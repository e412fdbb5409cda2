"""submission_metadata.yml: the lines that count, whatever stands around them."""

from __future__ import annotations

import pytest

from warpgrade.submission import gradescope_metadata


def test_people_and_stamp() -> None:
    text = (
        "---\nsubmission_7:\n  :submitters:\n  - :name: O'Brien, Pat\n    :sid:\n"
        "  - :name: 'It''s'\n    :email: a@b\n  :created_at: 2026-11-02 08:30:05 Z\n  :score:\n"
    )
    (row,) = gradescope_metadata.read(text)
    assert row.folder == "submission_7" and row.created_at == "2026-11-02 08:30:05 Z"
    assert row.submitters == (
        gradescope_metadata.Submitter("O'Brien, Pat"),
        gradescope_metadata.Submitter("It's", "", "a@b"),
    )


def test_deeper_lines_are_not_taken() -> None:
    text = (
        "submission_7:\n  :history:\n  - :name: old\n    :submitters:\n    - :name: nobody\n"
        "  :results:\n    output: |\n      :submitters:\n      - :name: forged\n"
        "  :submitters:\n  - :name: Ann\n"
    )
    (row,) = gradescope_metadata.read(text)
    assert row.submitters == (gradescope_metadata.Submitter("Ann"),)


@pytest.mark.parametrize("text", ["", "---\n", "a: b\n", "\0\0", "- x\n- y\n"])
def test_what_is_no_export_names_nobody(text: str) -> None:
    assert gradescope_metadata.read(text) == ()


def test_values_stay_as_they_are_written() -> None:
    text = (
        "submission_1:\n  :submitters:\n  - :name: !ruby/object:Person Ann\n    :sid: 007\n    :email: ~\n"
        '  - :name: "Jos\\xE9"\n    :sid: "1e3"\n  :created_at: 2026-11-20 10:00:00.123456000 Z\n'
    )
    (row,) = gradescope_metadata.read(text)
    assert row.submitters == (
        gradescope_metadata.Submitter("Ann", "007"),
        gradescope_metadata.Submitter("José", "1e3"),
    )
    assert row.created_at == "2026-11-20 10:00:00.123456000 Z"


@pytest.mark.parametrize("text", ["a: [" * 100_000, "a: &a [*a, *a]\n", "a: !!python/object:os.system x\n"])
def test_a_hostile_file_names_nobody(text: str) -> None:
    assert gradescope_metadata.read(text) == ()


def test_a_huge_file_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradescope_metadata, "MOST_CHARACTERS", 10)
    assert gradescope_metadata.read("submission_7:\n  :submitters: []\n") == ()
