"""Chooses the sandbox backend: the one that --sandbox names, or the strongest that works here."""

from __future__ import annotations

from ..core.errors import SandboxError
from ..core.paths import typed
from . import process

AUTO = "auto"
NAMES = (AUTO, *process.KINDS)  # values of --sandbox
# Backends that AUTO may choose for untrusted code: they restrict a command to the files of its box.
HIDING_FILES = ("bwrap", "landlock")


def chosen(wanted: str) -> str:
    """The backend for untrusted code. SandboxError if the named one, or every one, does not work here."""
    troubles = []
    for kind in HIDING_FILES if wanted == AUTO else (wanted,):
        trouble = process.why_unavailable(kind)
        if trouble is None:
            return kind
        troubles.append(f"{kind}: {trouble}")
    raise SandboxError(
        f"the sandbox cannot start: {'; '.join(troubles)}",
        remedy=f"{typed('doctor')}; --sandbox=none grades without a sandbox, for code that you trust",
    )


def instead(kind: str, trouble: str) -> str:
    """The note about a fallback of for_trusted_code()."""
    without = "without a sandbox" if kind == "none" else f"with the weaker sandbox {kind}"
    return f"{without}, as {trouble}"


def for_trusted_code(wanted: str) -> tuple[str, str]:
    """The backend for one's own code, and the reason where AUTO finds no sandbox that works; else "".

    A backend that was named is taken or refused, as chosen() does. GraderError if the reason is a damaged
    file of the grader, not the machine: then nothing runs without a sandbox; the file must be repaired.
    """
    try:
        return chosen(wanted), ""
    except SandboxError as error:
        if wanted != AUTO:
            raise
        process.need_launcher()
        return "none" if process.why_unavailable("seccomp") else "seccomp", error.message
