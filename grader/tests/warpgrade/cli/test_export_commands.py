"""What `warpgrade export` says of a sheet that lacks people."""

from __future__ import annotations

from warpgrade.cli import export_commands


def test_a_long_list_of_names_is_cut() -> None:
    assert export_commands._some(["ann", "bob"]) == "ann, bob"
    assert export_commands._some([f"s{i}" for i in range(300)]).endswith("s19 and 280 more")
