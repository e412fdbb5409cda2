"""Create the files of a new lab in labs/, solutions/ and handouts/, with a small kernel that works."""

import re
from pathlib import Path

import jinja2

from ..core import store
from ..core.errors import UsageError
from ..core.paths import typed
from ..course import skeletons

_TEMPLATES = Path(__file__).with_name("new_lab_files")
_NAME = re.compile(r"(?:\d+-)?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
# Template → path of the file that is made from it; "{}" is the lab's name.
_FILES = {
    "lab.toml.j2": "labs/{}/lab.toml",
    "harness.cpp.j2": "labs/{}/harness.cpp",
    "kernel.cu.j2": "solutions/{}/kernel.cu",
    "mutants.toml.j2": "solutions/{}/mutants.toml",
    "handout.md.j2.j2": "handouts/{}.md.j2",
}


def create(root: Path, name: str) -> tuple[Path, ...]:
    """Write the new lab's files below `root` and return their paths. UsageError for a bad name."""
    words = _words(name)
    targets = {template: root / place.format(name) for template, place in _FILES.items()}
    _refuse_existing(root, name, targets)
    facts = {"title": " ".join(words).capitalize(), "kernel": "matmul_" + "_".join(words)}
    environment = _environment()
    for template, target in targets.items():
        store.write_text(target, environment.get_template(template).render(facts))
    cut = skeletons.write(tuple(item for item in skeletons.all_of(root) if item.lab == name))
    return (*targets.values(), *(item.path for item in cut))


def _words(name: str) -> list[str]:
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(
            f"{name!r} cannot be a lab's name",
            remedy=f"use lower-case letters, digits and '-'; for instance, {typed('new 05-vectorised')}",
        )
    return match[1].split("-")


def _refuse_existing(root: Path, name: str, targets: dict[str, Path]) -> None:
    taken = [path for path in targets.values() if path.exists()]
    if taken:
        raise UsageError(
            f"the lab {name} exists already: {taken[0].relative_to(root)}",
            remedy="choose another name, or remove that lab's files first",
        )


def _environment() -> jinja2.Environment:
    """With delimiters of its own, because the template of the handout makes a template."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
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
