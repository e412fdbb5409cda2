from __future__ import annotations

import re

import pytest

from warpgrade.build import toolkit
from warpgrade.core.paths import here
from warpgrade.handouts.book import terms

ENGLISH, GERMAN = ["s", "es"], ["e", "en", "er", "ern", "es", "em", "n", "s"]


def index(*texts: str, endings: list[str] = ENGLISH) -> dict[str, list[tuple[str, bool]]]:
    """By term: the words at each of its places, and whether they explain it."""
    marked, entries = terms.indexed(texts, endings)
    whole = "".join(marked)
    assert re.sub(r'<span id="[^"]+">(.*?)</span>| id="index-\d+"', r"\1", whole) == "".join(texts)
    words = dict(re.findall(r'id="(index-\d+)"[^>]*>([^<]*)<', whole))
    return {entry.term.key: [(words[use.id], use.explains) for use in entry.uses] for entry in entries}


def test_a_term_is_where_it_is_explained() -> None:
    found = index('<p>A <dfn>barrier</dfn> spans a block. <dfn title="phase">Phases</dfn> follow.</p>')
    assert found == {"barrier": [("barrier", True)], "phase": [("Phases", True)]}


def test_and_once_in_each_section_that_uses_it_often_or_in_its_heading() -> None:
    found = index(
        "<p><dfn>barrier</dfn></p><h2>Often</h2><p>Barriers, barriers, a barrier.</p>"
        "<h2>A barrier here</h2><p>word</p><h2>In passing</h2><p>barrier, barrier</p>"
    )
    assert found == {"barrier": [("barrier", True), ("Barriers", False), ("barrier", False)]}


def test_other_words_are_other_words() -> None:
    found = index("<p><dfn>bank</dfn></p><h2>x</h2><p>banker bank-wise embank banker banker</p>")
    assert found == {"bank": [("bank", True)]}


def test_a_longer_term_holds_no_shorter_one() -> None:
    found = index(
        "<p><dfn>memory</dfn> and <dfn>shared memory</dfn></p>"
        "<h2>x</h2><p>shared memory, shared\nmemory, Shared memory</p>"
    )
    assert found["memory"] == [("memory", True)]
    assert found["shared memory"] == [("shared memory", True), ("shared memory", False)]


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("Barriere", "Barrieren"),
        ("Block", "Blöcken"),
        ("gemeinsamer Speicher", "gemeinsamen Speichers"),
        ("Bank", "Bänke"),
    ],
)
def test_words_have_endings(term: str, words: str) -> None:
    text = f"<p><dfn>{term}</dfn></p><h2>x</h2><p>{words}, {words}, {words}</p>"
    assert index(text, endings=GERMAN)[term.casefold()] == [(term, True), (words, False)]


def test_names_of_cuda_are_terms_as_code() -> None:
    found = index(
        "<p><code>__syncthreads()</code>, <code>atomicAdd(p, v)</code>, <code>kernel.cu</code>, cudaFree</p>"
        "<h2>x</h2><p><code>atomicAdd</code></p>"
    )
    assert found == {
        "atomicAdd": [("atomicAdd(p, v)", False), ("atomicAdd", False)],
        "__syncthreads": [("__syncthreads()", False)],
    }


def test_a_name_that_is_wrong_on_purpose_is_no_term() -> None:
    assert index('<p><code class="misspelt">__syncthread</code></p>') == {}


def test_texts_name_what_cuda_defines() -> None:
    """Any other name would stand in the book's index."""
    headers = toolkit.find(here()).folder / "include"
    defined = " ".join(
        path.read_text(encoding="utf-8", errors="replace")
        for folder in (headers, headers / "crt")
        for path in folder.glob("*.h*")
    )
    known = set(re.findall(r"\w+", defined))
    for text in sorted((here().root / "handouts").glob("*.md.j2")):
        for code in re.findall(r"`([^`\n]+)`", text.read_text(encoding="utf-8")):
            name = terms._code(code).key
            assert not terms._CUDA_NAME.fullmatch(name) or name in known, f"{text.name}: {name}"


def test_any_code_is_a_term_where_it_is_marked() -> None:
    assert list(index("<p><dfn><code>mma</code></dfn>, and <code>ldmatrix</code></p>")) == ["mma"]


def test_listings_and_drawings_are_not_searched() -> None:
    found = index("<p><dfn>tile</dfn></p><h2>x</h2><pre>tile tile tile</pre><svg><text>tile</text></svg>")
    assert found == {"tile": [("tile", True)]}


def test_a_term_has_at_most_seven_places_and_keeps_those_that_explain_it() -> None:
    sections = "".join(f"<h2>{n}</h2><p>{'lane ' * (3 + n)}</p>" for n in range(12))
    found = index(sections + "<h2>z</h2><p>a <dfn>lane</dfn></p>")["lane"]
    assert len(found) == 7 and found[-1] == ("lane", True)


def test_order_is_that_of_letters() -> None:
    _, entries = terms.indexed(
        ["<p><dfn>Zaun</dfn> <dfn>Äquator</dfn> <code>__shared__</code> <dfn>Bank</dfn></p>"], GERMAN
    )
    assert [entry.term.key for entry in entries] == ["äquator", "bank", "__shared__", "zaun"]


def test_no_terms_no_index() -> None:
    assert terms.indexed(["<p>Nothing.</p>"], ENGLISH) == (["<p>Nothing.</p>"], ())
