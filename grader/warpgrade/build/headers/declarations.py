"""Preprocessed C++: the declarations at file scope and in namespaces, the names that each declares and the
words that it uses.

This is enough for headers, which declare one thing at a time. For a statement that declares several names,
only one is returned; callers must ask the compiler for the others.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

WORD = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*'
    r"|^[ \t]*#[^\n]*|[^\w\s]",
    re.MULTILINE,
)
_MARKS = re.compile(r'^# (\d+) ("[^"]*")([ \d]*)', re.MULTILINE)  # of line and file
_TAGS = ("struct", "class", "union", "enum")
_WITH_GROUP = ("__attribute__", "alignas", "noexcept", "decltype", "__asm__", "asm", "throw")
_NAMESPACE = ("namespace ", "inline namespace ")  # how the opening of one begins
_WITHOUT_NAME = "names of a namespace are used without it"


@dataclass(frozen=True)
class Declaration:
    """`words`: each identifier in the declaration, by which the declarations that it needs are found."""

    text: str
    place: str  # a line mark: # 12 "file" 3
    names: tuple[str, ...]
    words: tuple[str, ...]
    around: tuple[str, ...] = ()  # openings of the blocks around it: extern "C" {, namespace std {

    @property
    def is_in_namespace(self) -> bool:
        return _in_namespace(self.around)

    @property
    def is_using(self) -> bool:
        """Whether it is a using declaration: it brings a name of a namespace into its own scope."""
        return self.words[:1] == ("using",)

    @property
    def namespaces(self) -> set[str]:
        """The namespaces around it."""
        opened = (block.split() for block in self.around if block.startswith(_NAMESPACE))
        return {word for tokens in opened for word in _names_of_namespace(tokens)}


def declarations(text: str) -> Iterator[Declaration]:
    """The declarations in order, also those in namespaces and in extern "C" {…}. ValueError if brackets do
    not match, or if names of a namespace can be used at file scope without it.
    """
    depth = 0
    blocks: list[str] = []  # what opens them
    start: int | None = None
    tokens: list[str] = []
    places, place = LineMarks(text), ""
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.lstrip().startswith("#"):
            places.passed(token, match.end())
            continue
        if start is None:
            start, tokens = match.start(), []
            place = places.mark_of(start)
        tokens.append(token)
        if token in ("(", "[", "{"):
            if token == "{" and depth == 0 and _opens_block(tokens):
                if tokens[0] == "inline" and not _in_namespace(blocks):
                    raise ValueError(_WITHOUT_NAME)
                blocks, start = [*blocks, " ".join(tokens)], None
            else:
                depth += 1
        elif token in (")", "]", "}"):
            if depth == 0 and (token != "}" or not blocks):
                raise ValueError(place)
            if depth == 0:
                blocks, start = blocks[:-1], None
                continue
            depth -= 1
        if start is not None and depth == 0 and (token == ";" or (token == "}" and _has_body(tokens))):
            yield _declaration(text[start : match.end()], place, tokens, blocks)
            start = None
    if start is not None or depth or blocks:
        raise ValueError(place)


class LineMarks:
    """Line marks for positions in preprocessed text. Callers must ask for them in ascending order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._mark: re.Match[str] | None = None
        self._counted = self._line = 0  # the line of the file at a position in the text

    def passed(self, directive: str, end: int) -> None:
        """A directive that ends at that position. Directives other than line marks have no effect."""
        if found := _MARKS.match(directive):
            self._mark, self._counted, self._line = found, end + 1, int(found[1])

    def mark_of(self, position: int) -> str:
        """Empty in front of the first line mark."""
        self._line += self._text.count("\n", self._counted, position)
        self._counted = max(self._counted, position)
        return _mark(str(self._line), self._mark) if self._mark else ""


def _declaration(text: str, place: str, tokens: list[str], blocks: list[str]) -> Declaration:
    plain = ["", *_outside_attributes(tokens)]
    words = tuple(
        dict.fromkeys(
            word
            for before, word in itertools.pairwise(plain)
            if WORD.fullmatch(word)
            and (before, word) != ("=", "delete")  # `= delete` declares no usable function
        )
    )
    if words[:2] == ("using", "namespace") and not _in_namespace(blocks):
        raise ValueError(_WITHOUT_NAME)
    inner = _MARKS.sub(lambda found: _mark(found[1], found), text)
    return Declaration(inner, place, tuple(_names(tokens)), words, tuple(blocks))


