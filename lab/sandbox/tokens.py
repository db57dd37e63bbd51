"""Split typed text into tokens: words, punctuation marks, and single characters in scripts without spaces.

A small deterministic substitute for a real tokenizer; nothing is learned and spaces are not kept. A text of nothing
but words that the model knows, with spaces between them, is split at the spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from unicodedata import category, name, normalize

from lab.trace.vocabulary import find_word

LONGEST_WORD = 12  # clusters; a longer word is cut
LONGEST_CLUSTER = 16  # code points

_JOINER = "\u200d"
_KEPT = {_JOINER, "\u200c", *map(chr, range(0xE0020, 0xE0080))}  # joiners, and the tags of some flags
# Beginnings of the Unicode names of characters that are one token each: Chinese, Japanese, Korean.
_ONE_EACH = ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "HANGUL", "BOPOMOFO")
_APOSTROPHES = "'’"


def clean_text(text: str) -> str:
    """The text as it is stored: composed (NFC), one space between words, no control or invisible formatting characters.

    Pure; cleaning a clean text changes nothing. Characters that change the direction of writing are removed, so that no
    typed text can disturb a page; joiners, which emoji and some scripts need, stay.
    """
    visible = "".join(c for c in text if c.isspace() or c in _KEPT or category(c) not in {"Cc", "Cf", "Cs"})
    return " ".join(normalize("NFC", visible).split())


def clean_lines(text: str) -> str:
    """The text as it is stored, with its line breaks, but one empty line for several. Pure; see clean_text."""
    lines = (clean_text(line) for line in text.splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def tokenize(text: str) -> tuple[str, ...]:
    """The tokens of a text, without spaces. Pure.

    A word (letters, digits, _ and inner apostrophes) is one token, or several if it is longer than LONGEST_WORD. A
    Chinese, Japanese or Korean character is one token, and so is every other sign. Combining marks and the parts of an
    emoji stay together as far as the Unicode database defines them. If the model knows every part between spaces, these
    are the tokens: 小明 is one.
    """
    parts = clean_text(text).split()
    if all(find_word(part) is not None for part in parts):
        return tuple(parts)
    tokens: list[str] = []
    for word in parts:
        clusters = list(_split_clusters(word))
        kinds = [_classify(cluster) for cluster in clusters]
        for i in range(1, len(clusters) - 1):
            if clusters[i] in _APOSTROPHES and kinds[i - 1] == kinds[i + 1] == "word":
                kinds[i] = "word"
        for kind, group in groupby(zip(kinds, clusters, strict=True), key=lambda pair: pair[0]):
            run = [cluster for _, cluster in group]
            size = LONGEST_WORD if kind == "word" else 1
            tokens += ["".join(run[i : i + size]) for i in range(0, len(run), size)]
    return tuple(tokens)


def _split_clusters(word: str) -> Iterator[str]:
    """The visible characters: a base with its marks, an emoji with its parts, the two letters of a flag."""
    cluster = ""
    for character in word:
        if cluster and len(cluster) < LONGEST_CLUSTER and _continues_cluster(cluster, character):
            cluster += character
            continue
        if cluster:
            yield cluster
        cluster = character
    if cluster:
        yield cluster


def _continues_cluster(cluster: str, character: str) -> bool:
    """Does this character continue the cluster?"""
    if category(character).startswith("M") or character in _KEPT or 0x1F3FB <= ord(character) <= 0x1F3FF:
        return True
    if cluster[-1] == _JOINER:
        return category(cluster[0]) == category(character) == "So"
    return len(cluster) == 1 and _is_flag_letter(cluster) and _is_flag_letter(character)


def _is_flag_letter(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _classify(cluster: str) -> str:
    base = cluster[0]
    if not (category(base)[0] in "LN" or base == "_"):
        return "sign"
    return "one each" if name(base, "").startswith(_ONE_EACH) else "word"
