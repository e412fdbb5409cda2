"""A harness with --mode make: the same bytes on every machine, as NumPy opens them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[4]
GENERATOR = ROOT / "build" / "harness" / "02-tiled"

INTEGERS = {"name": "integers", "parameters": {"m": 17, "n": 9, "k": 33}, "values": "integers",
            "seed": str(2**64 - 1)}  # fmt: skip
ZERO_MEAN = {"name": "zero-mean", "parameters": {"m": 40, "n": 31, "k": 200}, "values": "zero-mean",
             "seed": "7"}  # fmt: skip

# sha256 of whole files. They change only when every student's data set is meant to change.
DIGESTS = {
    "integers/A.npy": "804dbc7b092c8c86634b886b534cf709232a18f3d1b36710f792f579760b7f4e",
    "integers/B.npy": "b012e6f0f9aa6b35ac57b21e35b0428b966b478abb08ac3c0ae00576b6af1488",
    "integers/C.npy": "6b8a74bd0a02e82580fde50d07e66c195251a60db62e4acd8567f8eece157a46",
    "zero-mean/A.npy": "a2f1290f303f1f6c9c792903b23803a72139323a2458912299094bb5f87c1506",
    "zero-mean/B.npy": "da317effb9af3c947c4186395ab4d6b794336a44e42264a791cf8082bbbbedfe",
    "zero-mean/C.npy": "98f11397857031051c4d657d6b451baf7a9053f41bb6f44b475ba2921ba42d1b",
    "zero-mean/C.tolerance.npy": "cb3db5d04ef0c92d60d090aa25d5d3a422376bce24b3160529f3f09e5955fccd",
}


def generate(folder: Path, *cases: dict[str, Any]) -> Path:
    wanted = folder / "wanted.json"
    wanted.write_text(json.dumps({"lab": "a-lab", "cases": cases}))
    done = run("--cases", str(wanted), "--out", str(folder / "out"))
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "out"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    settings = os.environ | {"LD_LIBRARY_PATH": str(ROOT / "build/emulator")}
    return subprocess.run(
        [str(GENERATOR), "--mode", "make", *arguments], capture_output=True, text=True, env=settings
    )


def digests(out: Path) -> dict[str, str]:
    return {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in DIGESTS}


def test_bytes_are_what_they_always_were(tmp_path: Path) -> None:
    assert digests(generate(tmp_path, INTEGERS, ZERO_MEAN)) == DIGESTS


def test_numpy_opens_the_matrices_and_finds_the_product(tmp_path: Path) -> None:
    out = generate(tmp_path, INTEGERS, ZERO_MEAN)
    for case in (INTEGERS, ZERO_MEAN):
        m, n, k = case["parameters"].values()
        a, b, c = (np.load(out / f"{case['name']}/{name}.npy") for name in "ABC")
        assert a.shape == (m, k) and a.dtype == np.float32 and a.flags.c_contiguous
        assert b.shape == (k, n) and b.dtype == np.float32
        assert c.shape == (m, n) and c.dtype == np.float64
        assert np.array_equal(c, a.astype(np.float64) @ b.astype(np.float64))
        tolerance = out / f"{case['name']}/C.tolerance.npy"
        if case is INTEGERS:
            assert not tolerance.exists(), "every element must be exact"
        else:
            bound = abs(a.astype(np.float64)) @ abs(b.astype(np.float64))
            assert np.array_equal(np.load(tolerance), 2.0**-19 * bound)


def test_cases_are_listed_beside_the_data(tmp_path: Path) -> None:
    out = generate(tmp_path, INTEGERS)
    arrays = [
        {"name": "A", "type": "float", "shape": [17, 33], "role": "input"},
        {"name": "B", "type": "float", "shape": [33, 9], "role": "input"},
        {"name": "C", "type": "float", "shape": [17, 9], "role": "output"},
    ]
    listed = {"lab": "a-lab", "cases": [INTEGERS | {"arrays": arrays}]}
    assert json.loads((out / "cases.json").read_text()) == listed


def test_bad_usage_and_bad_cases_are_refused_with_a_message(tmp_path: Path) -> None:
    assert "--cases FILE.json, needed for --mode make, is missing" in refused()
    assert "unknown option --case" in refused("--case", "x")
    assert "--out needs a value" in refused("--out")
    assert "none.json: the file is missing" in refused("--cases", str(tmp_path / "none.json"), "--out", "x")
    wanted = tmp_path / "wanted.json"
    wanted.write_text(
        json.dumps({"lab": "a-lab", "cases": [INTEGERS | {"parameters": {"m": 0, "n": 1, "k": 1}}]})
    )
    assert "'A' has an extent of 0" in refused("--cases", str(wanted), "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert done.returncode == 2
    return done.stderr
