"""The headers that a submission may include: its own, and those of folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


class HeaderTexts(Mapping[str, str]):
    """Texts of headers by name. A file of a folder is read when it is asked for."""

    def __init__(self, own: Mapping[str, str], folders: Sequence[Path]) -> None:
        self._own, self._folders = own, folders

    def __getitem__(self, name: str) -> str:
        if name in self._own:
            return self._own[name]
        for folder in self._folders:
            if (folder / name).is_file():  # not an editor's dangling link
                return (folder / name).read_text(encoding="utf-8", errors="replace")
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        there = (path.name for folder in self._folders for path in folder.iterdir() if path.is_file())
        return iter(dict.fromkeys((*self._own, *there)))

    def __len__(self) -> int:
        return sum(1 for _ in self)
