"""The headers that a submission may include: its own, and those of folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

# Bytes of a file's name (NAME_MAX of limits.h). For a longer one is_file() raises OSError.
_LONGEST_NAME = 255


class HeaderTexts(Mapping[str, str]):
    """Texts of headers by name. A file of a folder is read when it is asked for."""

    def __init__(self, own: Mapping[str, str], folders: Sequence[Path]) -> None:
        self._own, self._folders = own, folders

    def __getitem__(self, name: str) -> str:
        if name in self._own:
            return self._own[name]
        if (place := self._place(name)) is None:
            raise KeyError(name)
        return place.read_text(encoding="utf-8", errors="replace")

    def __contains__(self, name: object) -> bool:
        return name in self._own or (isinstance(name, str) and self._place(name) is not None)

    def _place(self, name: str) -> Path | None:
        """The first file of that name in the folders. An editor's dangling link does not count."""
        if len(name.encode()) > _LONGEST_NAME:
            return None
        return next((folder / name for folder in self._folders if (folder / name).is_file()), None)

    def __iter__(self) -> Iterator[str]:
        there = (path.name for folder in self._folders for path in folder.iterdir() if path.is_file())
        return iter(dict.fromkeys((*self._own, *there)))

    def __len__(self) -> int:
        return sum(1 for _ in self)
