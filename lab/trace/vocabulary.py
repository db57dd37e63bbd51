"""The words that the model knows: the text of each token id in each language, and the word that a token or a text is.

A word is a number, the row of the model's tables. Two token ids with the same texts are one word: "Tom" in a fact and
"Tom" in a question.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from lab.engine.errors import InvalidTokenError
from lab.trace.config import VOCABULARY

NO_WORD = -1
RELIABLE = 40  # tokens of a request; beyond it the model's answers are sometimes wrong

_PATH = Path(__file__).resolve().parent.parent.parent / "assets" / "model" / "vocabulary.toml"


@cache
def load_tokens() -> dict[int, dict[str, str]]:
    """The text of each token id, by language."""
    return {int(token_id): texts for token_id, texts in tomllib.loads(_PATH.read_text(encoding="utf-8")).items()}


@cache
def load_words() -> tuple[dict[str, str], ...]:
    """The texts of each word, by language. The first token with these texts gives the word its number."""
    first = {(texts["en"].casefold(), texts["zh"]): texts for texts in reversed(load_tokens().values())}
    return tuple(sorted(first.values(), key=list(load_tokens().values()).index))


@cache
def _number_texts() -> dict[str, int]:
    return {text.casefold(): word for word, texts in reversed([*enumerate(load_words())]) for text in texts.values()}


def find_word(text: str) -> int | None:
    """The number of the word with this text in any language, in capitals or not; None if the model knows none."""
    return _number_texts().get(text.casefold())


def is_known(word: int) -> bool:
    """Was the model trained on this word?"""
    return 0 <= word < len(load_words())


def number_unknown(token_id: int) -> int:
    """The word of a token that the model was not trained on: a row of its own after the known ones.

    Raises InvalidTokenError for a token id outside the vocabulary.
    """
    if not 0 <= token_id < VOCABULARY:
        raise InvalidTokenError(seq_id="KV", value=token_id)
    return len(load_words()) + token_id


@cache
def get_word(token_id: int) -> int:
    """The word that this token id is in the lab's own scenarios."""
    texts = load_tokens().get(token_id)
    word = find_word(texts["zh"]) if texts else None
    return number_unknown(token_id) if word is None else word


def find_tokens(text: str) -> tuple[int, ...]:
    """The token ids of an English text with spaces between its words; of equal ones the first. Raises KeyError."""
    ids = {texts["en"]: token_id for token_id, texts in reversed(load_tokens().items())}
    return tuple(ids[word] for word in text.split())
