"""Texts and files from anybody: numbers, answers and lengths are counted right or refused with a sentence."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.activities.answer import parse, parse_number
from lab.activities.question import MAX_NUMBER
from lab.engine.errors import LabError
from lab.quiz.generate import generate_named
from lab.quiz.link import parse_name
from lab.sandbox.files import read_file
from lab.serving.workload_file import read_file as read_lengths
from lessons.text import sentences
from lessons.text.translations import LANGUAGES, get_translations
from tests.pages.hostile import HOSTILE
from tests.sample import examples


def refusal_of(read: Callable[[Any], object], given_: Any) -> str:
    """Why this was refused, after having been said in both languages; empty where it was read."""
    refusal = _refusal(read, given_)
    if refusal is None:
        return ""
    assert all(0 < len(sentences.format_error(refusal, get_translations(language))) < 500 for language in LANGUAGES)
    return str(refusal.numbers.get("reason", refusal.code))


def _refusal(read: Callable[[Any], object], given_: Any) -> LabError | None:
    try:
        read(given_)
    except LabError as refusal:
        return refusal
    return None


NUMBERS_TYPED = {
    "0": 0, "3": 3, " 3 ": 3, "3\n": 3, "\u30003": 3, "٣": 3, "३": 3, "３": 3, "１０": 10, "۱۲": 12, "-0": 0, "+3": 3,
    "3.0": 3, "1e2": 100, "３．０": 3, "007": 7, "0000000003": 3, "999": 999,
}  # fmt: skip
NOT_NUMBERS = {
    "empty": ["", "   ", "\u3000"],
    "not_a_number": [
        "abc", "三", "３個", "½", "²", "3²", "³", "①", "㉑", "Ⅲ", "Ⅳ", "0x3", "1_0", "1_000", "nan", "NaN", "sNaN", "∞",
        "1,5", "3,5", "3 4", "\u200f3", "\u202e3", "3\x00", "<b>3</b>", "x" * 100_000,
    ],
    "negative": ["-inf", "-1", "-3", "-0.5", "\u22123", "－１"],
    "too_large": ["inf", "1000", "1e3", "1e9", "9" * 40, "9" * 100_000, "1e999999999"],
    "not_whole": ["0.5", "3.5", "３．５", "1e-999999"],
}  # fmt: skip


def test_numbers_are_counted_right_or_refused() -> None:
    """In the digits of any script; what only looks like a number is not made into one."""
    assert {text: parse_number(text) for text in NUMBERS_TYPED} == NUMBERS_TYPED
    refused: dict[str, list[str]] = {}
    for text in itertools.chain(*NOT_NUMBERS.values()):
        refused.setdefault(refusal_of(parse_number, text), []).append(text)
    assert refused == NOT_NUMBERS


DECIMALS = st.text(st.characters(categories=["Nd"]), min_size=1, max_size=6)


@given(DECIMALS)
def test_digits_of_any_script_are_digits(text: str) -> None:
    """Python's own reading of them is the reference."""
    if int(text) > MAX_NUMBER:
        assert refusal_of(parse_number, text) == "too_large"
    else:
        assert parse_number(text) == int(text)


@given(st.one_of(st.text(), st.text(st.characters(categories=["N", "Pc", "Pd", "Po", "Sm", "Cf"])), DECIMALS))
@settings(max_examples=examples(400))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    """A number that is accepted has nothing but digits, a sign, a point and an exponent in it."""
    if not refusal_of(parse_number, text):
        assert 0 <= parse_number(text) <= MAX_NUMBER
        assert re.fullmatch(r"[\d.+\-eE]+", unicodedata.normalize("NFKC", text).replace("\u2212", "-").strip()), text


@pytest.mark.parametrize("name", ["q.mark_empty.5.16.hard", "q.blocks.1.4.easy"])
def test_any_text_is_an_answer_or_refused(name: str) -> None:
    """Of the strings here only those without anything but separators are an answer: nothing is marked."""
    question = generate_named(parse_name(name))
    for text in HOSTILE.values():
        if not refusal_of(partial(parse, question), text):
            assert parse(question, text) == frozenset(), text[:40]


CELLS = st.sampled_from(
    ["1", "0", "-1", "2.0", "", "x", '"', '"1"', "\n", ",", ";", "\t", "9" * 13, "1e3", "٣", "\ufeff"]
)
CSV = st.one_of(st.binary(max_size=200), st.lists(CELLS, max_size=30).map(lambda cells: ",".join(cells).encode()))


@given(CSV)
@settings(max_examples=examples(300))
def test_any_file_of_lengths_is_read_or_refused(data: bytes) -> None:
    refusal_of(read_lengths, data)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_of_lengths_has_a_sentence(text: str) -> None:
    for data in (text.encode(), f"prompt_tokens,output_tokens\n1,{text}\n".encode(), text.encode("utf-16")):
        assert refusal_of(read_lengths, data)
    assert refusal_of(read_file, text.encode())
    assert refusal_of(read_file, json.dumps({"format": text, "version": text}).encode())
