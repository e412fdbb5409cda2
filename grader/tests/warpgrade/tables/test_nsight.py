"""The counters' names are written once in the grader, as the emulator has them."""

import re
from pathlib import Path

from warpgrade.tables import nsight

GRADER = Path(__file__).resolve().parents[3]
ROW = re.compile(r'^METRIC\((\w+),\s*"([^"]+)"', re.MULTILINE)
COUNTER = re.compile(r'"(?:l1tex|lts|sm|smsp|dram)__\w+\.\w+"')


def test_the_names_are_the_emulators() -> None:
    rows = ROW.findall(
        (GRADER / "emulator" / "machine" / "counters" / "metrics.def").read_text(encoding="utf-8")
    )
    names = {name: value for name, value in vars(nsight).items() if name.isupper()}
    assert rows and names == {name.upper(): value for name, value in rows}


def test_no_other_module_spells_a_counter() -> None:
    modules = set((GRADER / "warpgrade").rglob("*.py")) - {Path(nsight.__file__)}
    spelt = [path.name for path in modules if COUNTER.search(path.read_text(encoding="utf-8"))]
    assert len(modules) > 100 and not spelt
