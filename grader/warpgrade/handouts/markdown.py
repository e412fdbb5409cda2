"""Handouts' Markdown to HTML: tables, formulas between dollars, highlighted CUDA code."""

import html
import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import latex2mathml.converter
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from . import pictures

# HTML does not need the namespace of <math>, and a page without URLs clearly loads nothing from a network.
_XMLNS = ' xmlns="http://www.w3.org/1998/Math/MathML"'


# A size such as 16 × 16 stays on one line, and a number with its unit.
_TOGETHER = re.compile(r"(?<=\d) (×) (?=\d)|(?<=\d) (?=(?:%|[KMG]B|[mµ]s|[GT]FLOP/s)(?!\w))")
_NO_BREAK = "\u00a0"
PAGE_LINK = re.compile(r'<a href="([\w-]+)\.html">(.*?)</a>', re.DOTALL)
_CAPTION = "Table: "
_SIGNS = re.compile(r"[\\`*_\[\]<>|$#]")
_CODE = re.compile(r"(`[^`]+`)")
_TAG = re.compile(r"<[^>]+>")
_SHORT = 12  # lines of code
# A line of code that is too long for paper goes on below its beginning, a comment below its first word.
_LONG = 80
_COMMENT = re.compile(r"\s*(?://|#(?= ))\s*(?:[A-Z]\w* {2,})?")
_INDENT = 4


@dataclass(frozen=True)
class Heading:
    level: int
    id: str
    text: str


@dataclass(frozen=True)
class RenderedText:
    html: Markup
    headings: tuple[Heading, ...]


def to_html(markdown: str, prefix: str = "", root: Path | None = None) -> RenderedText:
    """Markdown to HTML. HTML inside it (figures) is copied unchanged: course staff wrote it.

    `prefix` begins the ids of headings, so that two documents can share a page. `root`: the folder that
    paths of pictures begin at; the page then holds the pictures.
    """
    parser = MarkdownIt("commonmark", {"html": True, "highlight": _highlight}).enable("table")
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.add_render_rule("formula", _render_formula)
    parser.add_render_rule("table_open", _open_table)
    parser.add_render_rule("table_close", _close_table)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("image", _picture)
    tokens = parser.parse(markdown)
    _join_numbers(tokens)
    headings = tuple(_name_headings(tokens, prefix))
    tokens = _caption_tables(tokens)
    _unname_empty_heads(tokens)
    return RenderedText(Markup(parser.renderer.render(tokens, parser.options, {"root": root})), headings)


def without_dead_links(text: RenderedText, pages: Collection[str]) -> RenderedText:
    """Links to handouts that are not among `pages`, as a course may leave labs out, become plain words."""
    html = PAGE_LINK.sub(lambda match: match[0] if match[1] in pages else match[2], text.html)
    return RenderedText(Markup(html), text.headings)


def plain(text: str) -> str:
    """Escapes Markdown's signs, so that __shared__ and a * b * c stay as they are; `code` stays code."""
    parts = _CODE.split(text)
    parts[::2] = [_SIGNS.sub(r"\\\g<0>", part) for part in parts[::2]]
    parts[1::2] = [part.replace("|", "\\|") for part in parts[1::2]]  # no cell of a table ends here
    return "".join(parts)


def formula(latex: str, display: bool = False) -> Markup:
    """LaTeX to MathML, which browsers draw by themselves and screen readers read."""
    mathml = latex2mathml.converter.convert(latex, display="block" if display else "inline")
    return Markup(mathml.replace(_XMLNS, "", 1))


def _formula(state: StateInline, silent: bool) -> bool:
    """Parses `$…$` in a line and `$$…$$` on its own line; `\\$` is a plain dollar sign."""
    if state.src[state.pos] != "$":
        return False
    fence = "$$" if state.src.startswith("$$", state.pos) else "$"
    begin = state.pos + len(fence)
    end = state.src.find(fence, begin)
    if end <= begin:
        return False
    if not silent:
        token = state.push("formula", "math", 0)
        token.content = state.src[begin:end]
        token.meta = {"display": fence == "$$"}
    state.pos = end + len(fence)
    return True


def _render_formula(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: Any
) -> str:
    return formula(tokens[at].content, tokens[at].meta["display"])


