"""Formulas call the functions that the handouts' numbers come from."""

from __future__ import annotations

import pytest

from warpgrade.answers import formulas
from warpgrade.answers.formulas import FormulaError
from warpgrade.core.paths import here
from warpgrade.course import arithmetic
from warpgrade.gpu.occupancy import limits_of, theoretical


def test_a_call_gives_what_the_function_gives() -> None:
    call = {"call": "compare_and_swap", "of": {"old": "a", "compare": "a", "value": "a + 1"}, "part": 1}
    assert formulas.value(call, {"a": 3}, None, "") == arithmetic.compare_and_swap(3, 3, 4)[1]
    limits = limits_of(here().gpus, "9.0")
    call = {
        "call": "theoretical",
        "of": {"threads": "256", "registers": "40", "shared_bytes": "0"},
        "part": "blocks",
    }
    assert formulas.value(call, {}, limits, "9.0") == theoretical(limits, "9.0", 256, 40, 0).blocks


def test_a_result_that_is_no_number_needs_a_part() -> None:
    with pytest.raises(FormulaError, match="with the key 'part'"):
        formulas.value({"call": "tile_traffic", "of": {"tile": "16"}}, {}, None, "")
    with pytest.raises(FormulaError, match="not public"):
        formulas.value({"call": "tile_traffic", "of": {"tile": "16"}, "part": "__class__"}, {}, None, "")
