"""datasets/generate.cpp: the same bytes on every machine, as NumPy opens them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[4]
GENERATOR = ROOT / "build" / "datasets" / "generate"

INTEGERS = {"name": "integers", "m": 17, "n": 9, "k": 33, "values": "integers", "seed": str(2**64 - 1)}
ZERO_MEAN = {"name": "zero-mean", "m": 40, "n": 31, "k": 200, "values": "zero-mean", "seed": "7"}

# sha256 of whole files. They change only when every student's data set is meant to change.
DIGESTS = {
    "integers/A.npy": "804dbc7b092c8c86634b886b534cf709232a18f3d1b36710f792f579760b7f4e",
    "integers/B.npy": "b012e6f0f9aa6b35ac57b21e35b0428b966b478abb08ac3c0ae00576b6af1488",
    "integers/C.npy": "6b8a74bd0a02e82580fde50d07e66c195251a60db62e4acd8567f8eece157a46",
    "integers/bound.npy": "049f8ffe8e3ec6a98c93ce5321514f1b6eca886f67dd77a67c6a07bbdfab580a",
    "zero-mean/A.npy": "a2f1290f303f1f6c9c792903b23803a72139323a2458912299094bb5f87c1506",
    "zero-mean/B.npy": "da317effb9af3c947c4186395ab4d6b794336a44e42264a791cf8082bbbbedfe",
    "zero-mean/C.npy": "98f11397857031051c4d657d6b451baf7a9053f41bb6f44b475ba2921ba42d1b",
    "zero-mean/bound.npy": "ae26e94f563034a6cd2250edebc3055c2d4020bb2ca3e44912c9284017ed8887",
}


def generate(folder: Path, *cases: dict[str, Any], **environment: str) -> Path:
    wanted = folder / "wanted.json"
    wanted.write_text(json.dumps({"lab": "a-lab", "cases": cases}))
    done = run("--cases", str(wanted), "--out", str(folder / "out"), **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "out"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    libraries = ROOT / ".deps/debian/usr/lib/x86_64-linux-gnu"
    paths = f"{ROOT / 'build/emulator'}:{libraries}:{libraries / 'openblas-pthread'}"
    settings = os.environ | {"LD_LIBRARY_PATH": paths} | environment
    return subprocess.run([str(GENERATOR), *arguments], capture_output=True, text=True, env=settings)


def digests(out: Path) -> dict[str, str]:
    return {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in DIGESTS}


def test_bytes_are_what_they_always_were(tmp_path: Path) -> None:
    assert digests(generate(tmp_path, INTEGERS, ZERO_MEAN)) == DIGESTS


@pytest.mark.parametrize("kernel", ["Haswell", "Prescott", "Nehalem"])
def test_neither_processor_nor_cores_change_a_byte(tmp_path: Path, kernel: str) -> None:
    out = generate(tmp_path, INTEGERS, ZERO_MEAN, OPENBLAS_CORETYPE=kernel, OPENBLAS_NUM_THREADS="2")
    assert digests(out) == DIGESTS


def test_numpy_opens_the_matrices_and_finds_the_product(tmp_path: Path) -> None:
    out = generate(tmp_path, INTEGERS, ZERO_MEAN)
    for case in (INTEGERS, ZERO_MEAN):
        a, b, c, bound = (np.load(out / f"{case['name']}/{name}.npy") for name in ("A", "B", "C", "bound"))
        assert a.shape == (case["m"], case["k"]) and a.dtype == np.float32 and a.flags.c_contiguous
        assert b.shape == (case["k"], case["n"]) and b.dtype == np.float32
        assert c.shape == (case["m"], case["n"]) and c.dtype == np.float64
        assert np.array_equal(c, a.astype(np.float64) @ b.astype(np.float64))
        assert np.array_equal(bound, abs(a.astype(np.float64)) @ abs(b.astype(np.float64)))


def test_cases_are_listed_beside_the_data(tmp_path: Path) -> None:
    out = generate(tmp_path, INTEGERS)
    assert json.loads((out / "cases.json").read_text()) == {"lab": "a-lab", "cases": [INTEGERS]}


def test_bad_usage_and_bad_cases_are_refused_with_a_message(tmp_path: Path) -> None:
    assert "both --cases and --out are needed" in refused()
    assert "unknown option --case" in refused("--case", "x")
    assert "--out needs a value" in refused("--out")
    assert "none.json: the file is missing" in refused("--cases", str(tmp_path / "none.json"), "--out", "x")
    wanted = tmp_path / "wanted.json"
    wanted.write_text(json.dumps({"lab": "a-lab", "cases": [INTEGERS | {"m": 0}]}))
    assert "case 'integers' needs an integer m" in refused(
        "--cases", str(wanted), "--out", str(tmp_path / "out")
    )
    assert not (tmp_path / "out").exists()


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert done.returncode == 2
    return done.stderr
