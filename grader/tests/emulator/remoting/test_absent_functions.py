"""The front end of program labs has every function of the runtime; those that it does not send say so."""

from __future__ import annotations

import subprocess
import sys

import pytest

from warpgrade.core.paths import here

LIBRARY = here().root / "build" / "frontend" / "libcudart.so.13"
NOT_SUPPORTED = 801  # cudaErrorNotSupported

pytestmark = pytest.mark.skipif(not LIBRARY.exists(), reason="needs the front end: make tools")


def test_a_function_that_is_not_sent_answers_that_it_is_not_supported() -> None:
    call = f"import ctypes; print(ctypes.CDLL({str(LIBRARY)!r}).cudaGraphDebugDotPrint())"
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=60)
    assert int(done.stdout) == NOT_SUPPORTED
    assert "cudaGraphDebugDotPrint" in done.stderr


def test_a_function_of_its_own_is_not_replaced() -> None:
    call = f"import ctypes; print(ctypes.CDLL({str(LIBRARY)!r}).cudaProfilerStart())"
    done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=60)
    assert (int(done.stdout), done.stderr) == (0, "")
