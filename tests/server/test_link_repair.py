"""Damaged links: a clear meaning is repaired, the rest is reported, and what the lab writes passes unchanged."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qsl, quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from lessons.state.link_repair import repair_parameters
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.pages.test_bad_input import LINKS
from tests.pages.test_pages import said, task

SANDBOX = "1.8.4.fresh_A.n4_aA"
SAME = {"lang": "en", "sandbox": SANDBOX}


def read(query: str) -> dict[str, str]:
    """Parse a query string as Streamlit does."""
    return repair_parameters(dict(parse_qsl(query, keep_blank_values=True)))


@pytest.mark.parametrize(
    "query",
    [
        f"lang=en&amp;sandbox={SANDBOX}",
        f"lang=en&amp;amp;sandbox={SANDBOX}",
        f"lang=en%26sandbox={SANDBOX}",
        f"lang=en%26amp%3Bsandbox%3D{SANDBOX}",
        f"lang%3Den%26sandbox%3D{SANDBOX}",
        quote(quote(f"lang=en&sandbox={SANDBOX}")),
        f"lang=en&sandbox={quote(quote(SANDBOX + '~')).replace('~', '')}",
        f"lang=en&SANDBOX={SANDBOX}",
        f"Lang=EN&Sandbox={SANDBOX}",
        f"lang=en-US&sandbox={SANDBOX}",
        f"lang=3Den&sandbox=3D{SANDBOX}",
        f"lang=en&sandbox={SANDBOX[:9]}%20{SANDBOX[9:]}",
        f"lang=en&sandbox={SANDBOX[:9]}%E2%80%8B{SANDBOX[9:]}",
        *(
            f"lang=en&sandbox={SANDBOX}{quote(sign)}"
            for sign in (")", ",", ";", ">", '"', "'", "]", "!", "*", "。", "）", "」", ").", ">,")[:-2]
        ),
        f"sandbox={SANDBOX})&lang=en)",
        f"lang=en&sandbox=%22{SANDBOX}%22",
        f"sandbox={SANDBOX}&lang=en.",
        f"sandbox={SANDBOX}&amp;lang=zh&lang=en",
    ],
)
def test_a_damaged_link_means_what_was_sent(query: str) -> None:
    assert read(query) == SAME


@pytest.mark.parametrize(
    ("asked", "language"),
    [("zh-CN", "zh"), ("zh_TW", "zh"), ("ZH", "zh"), ("zh-Hans-SG", "zh"), ("EN", "en"), ("en-GB", "en"), ("fr", "fr")],
)
def test_the_language_is_named_as_browsers_do(asked: str, language: str) -> None:
    assert read(f"lang={asked}") == {"lang": language}


def test_at_beside_one_other_run_is_the_place_in_that() -> None:
    assert read(f"sandbox={SANDBOX}&at=1") == {"sandbox": SANDBOX, "at_sandbox": "1"}
    for kept in ("run=4.used__aA&sandbox=x&at=1", "sandbox=x&at_sandbox=1&at=2", "sandbox=x&quiz=y&at=1", "at=1"):
        assert read(kept) == dict(parse_qsl(kept))


@pytest.mark.parametrize(
    "cut", [f"sandbox={SANDBOX}.", "sandbox=1.8.4.fre", "run=4.used_P3-1", f"utm_source=a%26b&sandbox={SANDBOX}"]
)
def test_what_may_mean_anything_stays(cut: str) -> None:
    assert read(cut) == dict(parse_qsl(cut))


ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~@"
NAMES = sorted({name for _, name, _ in LINKS} - {"lang", "part", "present", "at"})


@given(
    st.dictionaries(
        st.sampled_from(NAMES), st.text(ALPHABET, max_size=40).filter(lambda text: not text.startswith("3D"))
    )
)
def test_what_the_lab_writes_passes_unchanged(parameters: dict[str, str]) -> None:
    assert repair_parameters(parameters) == parameters
    damaged = urlencode(parameters).replace("&", "&amp;")
    assert read(damaged) == parameters


def unread(at: AppTest) -> list[str]:
    """The lines about parts of the address that could not be read."""
    return [each.proto.body for each in at.get("html") if '<p class="kv-unread">' in each.proto.body]


UNREADABLE = [
    ("start", {"lang": "fr"}),
    ("start", {"start": "99"}),
    ("task", {"part": "explain."}),
    ("task", {"present": "yes"}),
    ("quiz", {"quiz": "r.473.4.easy.5", "at_quiz": "9"}),
    ("quiz", {"quiz": "r.473.4.easy.5", "at_quiz": "e<b>nd"}),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("page", "parameters"), UNREADABLE)
def test_what_means_nothing_is_said_and_left_out(page: str, parameters: dict[str, str], language: Language) -> None:
    at = task(language, page, **parameters)
    key, value = list(parameters.items())[-1]
    (line,) = unread(at)
    assert get_translations(language).text("site.unread", what=f"<code>{escape(f'{key}={value}')}</code>") in line


def test_a_place_beyond_the_end_is_never_another_one_unsaid() -> None:
    """It belongs to the scenario beside it, where it is refused with a message."""
    say = get_translations("en")
    at = task("en", "sandbox", sandbox=SANDBOX, at="9")
    assert any(say.text("scenarios.link_part.at") in text for text in said(at))
    at = task("en", "sandbox", sandbox=SANDBOX, at="1")
    assert not at.warning
    assert unread(at) == []
