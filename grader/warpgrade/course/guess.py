"""The lab that a file belongs to, where the command line names only the file."""

from __future__ import annotations

import re
from pathlib import Path

from ..core.errors import UsageError
from ..core.paths import Repository, typed
from ..records import Lab
from . import lab

_MOST_CHARACTERS = 1 << 20


def lab_of(repository: Repository, file: Path) -> str:
    """The lab whose folder the file lies in, else whose kernels it names, else whose file it is by its name.
    UsageError unless that is exactly one lab.
    """
    folder = file.resolve().parent.name
    if folder in repository.lab_names():
        return folder
    labs = lab.find(repository)
    text = file.read_text(encoding="utf-8", errors="replace")[:_MOST_CHARACTERS]
    found = [each.name for each in labs if _has_kernels(each, text)]
    if not found:
        found = [each.name for each in labs if not each.kernels and file.name in each.files]
    if len(found) == 1:
        return found[0]
    of = f"it can be {' or '.join(found)}" if found else "it has no lab's kernel"
    remedy = f"name the lab before the file: {typed(f'check LAB {file}')}"
    raise UsageError(f"which lab is it of? {of}", file=file, remedy=remedy)


def _has_kernels(each: Lab, text: str) -> bool:
    kernels = each.kernels
    return bool(kernels) and all(re.search(rf"\b{re.escape(name)}\s*\(", text) for name in kernels)
