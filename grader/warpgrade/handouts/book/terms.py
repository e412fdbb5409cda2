"""The terms of the course book's index, found in its text.

A handout marks a term where it explains it: <dfn>barrier</dfn>, or <dfn title="phase">phases</dfn> where the
sentence needs another form. Names that CUDA defines are terms wherever they stand as code. The index names
the pages that explain a term, and the sections that use it often or have it in their headings.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

_TOKEN = re.compile(r"<[^>]+>")
_DEFINITION = re.compile(r'<dfn(?: title="([^"]*)")?>(.*?)</dfn>', re.DOTALL)
_CUDA_NAME = re.compile(r"(?:__[a-z]\w+|cuda[A-Z]\w+|atomic[A-Z]\w+)")
_NOT_TEXT = ("pre", "svg", "math", "style")
_HEADINGS = ("h2", "h3")
_EMPTY = ("br", "hr", "img", "input", "col", "wbr")
_UMLAUTS = {letter: f"[{pair}]" for pair in ("aä", "oö", "uü") for letter in pair}
_OFTEN = 3  # times in a section: less is said in passing
_MOST = 7  # sections of a term


@dataclass(frozen=True)
class Term:
    """`text`: as the index shows it, in HTML if it is code."""

    key: str
    text: Markup
    is_code: bool


@dataclass(frozen=True)
class Use:
    """A place that the index names; `id`: of the element around the term's words."""

    id: str
    explains: bool


@dataclass(frozen=True)
class Entry:
    """A term, and its places in the order of the book."""

    term: Term
    uses: tuple[Use, ...]


@dataclass(frozen=True)
class _Found:
    """Words of a term at one place of a text: token `token`, characters `begin` to `end` of it."""

    term: Term
    text: int
    section: int
    token: int
    begin: int
    end: int
    in_heading: bool
    explains: bool


def indexed(texts: Sequence[str], endings: Sequence[str]) -> tuple[list[Markup], tuple[Entry, ...]]:
    """The texts with an element around each place that the index names, and the index in its order.

    `endings`: that a word of the language may have, such as "s" and "es" in English.
    """
    terms = _terms(texts)
    pattern = _pattern([term for term in terms.values() if not term.is_code], endings)
    split = [_split(text) for text in texts]
    found = [each for at, tokens in enumerate(split) for each in _search(at, tokens, terms, pattern)]
    places: dict[str, list[_Found]] = defaultdict(list)
    for each in found:
        places[each.term.key].append(each)
    chosen = sorted(
        (each for of_term in places.values() for each in _chosen(of_term)),
        key=lambda each: (each.text, each.token, each.begin),
    )
    uses = _mark(split, chosen)
    entries = (Entry(terms[key], tuple(uses[key])) for key in uses)
    return [Markup("".join(tokens)) for tokens in split], tuple(sorted(entries, key=sort_key))


def sort_key(entry: Entry) -> tuple[str, str]:
    """Letters and digits alone decide: __syncthreads() stands under S, and ä beside a."""
    return plain_letters(entry.term.key), entry.term.key


def plain_letters(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if letter.isalnum() or letter == " ").strip()


# --- terms -------------------------------------------------------------------------------------


def _terms(texts: Iterable[str]) -> dict[str, Term]:
    """Terms by key: their words in lower case, or their code."""
    found: dict[str, Term] = {}
    for text in texts:
        for title, words in _DEFINITION.findall(text):
            term = _defined(title, words)
            found.setdefault(term.key, term)
        for code in re.findall(r"<code>([^<]+)</code>", text):
            term = _code(code)
            if _CUDA_NAME.fullmatch(term.key):
                found.setdefault(term.key, term)
    return found


def _defined(title: str, words: str) -> Term:
    plain = " ".join(html.unescape(title or _TOKEN.sub("", words)).split())
    return _code(plain) if "<code>" in words else Term(plain.casefold(), Markup.escape(plain), False)


def _code(name: str) -> Term:
    """A function is one term, alone or with its arguments."""
    name = html.unescape(name).partition("(")[0].strip()
    return Term(name, Markup("<code>{}</code>").format(name), True)


def _pattern(terms: Iterable[Term], endings: Sequence[str]) -> re.Pattern[str]:
    """Finds the terms with any of the endings, the longest first. A group for each is named by its key."""
    ordered = sorted(terms, key=lambda term: -len(term.key))
    alternatives = (
        "|".join(f"(?P<{_group(term)}>{_inflected(term.key, endings)})" for term in ordered) or "(?!)"
    )
    return re.compile(rf"(?<![\w-])(?:{alternatives})(?![\w-])", re.IGNORECASE)


