"""The compiler is found, or the error says how to install it."""

from __future__ import annotations

import pytest

from support.fake_repository import write
from warpgrade.build import toolkit
from warpgrade.core.errors import GraderError
from warpgrade.core.paths import Repository


def test_find(repository: Repository) -> None:
    found = toolkit.find(repository)
    assert found.version == "13.0.88" and found.runtime is None
    write(repository.toolkit / "lib" / "libcudart.so.13", "")
    runtime = toolkit.find(repository).runtime
    assert runtime is not None and runtime.name == "lib"


def test_missing_or_broken(repository: Repository) -> None:
    write(repository.toolkit / "bin" / "nvcc", "#!/bin/sh\nexit 1\n")
    with pytest.raises(GraderError, match="does not print its version"):
        toolkit.find(repository)
    (repository.toolkit / "bin" / "ptxas").unlink()
    with pytest.raises(GraderError) as caught:
        toolkit.find(repository)
    assert "make" in caught.value.remedy
