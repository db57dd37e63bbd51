"""Find the two columns with the lengths, by the names that public traces and tools use; parse the counts in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_NUMBER = 10_000_000  # tokens; a longer request than any model takes
# Lower case, with _ for spaces. The first of these that is present wins: the last ones may also hold texts.
PROMPT = (
    "prompt_tokens",
    "input_tokens",
    "contexttokens",  # Azure
    "request_tokens",  # BurstGPT
    "num_prefill_tokens",  # Vidur
    "input_length",  # Mooncake
    "prompt_len",  # vLLM's benchmarks
    "prompt_size",  # Splitwise
    "prompt",
    "input",
)
OUTPUT = (
    "output_tokens",
    "completion_tokens",  # in answers of OpenAI's API
    "generatedtokens",
    "response_tokens",
    "num_decode_tokens",
    "output_length",
    "output_len",
    "token_size",
    "output",
)


@dataclass(frozen=True)
class Columns:
    """The columns of the lengths. Names as in the file, empty if it has none; `places` for errors: positions from 1, or
    names in JSON."""

    prompt: str
    output: str
    places: tuple[int | str, int | str]


def find(header: Sequence[str]) -> tuple[int, int] | None:
    """Positions (from 0) of the two columns among these names; None if one is missing or repeated. Pure."""
    names = [name.strip().lower().replace(" ", "_") for name in header]
    prompt, output = _find_first(names, PROMPT), _find_first(names, OUTPUT)
    return None if prompt is None or output is None else (prompt, output)


def _find_first(names: list[str], ranked: Sequence[str]) -> int | None:
    best = next((name for name in ranked if name in names), None)
    return names.index(best) if best is not None and names.count(best) == 1 else None


def parse_whole_number(field: str) -> int | None:
    """The whole number in a field (2.0 counts), or None. Pure."""
    text = field.strip()
    digits = text.removesuffix(".0").lstrip("+-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 12 and len(text) <= len(digits) + 3):
        return None
    return -int(digits) if text.startswith("-") else int(digits)