def _group(term: Term) -> str:
    return "t" + term.key.encode().hex()


def _inflected(key: str, endings: Sequence[str]) -> str:
    """A pattern for the words of a term, each with its own ending, another, or none, and with an umlaut."""
    longest_first = sorted(endings, key=len, reverse=True)
    ending = f"(?:{'|'.join(map(re.escape, longest_first))})?" if endings else ""
    words = []
    for word in key.split():
        cut = next((e for e in longest_first if word.endswith(e) and len(word) - len(e) >= 4), "")
        forms = dict.fromkeys((_letters(word), _letters(word.removesuffix(cut))))
        words.append(f"(?:{'|'.join(forms)}){ending}")
    return r"\s+".join(words)


def _letters(word: str) -> str:
    return "".join(_UMLAUTS.get(letter, re.escape(letter)) for letter in html.escape(word))


# --- places ------------------------------------------------------------------------------------


def _split(text: str) -> list[str]:
    """Text and tags in turns; the first and the last token are text."""
    return re.split(r"(<[^>]+>)", text)


def _search(
    text: int, tokens: Sequence[str], terms: Mapping[str, Term], pattern: re.Pattern[str]
) -> Iterator[_Found]:
    """Every occurrence of every term, in order."""
    section, within = 0, ""
    open_tags: list[str] = []
    for at, token in enumerate(tokens):
        if at % 2:
            section += token.startswith("<h2")
            _step(open_tags, token)
            within = next((tag for tag in reversed(open_tags) if tag in _HEADINGS), "")
            if token.startswith("<dfn") and (term := _of_definition(tokens, at, terms)):
                yield _Found(term, text, section, at, 0, 0, bool(within), True)
        elif not token.strip() or any(tag in _NOT_TEXT for tag in open_tags) or "dfn" in open_tags:
            continue
        elif "code" in open_tags:
            if (term := terms.get(_code(token).key)) and term.is_code:
                yield _Found(term, text, section, at, 0, len(token), bool(within), False)
        else:
            for match in pattern.finditer(token):
                term = terms[bytes.fromhex((match.lastgroup or "")[1:]).decode()]
                yield _Found(term, text, section, at, *match.span(), bool(within), False)


def _step(open_tags: list[str], token: str) -> None:
    name = re.sub(r"</?([\w-]*).*", r"\1", token, flags=re.DOTALL)
    if token.startswith("</"):
        while open_tags and open_tags.pop() != name:
            pass
    elif name and not token.endswith("/>") and name not in _EMPTY:
        open_tags.append(name)


def _of_definition(tokens: Sequence[str], at: int, terms: Mapping[str, Term]) -> Term | None:
    end = next((end for end in range(at, len(tokens)) if tokens[end] == "</dfn>"), at)
    match = _DEFINITION.match("".join(tokens[at : end + 1]))
    return terms.get(_defined(match[1], match[2]).key) if match else None


def _chosen(found: Sequence[_Found]) -> Iterator[_Found]:
    """The best place of each section: where the term is explained, else in its heading, else the first."""
    sections: dict[tuple[int, int], list[_Found]] = defaultdict(list)
    for each in found:
        sections[each.text, each.section].append(each)
    ranked = []
    for places in sections.values():
        best = max(places, key=lambda each: (each.explains, each.in_heading))
        if best.explains or best.in_heading or best.term.is_code or len(places) >= _OFTEN:
            ranked.append((best.explains, best.in_heading, len(places), best))
    ranked.sort(key=lambda row: row[:3], reverse=True)
    yield from (row[3] for row in ranked[:_MOST])


def _mark(split: Sequence[list[str]], chosen: Sequence[_Found]) -> dict[str, list[Use]]:
    """Puts an element with an id around each place; the uses of each term by its key."""
    uses: dict[str, list[Use]] = defaultdict(list)
    for number, each in enumerate(chosen):
        uses[each.term.key].append(Use(f"index-{number}", each.explains))
    for number, each in reversed(list(enumerate(chosen))):
        tokens, id = split[each.text], f"index-{number}"
        token = tokens[each.token]
        if each.explains:
            tokens[each.token] = f'<dfn id="{id}"{token.removeprefix("<dfn")}'
        else:
            words = token[each.begin : each.end]
            tokens[each.token] = f'{token[: each.begin]}<span id="{id}">{words}</span>{token[each.end :]}'
    return uses
