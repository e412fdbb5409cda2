"""Cuts nvcc's headers down to the declarations and macros that a file needs.

Before each file, nvcc preprocesses and parses a megabyte of CUDA's and the system's headers: four fifths of
the time of a lab's kernel. The same commands make the same PTX, byte for byte, from only those declarations
and macros that the file names, and those that these name in turn, because the compiler looks a word up by its
name.

What a using declaration takes out of a namespace is cut out with it, so that sin() of a float stays
std::sin(float).

All headers are needed if the compiler could look up something that is not named, or if something named cannot
be cut out: the name of a namespace, new and delete, and headers other than the lab's and the toolkit's plain
ones, such as math_constants.h.

Other headers of the toolkit with which a file begins, such as mma.h, are cut with nvcc's own. A namespace of
theirs is kept whole as soon as it is named, so that it may be opened by a using directive.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from .declarations import WORD, Declaration

HEADER = ".before.h"  # next to the submission, instead of cuda_runtime.h
STEM = "THE_FILES_STEM"  # placeholder in the commands for the name of the submission's file
# Words that make the compiler look up names that are not written, or that depend on the text above them.
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
    r"|(?P<hash>#)"
    r"|(?P<signs>[-!&()*+,;=>?\[\]^{|}~]+|[%./:<])",
    re.DOTALL | re.ASCII,
)
# Comments, each as short as it can be, and one header in angle brackets.
_LEADING = re.compile(
    r"(?>\s|//[^\n]*+\n|/\*.*?\*/)*+#[ \t]*+include[ \t]*+<([\w.-]++)>[ \t]*+(?=//|\n)", re.DOTALL
)
_BY_NAME = ("operator new", "operator delete")  # the operators that need a word in the file
_CONTINUED = re.compile(r"\\[ \t\f\v]*\n")
_INCLUDE = re.compile(r'#\s*include\s*(?:"([\w.-]+)"|<([\w.-]+)>)\s*', re.ASCII)
_HARMLESS = re.compile(
    r"#\s*(?:$|(?:define|undef|ifdef|ifndef|if|elif|else|endif)\b|pragma\s+(?:once\s*$|unroll\b))"
)


@dataclass(frozen=True)
class Prelude:
    """nvcc's headers, taken apart. `commands`: the shell commands that nvcc runs for STEM.cu, with HEADER
    instead of its headers. `lost`: names that need all headers.

    For files that begin with `headers`, it contains these: `guards` are their include guards,
    `own_namespaces` the namespaces that only they have.
    """

    commands: str
    macros: dict[str, str]
    declarations: tuple[Declaration, ...]
    lost: tuple[str, ...]
    namespaces: tuple[str, ...]
    headers: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    own_namespaces: tuple[str, ...] = ()

    @property
    def by_name(self) -> Mapping[str, list[int]]:
        """Numbers of the declarations at file scope, without using declarations."""
        return self._numbers[0]

    @property
    def used(self) -> Mapping[str, list[int]]:
        """Numbers of the using declarations at file scope."""
        return self._numbers[1]

    @property
    def in_namespaces(self) -> Mapping[str, list[int]]:
        return self._numbers[2]

    @functools.cached_property
    def _numbers(self) -> tuple[dict[str, list[int]], ...]:
        found: tuple[dict[str, list[int]], ...] = ({}, {}, {})
        for number, declaration in enumerate(self.declarations):
            for name in declaration.names:
                found[_kind(declaration)].setdefault(name, []).append(number)
        return found

    @functools.cached_property
    def _of_namespace(self) -> Mapping[str, list[int]]:
        """Numbers of all declarations in each of `own_namespaces`."""
        found: dict[str, list[int]] = {name: [] for name in self.own_namespaces}
        for number, declaration in enumerate(self.declarations):
            for name in declaration.namespaces & found.keys():
                found[name].append(number)
        return found

    @functools.cached_property
    def _operators(self) -> tuple[int, ...]:
        """Numbers of the operators at file scope, which the compiler looks up without their name."""
        return tuple(
            number
            for name, numbers in self.by_name.items()
            if name.startswith("operator ") and name not in _BY_NAME
            for number in numbers
        )

    def cut(self, source: str, headers: Mapping[str, str]) -> str | None:
        """The text of HEADER for this file, which may include `headers`; None if it needs all headers."""
        words: set[str] = set()
        included = set(self.headers)
        todo = [source]
        while todo:
            found = _read(todo.pop(), headers)
            if found is None:
                return None
            words |= found.words
            todo += [headers[name] for name in found.includes - included]
            included |= found.includes
        macros = self._macros(words)
        if not (words | macros).isdisjoint(self.lost):
            return None
        needed = self._needed(words | {word for name in macros for word in WORD.findall(self.macros[name])})
        if needed is None:
            return None
        kept = [_written(self.declarations[number]) for number in sorted(needed)]
        macros.update(self.guards)
        return "\n".join([*kept, *(f"#define {name}{self.macros[name]}" for name in sorted(macros)), ""])

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
        """The declarations that the words lead to; None if a word among them cannot be cut out."""
        found, at_file_scope, in_namespaces = self._reached(words)
        barred = _UNSAID.union(self.namespaces).difference(self.own_namespaces)
        return found if barred.isdisjoint(at_file_scope) and _UNSAID.isdisjoint(in_namespaces) else None

    def _reached(self, words: set[str]) -> tuple[set[int], set[str], set[str]]:
        """(1) The declarations that the words lead to; (2) the words at file scope on the way; (3) those in
        namespaces.

        Using declarations and operators are for the file's own words: a header's call of sin() names the
        types of one overload exactly, so it is the same without the others. Declarations in namespaces are
        reached from using declarations, from the names of their own namespaces, and from each other.
        """
        found = {number for word in words for number in self.used.get(word, ())}.union(self._operators)
        todo = [(word, False) for word in words]
        todo += [named for number in found for named in self._words(number)]
        seen: tuple[set[str], set[str]] = (set(), set())
        while todo:
            word, in_namespace = todo.pop()
            if word in seen[in_namespace]:
                continue
            seen[in_namespace].add(word)
            numbers = {*self.by_name.get(word, ()), *self._of_namespace.get(word, ())}
            if in_namespace:
                numbers.update(self.in_namespaces.get(word, ()))
            for number in numbers - found:
                found.add(number)
                todo += self._words(number)
        return found, *seen

    def _words(self, number: int) -> list[tuple[str, bool]]:
        """A declaration's words, and whether each may name a member of a namespace: in the namespace, or next
        to its name."""
        words = self.declarations[number].words
        return [(word, number in self._beside_namespaces) for word in words]

    @functools.cached_property
    def _beside_namespaces(self) -> set[int]:
        """Numbers of the declarations that are in a namespace or name one."""
        names = set(self.namespaces)
        return {
            number
            for number, each in enumerate(self.declarations)
            if each.is_in_namespace or each.is_using or not names.isdisjoint(each.words)
        }

    def _at_file_scope(self, number: int) -> tuple[str, ...]:
        """What a declaration declares at file scope."""
        declaration = self.declarations[number]
        return () if declaration.is_in_namespace else declaration.names

    def without_unreached(self) -> Prelude:
        """A copy without the declarations in namespaces that no file can use: most of them."""
        named = {name for number in self._beside_namespaces for name in self._at_file_scope(number)}
        found, _, _ = self._reached({*self.used, *self.own_namespaces, *named})
        kept = (each for i, each in enumerate(self.declarations) if i in found or not each.is_in_namespace)
        return replace(self, declarations=tuple(kept))


def _kind(declaration: Declaration) -> int:
    """Its place in Prelude._numbers."""
    return 2 if declaration.is_in_namespace else int(declaration.is_using)


def _written(declaration: Declaration) -> str:
    around = declaration.around
    return "\n".join([*around, declaration.place, declaration.text, *("}" for _ in around)])


@dataclass(frozen=True)
class _FileWords:
    """Words of a file that matter to the compiler: identifiers, and the headers that the file includes."""

    words: set[str]
    includes: set[str]


def _read(text: str, headers: Container[str]) -> _FileWords | None:
    """The words of a file; None if they cannot be determined, or if it includes other headers than
    `headers`."""
    if "\0" in text:  # some tools skip it
        return None
    text = _CONTINUED.sub("", text.replace("\r\n", "\n"))
    words: set[str] = set()
    includes: set[str] = set()
    position, line = 0, ""
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup == "odd":
            return None
        if match.lastgroup == "hash":
            begin, end = text.rfind("\n", 0, position) + 1, text.find("\n", position)
            line = _without_comments(text[position : end if end >= 0 else len(text)])
            name = _included(line)
            if name in headers:
                includes.add(name)
            elif name or not _HARMLESS.match(line) or "#" in line[1:]:
                return None
            if text[begin:position].strip():
                return None
        elif match.lastgroup == "word":
            if text[match.end() : match.end() + 1] == '"':  # R"…", or a literal of the standard library
                return None
            words.add(match[0])
        position = match.end()
    return _FileWords(words, includes)


def _without_comments(line: str) -> str:
    return re.sub(r"/\*.*?(?:\*/|$)|//.*", " ", line)


def leading_headers(text: str) -> tuple[str, ...]:
    """The headers in angle brackets with which a file begins: only comments may precede them."""
    text = _CONTINUED.sub("", text.replace("\r\n", "\n"))
    found: list[str] = []
    at = 0
    while match := _LEADING.match(text, at):
        found.append(match[1])
        at = match.end()
    return tuple(found)


def _included(line: str) -> str:
    """The header that this directive includes; "" if it does something else."""
    found = _INCLUDE.fullmatch(line)
    return (found[1] or found[2]) if found else ""
