"""Paths in a box and outside."""

from __future__ import annotations

from pathlib import Path

from warpgrade.sandbox.box import Box, Mount, boxed_paths, real_paths


def test_real_paths_become_those_of_the_box_again(tmp_path: Path) -> None:
    work, headers = tmp_path / "work", tmp_path / "headers"
    box = Box(work, (Mount(headers, "/course/common"),))
    assert real_paths("/box/kernel.cu", box) == f"{work}/kernel.cu"
    text = f'.file 1 "{work}/kernel.cu"\n.file 2 "{headers}/lab.cuh"\n.file 3 "/usr/include/math.h"\n'
    assert boxed_paths(text, box) == (
        '.file 1 "/box/kernel.cu"\n.file 2 "/course/common/lab.cuh"\n.file 3 "/usr/include/math.h"\n'
    )
