"""What can go wrong, by whose fault it is. Every message says where, and what to type next."""

from pathlib import Path


class WarpgradeError(Exception):
    """An error that a person can act on. `str()` gives `file:line: message`."""

    def __init__(
        self, message: str, *, file: Path | str | None = None, line: int | None = None, remedy: str = ""
    ) -> None:
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(place + message)
        self.message = message
        self.file = file
        self.line = line
        self.remedy = remedy


class InstructorError(WarpgradeError):
    """A file of the course (lab.toml, a solution's markers, a handout) is wrong."""
