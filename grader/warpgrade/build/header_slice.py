"""What nvcc reads before every file, cut down to what the file's own words lead to.

nvcc has the preprocessor read a megabyte of CUDA's and the system's headers before each file, and its
compiler parse it: four fifths of what a lab's kernel costs. The same commands make the same PTX, byte for
byte, of those declarations and macros only that the file names, and of what these are made of: what a word
means is looked up by that word.

Where something could be looked up without being named, or a name means what cannot be cut out (namespaces,
new and delete, what a using declaration brings, headers that are not the lab's), all headers must be read.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .declarations import WORD, Declaration

HEADER = ".before.h"  # beside the submission, in place of cuda_runtime.h
STEM = "THE_FILES_STEM"  # in the commands, where that of the submission's file goes
# What is looked up, or evaluated, without its name being written; what tells how much stands above.
_UNSAID = frozenset({
    "new", "delete", "typeid", "co_await", "co_yield", "co_return", "import", "module", "export",
    "__COUNTER__", "__INCLUDE_LEVEL__", "__has_include", "__has_include_next", "_Pragma",
})  # fmt: skip
_TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))"
    r'|(?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?\'(?:[^\'\\\n]|\\.)+\')'
    r"|(?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9A-Za-z_]|[\w.])*)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<odd><<<|%:)"  # %: is another way to write #
    r"|(?P<sign>[-!%&()*+,./:;<=>?\[\]^{|}~#])",
    re.DOTALL | re.ASCII,
)
_CONTINUED = re.compile(r"\\[ \t\f\v]*\n")
_OWN = re.compile(r'#\s*include\s*"([\w.-]+)"\s*', re.ASCII)
_HARMLESS = re.compile(
    r"#\s*(?:$|(?:define|undef|ifdef|ifndef|if|elif|else|endif)\b|pragma\s+(?:once\s*$|unroll\b))"
)


@dataclass(frozen=True)
class Prelude:
    """`commands`: a shell's, as nvcc would give them for STEM.cu, with HEADER instead of its headers. `lost`:
    names that cannot be cut out."""

    commands: str
    macros: dict[str, str]
    declarations: tuple[Declaration, ...]
    lost: tuple[str, ...]
    namespaces: tuple[str, ...]

    @functools.cached_property
    def by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, declaration in enumerate(self.declarations):
            for name in declaration.names:
                found.setdefault(name, []).append(number)
        return found

    def cut(self, source: str, headers: Mapping[str, str]) -> str | None:
        """The text of HEADER for this file, which may include `headers`; None where it needs all."""
        words: set[str] = set()
        for text in (source, *headers.values()):
            found = _words(text, frozenset(headers))
            if found is None:
                return None
            words |= found
        macros = self._macros(words)
        if not (words | macros).isdisjoint(self.lost):
            return None
        needed = self._needed(words | {word for name in macros for word in WORD.findall(self.macros[name])})
        if needed is None:
            return None
        told = [_told(self.declarations[number]) for number in sorted(needed)]
        return "\n".join([*told, *(f"#define {name}{self.macros[name]}" for name in sorted(macros)), ""])

    def _macros(self, words: set[str]) -> set[str]:
        found: set[str] = set()
        todo = [word for word in words if word in self.macros]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += [word for word in WORD.findall(self.macros[name]) if word in self.macros]
        return found

    def _needed(self, words: set[str]) -> set[int] | None:
        """What the words lead to. A header's own call of what a using declaration overloads names the types
        of one overload exactly, so it is the same without the others."""
        found: set[int] = set()
        seen: set[str] = set()
        barred = _UNSAID.union(self.namespaces)
        todo = list(words)
        while todo:
            word = todo.pop()
            if word in seen:
                continue
            seen.add(word)
            if word in barred:
                return None
            for number in self.by_name.get(word, ()):
                if number not in found:
                    found.add(number)
                    todo += self.declarations[number].words
        return found


def _told(declaration: Declaration) -> str:
    told = f"{declaration.place}\n{declaration.text}"
    return f"extern {declaration.linkage} {{\n{told}\n}}" if declaration.linkage else told


def _words(text: str, headers: frozenset[str]) -> set[str] | None:
    """Each identifier that the compiler sees in it; None where that is not plain."""
    if "\0" in text:  # which some tools pass over
        return None
    text = _CONTINUED.sub("", text.replace("\r\n", "\n"))
    words: set[str] = set()
    position, line = 0, ""
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match["odd"]:
            return None
        if match["sign"] == "#":
            begin, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
            line = _without_comments(text[position : end if end >= 0 else len(text)])
            if text[begin:position].strip() or not _is_harmless(line, headers):
                return None
        if match["word"]:
            if text[match.end() : match.end() + 1] == '"':  # R"…", or a literal of the standard library
                return None
            words.add(match["word"])
        position = match.end()
    return words


def _without_comments(line: str) -> str:
    return re.sub(r"/\*.*?(?:\*/|$)|//.*", " ", line)


def _is_harmless(line: str, headers: frozenset[str]) -> bool:
    own = _OWN.fullmatch(line)
    if own:
        return own[1] in headers
    return _HARMLESS.match(line) is not None and "#" not in line[1:]
