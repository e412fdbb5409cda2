"""What can go wrong, by whose fault it is. Every message says where, and what to type next.

Exit codes (cli.py is the only place that turns an error into one):

    0  done: a class was graded, whatever the grades; `check`: the kernel is right
    1  `check`: the kernel is not right in every case
    2  bad usage: an option, a lab's or a file's name
    3  a mistake in the instructor's files: lab.toml, a solution, a handout
    4  a fault of ours or of this machine: some scores are withheld, none is zero because of it
    130  stopped by Ctrl-C; the same command goes on where it was
"""

from pathlib import Path
from typing import ClassVar

from .records import Fault, Problem


class WarpgradeError(Exception):
    """An error that a person can act on. `str()` gives `file:line: message`."""

    fault: ClassVar[Fault] = Fault.GRADER
    exit_code: ClassVar[int] = 4

    def __init__(
        self, message: str, *, file: Path | str | None = None, line: int | None = None, remedy: str = ""
    ) -> None:
        self.where = "" if file is None else f"{file}" if line is None else f"{file}:{line}"
        super().__init__(f"{self.where}: {message}" if self.where else message)
        self.message = message
        self.file = file
        self.line = line
        self.remedy = remedy

    def problem(self) -> Problem:
        """The same as a record, for the results."""
        return Problem(self.fault, self.message, self.where, self.remedy)


class UsageError(WarpgradeError):
    """The command line asks for something that is not there."""

    fault = Fault.COMMAND
    exit_code = 2


class SubmissionError(WarpgradeError):
    """What was handed in cannot be read as a submission."""

    fault = Fault.SUBMISSION
    exit_code = 1


class InstructorError(WarpgradeError):
    """A file of the course (lab.toml, a solution's markers, a handout) is wrong."""

    fault = Fault.INSTRUCTOR
    exit_code = 3


class GraderError(WarpgradeError):
    """A fault of ours or of the machine: a tool is missing or broke. Never a student's zero."""

    fault = Fault.GRADER
    exit_code = 4
