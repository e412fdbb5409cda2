"""For a shared variable that many threads update, the advice is an atomic, not a barrier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from warpgrade.judge.causes.races import lost_update, shared_variable
from warpgrade.records import Finding, Memory, Place

WRITE = Place("kernel.cu", 2, thread=(225, 0, 0), access="write")
READ = replace(WRITE, thread=(227, 0, 0), access="read")
MEMORY = Memory("shared", "0x0", 4, "shared array n", 4, 0, "inside")
RACE = Finding(
    "c", "race", "race-read-write", "WG112", "error", "m", WRITE, other=READ, memory=MEMORY, help="own"
)


def advised(line: str, race: Finding = RACE) -> Finding:
    return shared_variable.advised(race, f"__shared__ int n;\n{line}\n")


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("if (x[i] % 2) n++;", "n"),
        ("++n;", "n"),
        ("n += x[i];", "n"),
        ("n = n + 1;", "n"),
        ("n[0] = n[0] + 1;", "n[0]"),
        ("n = x[i] + n;", "n"),
        ("n = n + (x[i] > 5);", "n"),
        ("n = n + max(x[i], 0);", "n"),
        ("n = n + (x[i] >> 1);", "n"),
        ("n = n << 1;", "n"),
    ],
)
def test_an_update_of_a_variable(line: str, place: str) -> None:
    found = advised(line)
    assert found.cause == lost_update.CAUSE and f"atomicAdd(&{place}, …)" in found.help
    writes = replace(RACE, kind="race-write-write", other=replace(READ, access="write"))
    assert advised(line, writes).help == found.help


@pytest.mark.parametrize(
    "lines",
    [
        "if (x[i] > n) n = x[i];",
        "if (i < k) if (n < x[i]) { n = x[i]; }",
        "if (t == 0) n = 0; __syncthreads(); if (i < k && x[i]>n) n = x[i]; __syncthreads(); y[0] = n;",
        "n = max(n, x[i]);",
        "n = fmaxf(f(x[i]), n);",
        "n = n < x[i] ? x[i] : n;",
    ],
)
def test_an_extreme(lines: str) -> None:
    found = advised(lines)
    assert found.cause == shared_variable.EXTREME and "atomicMax(&n, …)" in found.help


def test_an_extreme_in_two_lines() -> None:
    read_above = replace(RACE, place=replace(WRITE, line=3))
    assert advised("if (x[i] > n)\n  n = x[i];", read_above).cause == shared_variable.EXTREME
    assert advised("if (x[i] > k)\n  n = x[i];", read_above) == read_above


@pytest.mark.parametrize(
    "line",
    [
        "n[t] += n[t + d];",
        "if (t == 0) n++; y[t] = n;",  # the other thread only reads
        "n = x[i]; y[i] = n;",
        "if (t > 0) n = x[i];",
        "if (n < LIMIT) n = x[i];",
        "p.n++; q->n += 2; in += 1; m[n]++;",
    ],
)
def test_other_races(line: str) -> None:
    assert advised(line) == RACE


def test_findings_that_have_another_cause_or_space() -> None:
    for other in (replace(RACE, cause="lost-update"), replace(RACE, memory=replace(MEMORY, space="global"))):
        assert advised("n++;", other) == other
