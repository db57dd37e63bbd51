"""The words that pictures and questions need, without knowing a language, and how a share is written."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
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


def format_share(part: int, whole: int) -> str:
    """A share in percent, without the sign: at most one decimal, halves rounded up. DivisionByZero if whole is 0."""
    rounded = (Decimal(100 * part) / whole).quantize(Decimal("0.1"), ROUND_HALF_UP)
    return str(rounded).removesuffix(".0")
