"""Strings by language. `strings/<lang>/<topic>.toml` holds the keys that start with `<topic>.`

The texts of tokens are in the model's vocabulary, see lab/trace/vocabulary.py.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from lab.trace.vocabulary import load_tokens, load_words

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

_STRINGS = Path(__file__).parent / "strings"


def _flatten(prefix: str, value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {key: text for name, inner in value.items() for key, text in _flatten(f"{prefix}.{name}", inner).items()}
    if isinstance(value, list):
        return {key: text for i, inner in enumerate(value) for key, text in _flatten(f"{prefix}.{i}", inner).items()}
    return {prefix: str(value)}


@cache
def load_strings(language: Language) -> dict[str, str]:
    """Load every string of a language by its dotted key. The last part of a list item's key is its index."""
    result: dict[str, str] = {}
    for path in sorted((_STRINGS / language).glob("*.toml")):
        result.update(_flatten(path.stem, tomllib.loads(path.read_text(encoding="utf-8"))))
    return result


class Translations:
    """The strings of one language; implements Words (lab.engine.words)."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._strings = load_strings(language)

    @property
    def identity(self) -> tuple[object, ...]:
        """What its texts depend on: of two translations with an equal identity every text is equal."""
        return (self.language,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Translations) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def text(self, key: str, /, **values: object) -> str:
        """The string with this key, its placeholders filled. Raises KeyError for a missing string or value."""
        return self._strings[key].format(**values)

    def has(self, key: str, /) -> bool:
        """Is there a string with this key?"""
        return key in self._strings

    def request(self, seq_id: str, /) -> str:
        """What people call a request."""
        return seq_id

    def token(self, token_id: int, /) -> str:
        """The text of a token id; the id itself if it has no text."""
        texts = load_tokens().get(token_id, {})
        return texts.get(self.language, texts.get("en", str(token_id)))

    def word(self, word: int, /) -> str:
        """The text of a word that the model knows, see lab/trace/vocabulary.py. Raises IndexError for another one."""
        texts = load_words()[word]
        return texts.get(self.language, texts["en"])


def get_translations(language: Language) -> Translations:
    """The translations of a language."""
    return Translations(language)
