"""Create the files of a new lab: a small one that is complete and can be changed.

Each folder of new_lab_files/ is a template. Its own folders labs/, solutions/ and handouts/ hold the files as
they are written, with `{@ name @}`, `{@ title @}` and `{@ kernel @}` where the lab's own names belong.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..core import store
from ..core.errors import UsageError
from ..core.paths import typed
from ..solution import skeletons

if TYPE_CHECKING:  # the command line's help lists the templates, and makes none
    import jinja2

_TEMPLATES = Path(__file__).with_name("new_lab_files")
_NAME = re.compile(r"(?:\d+-)?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_HANDOUTS, _HANDOUT = "handouts", "handout"
DEFAULT = "vector"


def templates() -> tuple[str, ...]:
    """The labs that a new one can be like."""
    return tuple(sorted(folder.name for folder in _TEMPLATES.iterdir() if folder.is_dir()))


def create(root: Path, name: str, like: str = DEFAULT) -> tuple[Path, ...]:
    """Write the new lab's files below `root` and return their paths. UsageError for a bad name."""
    words = _words(name)
    targets = {file: root / _place(file.relative_to(_TEMPLATES / like), name) for file in _files(like)}
    _refuse_existing(root, name, tuple(targets.values()))
    # The template's name in front: no word of a lab's name becomes a keyword or a function of CUDA.
    facts = {
        "name": name,
        "title": " ".join(words).capitalize(),
        "kernel": "_".join((like, *words)),
    }
    environment = _environment()
    for file, target in targets.items():
        template = environment.from_string(file.read_text(encoding="utf-8"))
        store.write_text(target, template.render(facts))
    return (*targets.values(), *skeletons.begin(root, name))


def _files(like: str) -> tuple[Path, ...]:
    """The template's files. UsageError if there is no such template."""
    if like not in templates():
        raise UsageError(
            f"no new lab can be like {like!r} yet",
            remedy=f"choose one of {', '.join(templates())}: {typed(f'new 05-mine --like {DEFAULT}')}",
        )
    return tuple(sorted(path for path in (_TEMPLATES / like).rglob("*") if path.is_file()))


def _place(file: Path, name: str) -> Path:
    """labs/lab.toml → labs/NAME/lab.toml, and handouts/handout.de.md.j2 → handouts/NAME.de.md.j2."""
    folder, *rest = file.parts
    if folder == _HANDOUTS:
        return Path(folder, name + rest[0].removeprefix(_HANDOUT))
    return Path(folder, name, *rest)


def _words(name: str) -> list[str]:
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(
            f"{name!r} cannot be a lab's name",
            remedy=f"use lower-case letters, digits and '-'; for instance, {typed('new 05-vectorised')}",
        )
    return match[1].split("-")


def _refuse_existing(root: Path, name: str, targets: tuple[Path, ...]) -> None:
    taken = [path for path in targets if path.exists()]
    if taken:
        raise UsageError(
            f"the lab {name} exists already: {taken[0].relative_to(root)}",
            remedy="choose another name, or remove that lab's files first",
        )


def _environment() -> jinja2.Environment:
    """An environment with other delimiters, because a handout is itself a template."""
    import jinja2

    return jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        variable_start_string="{@",
        variable_end_string="@}",
        block_start_string="{@%",
        block_end_string="%@}",
        comment_start_string="{@#",
        comment_end_string="#@}",
    )
