"""Split a text into sentences, clauses and known words, for lab.activities.free_text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.activities.free_text_words import CAN_NAME, MAY_NAME, PHRASES, compile_phrases

MAX_LENGTH = 1000
NAMES = frozenset({"can", "may", "other_function"})
PAGES = frozenset({"page", "new_page"})
SEPARATORS = frozenset({"comma", "join", "split", "then"})
SMALL_WORDS = frozenset(
    {"negation", "stating", "filler", "first", "order", "again", "retracted", "need", "passive", "otherwise"}
)

_MARK = compile_phrases(PHRASES)
_TAG = re.compile(r"<[^<>]{0,40}>")
# "It is may_append, not can_append, that takes": the rejected name makes no statement.
_STRUCK_OUT = re.compile(
    rf"(?:,|and|而) ?(?:not|不是|非|rather than|instead of) ?(?:{CAN_NAME}|{MAY_NAME}) ?,?"
    r"(?= ?(?:[.;,。!?]|that|which|$))"
)


@dataclass(frozen=True)
class Mark:
    """One word or phrase that the vocabulary knows, and where it ends."""

    kind: str
    text: str
    end: int


@dataclass(frozen=True)
class Clause:
    """Marks between two separators; `joined` if the clause begins with "and" or "which"."""

    marks: tuple[Mark, ...]
    joined: bool

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(mark.kind for mark in self.marks)


@dataclass(frozen=True)
class Sentence:
    """A normalised sentence with its end mark, and its clauses."""

    text: str
    clauses: tuple[Clause, ...]

    @property
    def marks(self) -> list[Mark]:
        return [mark for clause in self.clauses for mark in clause.marks]


def read_sentences(text: str) -> Iterator[Sentence]:
    """The sentences in the first MAX_LENGTH characters of the text."""
    text = _normalize(text)
    start, heard = 0, list[Mark]()
    for mark in _find_marks(text):
        if mark.kind != "stop":
            heard.append(mark)
            continue
        yield Sentence(text[start : mark.end], tuple(_cut_clauses(heard)))
        start, heard = mark.end, []
    yield Sentence(text[start:], tuple(_cut_clauses(heard)))


def _normalize(text: str) -> str:
    """Lower case, half width, single spaces, none next to Chinese; no markup. At most MAX_LENGTH characters."""
    text = unicodedata.normalize("NFKC", text[: 4 * MAX_LENGTH]).lower()
    text = _TAG.sub("", text.replace("’", "'"))
    text = re.sub(r"[`*\u00ad\u200b-\u200f\ufeff]", "", text)
    text = re.sub(r"[^\S\n]+", " ", text)
    text = re.sub(r" ?([_\u3000-\u9fff]) ?", r"\1", text)
    return _STRUCK_OUT.sub("", text[:MAX_LENGTH])


def _find_marks(text: str) -> Iterator[Mark]:
    """The known words in order. "A new one" is a new page if the last noun was a page."""
    noun = ""
    for match in _MARK.finditer(text):
        kind = match.lastgroup or ""
        if kind == "new_one":
            kind = "new_page" if noun in PAGES else "thing"
        elif kind in PAGES | {"block"}:
            noun = kind
        yield Mark(kind, match[0], match.end())


def _cut_clauses(marks: Sequence[Mark]) -> Iterator[Clause]:
    """Cut at punctuation, conjunctions and "without", but not in "may_append then takes"."""
    current: list[Mark] = []
    joined = False
    for mark in marks:
        if mark.kind == "then" and _is_subject(current):
            continue
        if mark.kind in SEPARATORS or mark.text == "without":
            if current:
                yield Clause(tuple(current), joined)
                current, joined = [], False
            joined = joined or mark.kind == "join"
        if mark.kind not in SEPARATORS:
            current.append(mark)
    yield Clause(tuple(current), joined)


def _is_subject(marks: Sequence[Mark]) -> bool:
    """Are the marks only a name or "it", with no verb yet?"""
    return any(map(refers_back, marks)) and all(
        refers_back(mark) or mark.kind in SMALL_WORDS - {"first", "negation"} for mark in marks
    )


def refers_back(mark: Mark) -> bool:
    return mark.kind in NAMES or mark.text in {"it", "它"}
