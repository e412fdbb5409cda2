"""A submission's own headers come first, then those of the folders."""

from __future__ import annotations

from pathlib import Path

from warpgrade.build.headers.texts import HeaderTexts


def test_files_are_there_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("int a;\n")
    (tmp_path / "c.h").write_text("int c;\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "b.h").symlink_to("nowhere")
    headers = HeaderTexts({"c.h": "int mine;\n"}, [tmp_path])
    assert dict(headers) == {"a.h": "int a;\n", "c.h": "int mine;\n"} and len(headers) == 2
    assert "a" * 300 not in headers
    assert "folder" not in headers and "b.h" not in headers and ".." not in headers
