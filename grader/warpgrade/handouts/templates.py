"""Handouts' Jinja2 templates: found by language, compiled once; errors name their file and line."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from ..core import messages
from ..core.errors import InstructorError
from ..core.messages import Messages
from ..core.paths import Repository
from . import markdown, template_names, translation
from .questions import Questions

TEXT = translation.TEXT
_SHARED_TEMPLATES = Path(__file__).parents[1] / "report" / "templates"


def render(environment: jinja2.Environment, name: str, **context: Any) -> str:
    """The rendered template. InstructorError names the file and the line of an error in it."""
    try:
        return environment.get_template(name).render(**context)
    except jinja2.TemplateSyntaxError as error:
        file, line, message = error.name or name, error.lineno, error.message or "syntax error"
    except jinja2.TemplateNotFound as error:
        file, line = name, None
        message = (
            "is missing" if error.name == name else f"uses the template {error.name}, which does not exist"
        )
    except (jinja2.TemplateError, ValueError, TypeError) as error:
        file, line, message = name, _template_line(error, name), str(error)
    raise InstructorError(
        message,
        file=f"handouts/{file}",
        line=line,
        remedy="handouts/README.md lists the names that a handout may use",
    )


def _template_line(error: Exception, name: str) -> int | None:
    """The last line of the template in the traceback: Jinja maps its frames to template lines."""
    at, line = error.__traceback__, None
    while at:
        if at.tb_frame.f_code.co_filename.endswith((name, name.replace(TEXT, ""))):
            line = at.tb_lineno
        at = at.tb_next
    return line


class _Loader(jinja2.FileSystemLoader):
    """Loads <name>.<code>.md.j2 instead of <name>.md.j2 if it exists."""

    def __init__(self, folders: list[Path], code: str) -> None:
        super().__init__(folders)
        self.code = code

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        if template.endswith(TEXT) and self.code != messages.BASE:
            own = f"{template.removesuffix(TEXT)}.{self.code}{TEXT}"
            try:
                text, file, fresh = super().get_source(environment, own)
                return translation.body(text), file, fresh
            except jinja2.TemplateNotFound:
                pass
        return super().get_source(environment, template)


class _Compiled(jinja2.BytecodeCache):
    """Compiled templates of this process: each page has an environment, but the templates are the same."""

    def __init__(self) -> None:
        self._code: dict[str, Any] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (code := self._code.get(f"{bucket.key} {bucket.checksum}")) is not None:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[f"{bucket.key} {bucket.checksum}"] = bucket.code


_COMPILED = _Compiled()


def environment(repository: Repository, words: Messages) -> jinja2.Environment:
    """For templates of handouts/ and those that reports have, too, in the language of `words`."""
    loader = _Loader([repository.root / "handouts", _SHARED_TEMPLATES], words.code)
    made = jinja2.Environment(
        loader=loader,
        bytecode_cache=_COMPILED,
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        undefined=jinja2.StrictUndefined,
        extensions=[Questions],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
        count=words.count,
        number=words.number,
        date=words.date,
        limiter=lambda name: words(f"limiter.{name.replace(' ', '-')}"),
        points=functools.partial(template_names.points, words),
        plain=markdown.plain,
        css=_css,
    )

    def inline(name: str) -> Markup:
        return Markup(loader.get_source(made, name)[0])

    made.globals["inline"] = inline
    return made


def _css(text: str) -> Markup:
    """The text for a string in a style sheet, whose special characters HTML must not escape."""
    return Markup(re.sub(r"[^\w .,:;–·-]", lambda match: f"\\{ord(match[0]):x} ", text))
