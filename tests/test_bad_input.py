"""Whatever anybody types, links to or has stored: shown as text, counted right, or refused with a sentence.

Every page with every parameter of its address, every field of every page, each with strings that were made to do harm;
the strings are dealt out so that each page meets every kind of them.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from lab.errors import LabError
from lab.prediction import MAX_NUMBER, parse_number
from lab.quiz.answer import parse
from lab.quiz.generate import generate_named
from lab.quiz.link import parse_name
from lab.sandbox.files import read_file, write_file
from lab.sandbox.link import parse_scenario
from lab.sandbox.scenario import State
from lab.workload_csv import read_csv
from lessons import say
from lessons.text import LANGUAGES, words
from tests.test_lessons import OPERATIONS, go, keys, sound, task

MEGABYTE = 1_000_000
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "entity": "&lt;b&gt;&#60;script&#62;",
    "svg": "<svg/onload=alert(1)>",
    "link": "[x](javascript:alert(1))",
    "picture": "![x](http://example.org/x.png)",
    "icon": ":material/delete: :red[x] :smile:",
    "formula": "$\\href{javascript:alert(1)}{x}$ $$\\frac{1}{0}$$",
    "code": "`x` ```\n# heading\n| a | b |\n",
    "bold": "**x** __y__ ~~z~~ *",
    "template": "{0} {seq_id} {x.__class__} %s ${x}",
    "path": "../../../../etc/passwd",
    "sql": "'; DROP TABLE runs; --",
    "spreadsheet": '=HYPERLINK("http://example.org")',
    "right-to-left": "\u202e3\u202c \u200f4\u061c",
    "zero-width": "\u200b\u200d\ufeff3\u2060",
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e8\U0001f1f3",
    "combining": "e" + "\u0301" * 400,
    "NUL": "4.used\x00__aA",
    "control": "\x1b[31m\x07\x08\r\n\t",
    "line separators": "\u2028\u2029\x85",
    "replacement": "\ufffd\ufffe\uffff",
    "digits": "9" * 5000,
    "other digits": "٣ ३ 三 ３ ² ½ Ⅳ ①",
    "number-like": "1e3 0x3 -0 +3 1_000 NaN inf 1e-999999999",
    "separators": "_._.-~,;" * 200,
    "brackets": "[" * 20_000,
    "a megabyte": "a" * MEGABYTE,
    "a megabyte of tokens": "4.used__" + "aA." * (MEGABYTE // 3),
    "proto": "__proto__.constructor",
}
P = "4.used_P3-1-1-0-1-7-000000_"
LESSONS = ("allocate", "append", "share", "code")
# The page, the parameter, and what else the address must hold so that the page looks at it.
LINKS: list[tuple[str, str, dict[str, str]]] = [
    ("task", "run", {}),
    ("task", "at", {"run": f"{P}aA.aB"}),
    ("task", "run8", {"part": "eight"}),
    ("task", "at8", {"part": "eight", "run8": "8.used_Q2-5-0-3-0000_aA"}),
    ("task", "part", {"run": P}),
    ("task", "present", {"run": P}),
    ("start", "lang", {}),
    ("start", "run", {}),
    *((lesson, lesson, {}) for lesson in LESSONS),
    *((lesson, f"at_{lesson}", {}) for lesson in LESSONS),
    ("intuition", "intuition", {}),
    ("intuition", "present", {}),
    ("quiz", "quiz", {}),
    ("quiz", "at_quiz", {"quiz": "r.473.4.easy.5"}),
    ("quiz", "question", {}),
    ("memory", "memory", {}),
    ("memory", "at_memory", {}),
    ("sandbox", "sandbox", {}),
    ("sandbox", "at_sandbox", {"sandbox": "1.16.4.used_A.n11_aA.tA-3"}),
    ("sandbox", "present", {}),
    ("library", "present", {}),
    ("report", "run", {}),
]
PAGES = sorted({page for page, _, _ in LINKS})
EXECUTED = re.compile(r"<(script|img src=x|svg/onload|b>)|onerror=alert|javascript:", re.IGNORECASE)


def dealt(index: int, of: int) -> list[str]:
    """Every `of`-th of the hostile strings, beginning with another one for each index."""
    return [text for number, text in enumerate(HOSTILE.values()) if (number + index) % of == 0]


def harmless(at: AppTest) -> AppTest:
    """Drawn to its end, and nothing of what was given stands where it would be read as markup."""
    sound(at)
    for element in at.get("html"):
        assert not EXECUTED.search(str(element.proto.body)), element.proto.body[:300]
    for element in (*at.markdown, *at.caption):
        assert not (element.allow_html and EXECUTED.search(element.value)), element.value[:300]
    return at


@pytest.mark.parametrize("page", PAGES)
def test_any_parameter_of_any_page(page: str) -> None:
    """The page is drawn, says in at most a sentence that the link is no good, and changes nothing by itself."""
    at, record = None, {"done": ["task"]}
    for index, (_, name, others) in ((i, link) for i, link in enumerate(LINKS) if link[0] == page):
        for text in dealt(index, 3):
            parameters = {**others, name: text}
            if at is None:
                at = task("en", page)
                at.session_state["browser_store.record"] = record
            harmless(go(at, **parameters))
            assert {key: "".join(value) for key, value in at.query_params.items()} == parameters, name
            assert at.session_state["browser_store.record"] == record
            assert all(len(str(warning.value)) < 2000 for warning in at.warning)


MINE = "<b>mine</b>"
CARD = sha256(MINE.encode()).hexdigest()[:12]
# Fields appear in these places; what is pressed with them, and what then must not be in the address.
FIELDS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    "prediction": ("task", {}, ("commit",)),
    "prediction of 8": ("task", {"part": "eight"}, ("commit",)),
    "own words of the task": ("task", {"part": "explain", "run": P + ".".join(OPERATIONS)}, ("read_sentence",)),
    **{f"prediction of {lesson}": (lesson, {}, ("commit",)) for lesson in LESSONS},
    "number of the quiz": ("quiz", {"question": "q.blocks.1.4.easy"}, ("quiz_submit",)),
    "cells of the quiz": ("quiz", {"question": "q.mark_empty.5.16.hard"}, ("quiz_submit",)),
    "percent of memory": ("memory", {}, ("memory_commit",)),
    "sandbox": ("sandbox", {}, ("sandbox_submit", "sandbox_queue_use")),
    "library": ("library", {}, (f"do_rename_{CARD}",)),
    "name of the report": ("report", {}, ()),
}


@pytest.mark.parametrize("place", FIELDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_any_field_of_any_page(place: str, language: str) -> None:
    """What is typed stays as it was typed, and commits nothing that the page could not read."""
    page, parameters, buttons = FIELDS[place]
    at = task(language, page)
    at.session_state["browser_store.record"] = {
        "own_words": {"x": "y"},
        "explanation": "A page is full.",
        "scenarios": [[MINE, write_file(State(parse_scenario("1.16.4.used_A.n11_aA"), 1)).decode()]],
    }
    go(at, **parameters)
    fields = [str(field.key) for field in (*at.text_input, *at.text_area)]
    assert fields
    index = list(FIELDS).index(place) * 2 + LANGUAGES.index(language)
    for text in dealt(index, 5):
        for key in fields:
            for field in (*at.text_input, *at.text_area):
                if field.key == key and not field.disabled:
                    field.set_value(text)
        harmless(at.run())
        for button in buttons:
            if button in keys(at):
                harmless(at.button(key=button).click().run())
        shown = {key: "".join(value) for key, value in at.query_params.items()}
        if page not in ("sandbox", "report", "library") and "read_sentence" not in buttons:
            assert shown == parameters


def refusal_of(read: Callable[[Any], object], given_: Any) -> str:
    """Why this was refused, after having been said in both languages; empty where it was read."""
    refusal = _refusal(read, given_)
    if refusal is None:
        return ""
    assert all(0 < len(say.say_error(refusal, words(language))) < 500 for language in LANGUAGES)
    return str(refusal.numbers.get("reason", refusal.code))


def _refusal(read: Callable[[Any], object], given_: Any) -> LabError | None:
    try:
        read(given_)
    except LabError as refusal:
        return refusal
    return None


NUMBERS_TYPED = {
    "3": 3, " 3 ": 3, "٣": 3, "३": 3, "３": 3, "۱۲": 12, "-0": 0, "+3": 3, "3.0": 3, "1e2": 100, "３．０": 3, "007": 7,
}  # fmt: skip
NOT_NUMBERS = {
    "empty": ["", "\u3000"],
    "not_a_number": [
        "三",
        "½",
        "²",
        "3²",
        "①",
        "㉑",
        "Ⅳ",
        "0x3",
        "1_0",
        "NaN",
        "sNaN",
        "1,5",
        "3 4",
        "\u200f3",
    ],
    "negative": ["-inf", "-3", "\u22123", "－３"],
    "too_large": ["inf", "1000", "1e3", "9" * 100_000, "1e999999999"],
    "not_whole": ["0.5", "1e-999999"],
}


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
@settings(max_examples=400)
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
@settings(max_examples=300)
def test_any_file_of_lengths_is_read_or_refused(data: bytes) -> None:
    refusal_of(read_csv, data)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_of_lengths_has_a_sentence(text: str) -> None:
    for data in (text.encode(), f"prompt_tokens,output_tokens\n1,{text}\n".encode(), text.encode("utf-16")):
        assert refusal_of(read_csv, data)
    assert refusal_of(read_file, text.encode())
    assert refusal_of(read_file, json.dumps({"format": text, "version": text}).encode())


NAMES = (
    *("committed", "ran", "done", "checks", "attempts", "foreign", "rounds", "rounds_sure", "own_words", "explanation"),
    *("again", "quiz", "memory", "intuition", "scenarios", "report_name", "try"),
)
SHAPES: list[Any] = [
    *("\ud800", "<script>alert(1)</script>", "x" * 5000, 5, -1.5, True, None, [], {}, [[]], [None, {}, 1e308]),
    *({"a": {"b": ["<img src=x onerror=alert(1)>"]}}, {P: [P]}, {"P4.used__": P, "": ""}, [P, "r.473.4.easy.5_9"]),
    {"r.473.4.easy.5": "\ud800\x00", "": {}},
]


@pytest.mark.parametrize("page", ["start", "task", "allocate", "intuition", "quiz", "report", "memory", "sandbox"])
def test_any_record(page: str) -> None:
    """Names that the lab knows, each with a value of another kind, several at once."""
    at = task("en", page)
    shapes = itertools.cycle(SHAPES)
    start = PAGES.index(page)
    for _ in range(start):
        next(shapes)
    for _ in range(4):
        record = {name: next(shapes) for name in NAMES}
        next(shapes)  # so that the next round gives each name another one
        at.session_state["browser_store.record"] = record
        harmless(go(at, run=f"{P}aA"))
        assert at.session_state["browser_store.record"] == record