def _in_namespace(blocks: Iterable[str]) -> bool:
    return any(block.startswith(_NAMESPACE) for block in blocks)


def _mark(line: str, found: re.Match[str]) -> str:
    """A line mark without the flags 1 and 2: they say that a file begins or ends, which is wrong in a cut
    file.
    """
    return f"# {line} {found[2]}" + "".join(f" {flag}" for flag in found[3].split() if flag in "34")


def _outside_attributes(tokens: list[str]) -> Iterator[str]:
    """The tokens that are not in __attribute__((…)) or [[…]]."""
    inside = 0
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if inside or before == "__attribute__" or (token, after) == ("[", "["):
            inside += (token in ("(", "[")) - (token in (")", "]"))
        elif token != "__attribute__":
            yield token


def _flat(tokens: list[str]) -> list[str]:
    """The outermost tokens: of a group in brackets only the opening one, without attributes."""
    found: list[str] = []
    depth = 0
    for token in _outside_attributes(tokens):
        depth -= token in (")", "]", "}")
        if depth == 0 and token not in (")", "]", "}"):
            if token == "(" and found and found[-1] in _WITH_GROUP:
                found.pop()
            else:
                found.append(token)
        depth += token in ("(", "[", "{")
    return found


def _opens_block(tokens: list[str]) -> bool:
    """Whether the last { opens a namespace or extern "C" {…}."""
    plain = list(_outside_attributes(tokens))
    return f"{' '.join(plain)} ".startswith(_NAMESPACE) or (
        len(plain) == 3 and plain[0] == "extern" and plain[1][0] == '"'
    )


def _names_of_namespace(tokens: list[str]) -> Iterator[str]:
    plain = (token for token in _outside_attributes(tokens) if WORD.fullmatch(token))
    return (word for word in plain if word not in ("inline", "namespace"))


def _has_body(tokens: list[str]) -> bool:
    """Whether the last } ends the declaration: that of a function, not of a type or an initial value."""
    flat = _without_arguments(_flat(tokens))
    return "(" in flat and "=" not in flat


def _names(tokens: list[str]) -> Iterator[str]:
    flat = _flat(tokens)
    if flat[0] in ("namespace", "using"):  # another name, or one of a namespace
        words = [word for word in flat[1:] if WORD.fullmatch(word)]
        if "namespace" not in words:
            yield words[0] if "=" in flat else words[-1]
        return
    if flat[0] == "template":
        flat = _behind_parameters(flat)
    brace = flat.index("{") if "{" in flat else len(flat)
    for before, word in itertools.pairwise(flat[:brace]):
        if before in _TAGS and WORD.fullmatch(word):
            yield word
    if "enum" in flat:
        inner = tokens.index("{") if "{" in tokens else len(tokens)
        yield from (tokens[i] for i in range(inner + 1, len(tokens)) if tokens[i - 1] in ("{", ","))
    yield from _declarator(flat, tokens)


def _declarator(flat: list[str], tokens: list[str]) -> Iterator[str]:
    """The name of a function or variable, or of the type that a typedef declares."""
    if "operator" in flat:
        yield " ".join(flat[flat.index("operator") :][:2])
        return
    flat = _without_arguments(flat)
    pointer = next((i for i, pair in enumerate(itertools.pairwise(tokens)) if pair == ("(", "*")), None)
    stop = next((i for i, token in enumerate(flat) if token in ("(", "=", "[")), len(flat))
    if "{" in flat[:stop]:  # the type's own braces
        flat = flat[flat.index("{") + 1 :]
        stop = len(flat)
    words = [word for word in flat[:stop] if WORD.fullmatch(word)]
    if pointer is not None and stop < len(flat) and flat[stop] == "(" and "(" not in tokens[:pointer]:
        yield tokens[pointer + 2]  # void (*name)(…)
    else:
        yield from words[-1:]


def _without_arguments(tokens: list[str]) -> list[str]:
    """The tokens outside of template arguments: is_array<T[N]> specialises is_array, and declares no T."""
    return [token for token, depth in _in_template_lists(tokens) if depth == 0]


def _behind_parameters(flat: list[str]) -> list[str]:
    """What follows the first template list."""
    lists = enumerate(_in_template_lists(flat))
    end = next((i for i, (token, depth) in lists if token == ">" and depth == 1), -1)
    return flat[end + 1 :]


def _in_template_lists(tokens: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each token, and the number of template lists around it. The brackets of a list count as inside."""
    depth = 0
    for token in tokens:
        depth += token == "<"
        yield token, depth
        depth -= token == ">" and depth > 0