def _picture(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: Any) -> str:
    root = environment["root"]
    if root is None:
        return str(renderer.image(tokens, at, options, environment))
    image = tokens[at]
    words = renderer.renderInlineAsText(image.children or (), options, environment)
    return pictures.embedded(root, str(image.attrs["src"]), words, str(image.attrs.get("title", "")))


def _open_table(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: Any
) -> str:
    """Opens a container in which a wide table scrolls, also with the keyboard."""
    words = tokens[at].meta.get("caption", ())
    if not words:
        return '<div class="scroll" tabindex="0"><table>\n'
    label, caption = escape(_text(words)), renderer.renderInline(words, options, environment)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">'
        f'<table><caption class="numbered">{caption}</caption>\n'
    )


def _fence(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: Any) -> str:
    """Lets long lines of code scroll, also with the keyboard. On paper, short code stands on one page."""
    is_short = tokens[at].content.count("\n") <= _SHORT
    opening = '<pre tabindex="0" class="short">' if is_short else '<pre tabindex="0">'
    return str(renderer.fence(tokens, at, options, environment)).replace("<pre>", opening, 1)


def _close_table(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, environment: Any
) -> str:
    return "</table></div>\n"


def _caption_tables(tokens: Sequence[Token]) -> list[Token]:
    """Moves the paragraph "Table: …" above a table into its caption. Without one, the heading serves."""
    kept: list[Token] = []
    heading: Sequence[Token] = ()
    for token in tokens:
        if token.type == "inline" and kept[-1].type == "heading_open":
            heading = token.children or ()
        elif token.type == "table_open":
            token.meta["caption"] = heading
            if len(kept) >= 3 and kept[-3].type == "paragraph_open" and (words := _caption(kept[-2])):
                token.meta["caption"] = words
                del kept[-3:]
        kept.append(token)
    return kept


def _caption(paragraph: Token) -> Sequence[Token]:
    """The words of a paragraph that begins with "Table: ", without that; none of any other."""
    words = paragraph.children or []
    if not words or words[0].type != "text" or not words[0].content.startswith(_CAPTION):
        return ()
    words[0].content = words[0].content.removeprefix(_CAPTION)
    return words


def _text(words: Iterable[Token]) -> str:
    return "".join(" " if word.type == "softbreak" else word.content for word in words)


def _unname_empty_heads(tokens: Sequence[Token]) -> None:
    """Turns empty <th> cells into <td>: the corner of a table is no heading."""
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not inline.content:
            opening.tag = closing.tag = "td"


def _join_numbers(tokens: Iterable[Token]) -> None:
    """Puts spaces where no line ends, in words and figures but not in code."""
    for token in tokens:
        if token.type in ("text", "html_block"):
            token.content = _TOGETHER.sub(
                lambda match: _NO_BREAK + (f"×{_NO_BREAK}" if match[1] else ""), token.content
            )
        _join_numbers(token.children or ())


def _highlight(code: str, language: str, attributes: str) -> str:
    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        return str(escape(code))
    lines = str(highlight(code, lexer, HtmlFormatter(nowrap=True))).splitlines(keepends=True)
    return "".join(lines if language == "text" else map(_hanging, lines))


def _hanging(line: str) -> str:
    """A highlighted line; a long one in an element that says how far its second line on paper is indented."""
    text = html.unescape(_TAG.sub("", line)).rstrip("\n")
    if len(text) <= _LONG:
        return line
    comment = _COMMENT.match(text)
    by = comment.end() if comment else len(text) - len(text.lstrip()) + _INDENT
    return f'<span class="long" style="--hang: {by}ch">{line}</span>'


def _name_headings(tokens: Sequence[Token], prefix: str) -> list[Heading]:
    """Gives each heading an id made of its words, as a target for links."""
    found: list[Heading] = []
    for opening, inline in itertools.pairwise(tokens):
        if opening.type == "heading_open":
            text = _text(inline.children or ())
            id = _unique(prefix + _slug(text), {heading.id for heading in found})
            opening.attrSet("id", id)
            found.append(Heading(int(opening.tag[1]), id, text))
    return found


def _slug(text: str) -> str:
    words = "".join(letter.lower() if letter.isalnum() else " " for letter in text).split()
    return "-".join(words) or "part"


def _unique(id: str, taken: set[str]) -> str:
    number, name = 1, id
    while name in taken:
        number += 1
        name = f"{id}-{number}"
    return name
