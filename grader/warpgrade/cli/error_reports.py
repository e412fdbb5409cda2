"""Turns every error into a message and an exit code. No other module does."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click

from ..core.errors import ExitCode, GraderError, Stopped, WarpgradeError
from ..core.paths import here
from .console import MOST, aside, width

EXIT_CODES = "Exit codes:\n\n\b\n" + "\n".join(f"{code}  {code.meaning}" for code in ExitCode)


@contextmanager
def reported(is_resumable: Callable[[], bool]) -> Iterator[None]:
    """Run a command. An error ends the program with a message instead of a traceback."""
    try:
        yield
    except WarpgradeError as error:
        _end(error)
    except (KeyboardInterrupt, Stopped):
        message = "stopped; the same command continues where it was" if is_resumable() else "stopped"
        aside().print(f"\n{message}" if sys.stderr.isatty() else message)  # on a line after the terminal's ^C
        sys.exit(ExitCode.STOPPED)
    except BrokenPipeError:  # `warpgrade list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.DONE)
    except (click.ClickException, click.Abort, click.exceptions.Exit):
        raise
    except Exception as error:
        _end(_of_the_system(error) or _unexpected(error))


def _end(error: WarpgradeError) -> NoReturn:
    from ..report import terminal

    console = aside()
    for line in terminal.problem_lines(error.problem(), width(console) if console.is_terminal else 0):
        console.print(line, soft_wrap=True)
    sys.exit(error.exit_code)


def _of_the_system(error: Exception) -> WarpgradeError | None:
    """The error if it is one of the operating system about a file, such as missing permissions."""
    if not isinstance(error, OSError) or error.filename is None:
        return None
    remedy = "check its permissions and the free space of the disk"
    return GraderError(f"cannot be used: {error.strerror}", file=error.filename, remedy=remedy)


def _unexpected(error: Exception) -> WarpgradeError:
    """The error for a bug in Warpgrade. The traceback goes to a log file for a bug report."""
    what = f"{type(error).__name__}: {error}".rstrip(": ")[: 4 * MOST]
    log = _write_log(error)
    remedy = f"send {log} to your course staff, or attach it to a bug report" if log else ""
    return GraderError(f"this is a bug in Warpgrade, not a mistake in your files ({what})", remedy=remedy)


def _write_log(error: Exception) -> Path | None:
    """Write the traceback, versions and command line. None if no file can be written."""
    import tempfile
    import traceback
    from datetime import datetime

    from .. import VERSION
    from ..core import store

    about = f"warpgrade {VERSION}, Python {platform.python_version()}, {platform.platform()}"
    text = "\n".join((about, f"$ {' '.join(sys.argv)}", "", *traceback.format_exception(error)))
    name = f"warpgrade-error-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.log"
    for folder in (here().output / "logs", Path(tempfile.gettempdir())):
        try:
            store.write_text(folder / name, text)
            return folder / name
        except (WarpgradeError, OSError):
            continue
    return None
