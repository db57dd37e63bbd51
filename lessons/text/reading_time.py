"""How long a text takes to read; it sets the pace of animations."""

from __future__ import annotations

import re

# Silent reading of English non-fiction: 238 words a minute on average (Brysbaert, Journal of Memory and Language 109,
# 2019). Numbers and identifiers count as words, in Chinese too.
WORDS_A_MINUTE = 238
# Chosen so that the animation's captions take about as long in both languages: Brysbaert finds that the time depends
# more on the message than on the language.
CHARACTERS_A_MINUTE = 360
_CHINESE = r"\u3400-\u9fff"
_PART = re.compile(rf"(?P<character>[{_CHINESE}])|[^\W{_CHINESE}]+(?:['’.-][^\W{_CHINESE}]+)*")


def estimate_reading_seconds(text: str) -> float:
    """Seconds to read a text, from the number of its Chinese characters and its other words. Pure."""
    parts = list(_PART.finditer(text))
    characters = sum(part["character"] is not None for part in parts)
    return 60 * (characters / CHARACTERS_A_MINUTE + (len(parts) - characters) / WORDS_A_MINUTE)
