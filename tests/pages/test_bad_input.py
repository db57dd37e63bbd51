"""Whatever anybody types, links to or has stored: shown as text, counted right, or refused with a sentence.

Every page with every parameter of its address, every field of every page, every name of the record. What is read from
texts and files is in test_bad_input_read.py.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import cycle, product
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.files import write_file
from lab.sandbox.scenario import State
from lessons.text.translations import LANGUAGES
from tests.links import parse_scenario
from tests.pages.hostile import dealt, harmless
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import OPERATIONS, go, keys, task
from tests.sample import sampled

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
    ("start", "start", {}),
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


@pytest.mark.parametrize("page", sampled(PAGES, ("share", "sandbox")))
def test_any_parameter_of_any_page(page: str) -> None:
    """The page is drawn, says in at most a sentence that the link is no good, and changes nothing by itself."""
    at, record = None, {"done": ["task"]}
    for index, (_, name, others) in ((i, link) for i, link in enumerate(LINKS) if link[0] == page):
        for text in dealt(index, 3):
            parameters = {**others, name: text}
            if at is None:
                at = task("en", page)
                session_of(at)[STORED] = record
            harmless(go(at, **parameters))
            assert {key: "".join(value) for key, value in at.query_params.items()} == parameters, name
            assert session_of(at)[STORED] == record
            assert all(len(str(warning.value)) < 2000 for warning in at.warning)


MINE = "<b>mine</b>"
CARD = sha256(MINE.encode()).hexdigest()[:12]
KEPT = "0" * 16  # the name of a long state
# Fields appear in these places; what is pressed with them, once at least in each.
FIELDS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {
    "prediction": ("task", {}, ("commit",)),
    "prediction of 8": ("task", {"part": "eight"}, ("commit",)),
    "own words of the task": ("task", {"part": "explain", "run": P + ".".join(OPERATIONS)}, ("read_sentence",)),
    **{f"prediction of {lesson}": (lesson, {}, ("commit",)) for lesson in LESSONS},
    "number of the quiz": ("quiz", {"question": "q.blocks.1.4.easy"}, ("quiz_submit",)),
    "cells of the quiz": ("quiz", {"question": "q.mark_empty.5.16.hard"}, ("quiz_submit",)),
    "percent of memory": ("memory", {}, ("memory_commit",)),
    "sandbox": ("sandbox", {}, ("sandbox_submit",)),
    "queue of the sandbox": ("sandbox", {"sandbox": "1.4.4.3-1-0-2_A.n11_"}, ("sandbox_queue_use",)),
    "library": ("library", {}, (f"do_rename_{CARD}",)),
    "name of the report": ("report", {}, ()),
}
SAMPLE = {
    ("zh", "prediction"),
    ("en", "queue of the sandbox"),
    ("zh", "number of the quiz"),
}


@pytest.mark.parametrize(("language", "place"), sampled(product(LANGUAGES, FIELDS), SAMPLE))
def test_any_field_of_any_page(place: str, language: str) -> None:
    """What is typed stays as it was typed, and commits nothing that the page could not read."""
    page, parameters, buttons = FIELDS[place]
    at = task(language, page)
    session_of(at)[STORED] = {
        "own_words": {"x": "y"},
        "explanation": "A page is full.",
        "scenarios": [[MINE, write_file(State(parse_scenario("1.16.4.used_A.n11_aA"), 1)).decode()]],
    }
    go(at, **parameters)
    fields = [str(field.key) for field in (*at.text_input, *at.text_area)]
    assert fields
    index = list(FIELDS).index(place) * 2 + LANGUAGES.index(language)
    pressed = set()
    for text in dealt(index, 5):
        _type(at, fields, text)
        harmless(at.run())
        for button in buttons:
            if button in keys(at):
                pressed.add(button)
                _type(at, fields, text)  # a form's fields come with its button
                harmless(at.button(key=button).click().run())
        shown = {key: "".join(value) for key, value in at.query_params.items()}
        if page not in ("sandbox", "report", "library") and "read_sentence" not in buttons:
            assert shown == parameters
    assert pressed == set(buttons)


def _type(at: AppTest, fields: list[str], text: str) -> None:
    for field in (*at.text_input, *at.text_area):
        if field.key in fields and not field.disabled:
            field.set_value(text)


NAMES = (
    *("committed", "ran", "done", "checks", "attempts", "foreign", "rounds", "rounds_sure", "own_words", "explanation"),
    *(
        "again",
        "quiz",
        "memory",
        "intuition",
        "scenarios",
        "long_states",
        "report_name",
        "try",
        "earlier",
        "shared",
        "answers",
    ),
)
SHAPES: list[Any] = [
    *("\ud800", "<script>alert(1)</script>", "x" * 5000, 5, -1.5, True, None, [], {}, [[]], [None, {}, 1e308]),
    *({"a": {"b": ["<img src=x onerror=alert(1)>"]}}, {P: [P]}, {"P4.used__": P, "": ""}, [P, "r.473.4.easy.5_9"]),
    {"r.473.4.easy.5": "\ud800\x00", "": {}},
]


@pytest.mark.parametrize("page", sampled(PAGES, ("quiz", "library")))
def test_any_record(page: str) -> None:
    """Names that the lab knows, each with a value of another kind, several at once."""
    at = task("en", page)
    shapes = cycle(SHAPES)
    start = PAGES.index(page)
    for _ in range(start):
        next(shapes)
    for _ in range(4):
        record = {name: next(shapes) for name in NAMES}
        next(shapes)  # so that the next round gives each name another one
        _drawn_with(at, record, run=f"{P}aA")


def test_any_long_state() -> None:
    """Under the name that the address asks for, and in place of all of them."""
    at = task("en", "sandbox")
    for text in (*dealt(0, 6), "\ud800", "{}", "[[", 5, None, ["x"], {"a": 1}):
        for kept in ({KEPT: text}, text):
            _drawn_with(at, {"long_states": kept}, sandbox=f"kept.{KEPT}_aA")
            assert at.warning


def _drawn_with(at: AppTest, record: dict[str, Any], **parameters: str) -> None:
    """The page is drawn with this record, and leaves it as it is."""
    session_of(at)[STORED] = record
    harmless(go(at, **parameters))
    assert session_of(at)[STORED] == record
