"""The words that pictures and questions need, without knowing a language."""

from __future__ import annotations

from typing import Protocol


class Words(Protocol):
    """Strings of one language. lessons/text/translations.py implements it."""

    def text(self, key: str, /, **values: object) -> str:
        """The string of that dotted key with its placeholders filled."""
        ...

    def token(self, token_id: int, /) -> str:
        """The visible text of a token id."""
        ...

    def __hash__(self) -> int:
        """Equal words, which give equal texts, have an equal one: what is drawn with them can be kept."""
        ...
