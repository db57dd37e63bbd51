"""The requests of the sandbox in Streamlit: added, edited, removed; with any text."""

from __future__ import annotations

from html import escape

import pytest
from streamlit.testing.v1 import AppTest

from lab.engine.errors import EmptyPromptError, LabError, LimitError
from lab.sandbox.errors import BegunLikeError, RequestNameError, TextTooLongError, WholeNumberError
from lab.sandbox.request_specs import MAX_TEXT, RequestSpec, find_next_name
from lessons.text.sentences import format_error
from lessons.text.translations import Language, get_translations
from tests.pages.test_pages import press, sound, texts
from tests.sample import every_language, some
from tests.sandbox.sandbox_page import act, in_turn, log, now, opened, plain, scenario

pytestmark = pytest.mark.usefixtures("plain")
__all__ = ["plain"]


def add(at: AppTest, **fields: str) -> AppTest:
    """Fill in the form and press its button. `count` switches to a number of tokens."""
    own = "count" if "count" in fields else "text"
    if at.segmented_control(key="sandbox_own").value != own:
        at = sound(at.segmented_control(key="sandbox_own").set_value(own).run())
    if "same_as" in fields:
        at = sound(at.selectbox(key="sandbox_same_as").set_value(fields["same_as"]).run())
    for name, text in fields.items():
        if name != "same_as" and (name != "same" or fields.get("same_as")):
            at.text_input(key=f"sandbox_{name}").set_value(text)
    return press(at, "sandbox_submit")


def test_requests_are_added_by_text_by_length_and_like_another() -> None:
    """The form suggests the next name; the tokens on screen are the engine's; the operations stay."""
    made = scenario("aA")
    at = opened(made)
    assert at.text_input(key="sandbox_name").value == "C"
    at = add(at, text="Hello, 世界 🙂", then="again and again")
    at = add(at, count="5", name="z9")
    at = add(at, count="", same_as="C", same="3")
    assert now(at).requests[2:] == (
        RequestSpec("C", "Hello, 世界 🙂", then="again and again"),
        RequestSpec("Z9", 5),
        RequestSpec("D", 0, "C", 3),
    )
    assert now(at).operations == made.operations
    for asked in now(at).requests:
        for token_id in now(at).config.request(asked.seq_id).prompt[:8]:
            assert f"<bdi>{escape(now(at).token(token_id))}</bdi>" in texts(at)
    assert escape(get_translations("en").text("sandbox.same_as", other="C", tokens="3 tokens")) in texts(at)
    assert at.pills(key="sandbox_request").value == "D"
    headings = [heading.value for heading in at.subheader]
    assert get_translations("en").text("sandbox.compared") not in headings  # no operation uses them
    assert log(act(at, "aD")) == "aA aD"


WRONG: dict[str, tuple[dict[str, str], LabError]] = {
    "nothing": ({"text": ""}, EmptyPromptError(seq_id="C")),
    "invisible": ({"text": "\x00\u202e \u2066"}, EmptyPromptError(seq_id="C")),
    "too long": ({"text": "a" * (MAX_TEXT + 1)}, TextTooLongError(seq_id="C", characters=MAX_TEXT + 1, limit=MAX_TEXT)),
    "too many": ({"text": "字" * 129}, LimitError(name="tokens", value=129, limit=128)),
    "name": ({"text": "a", "name": "<b>"}, RequestNameError(character="<")),
    "underscore": ({"text": "a", "name": "Al_ice"}, RequestNameError(character="_")),
    "begins wrong": ({"text": "a", "name": "-Alice"}, RequestNameError()),
    "no name": ({"text": "a", "name": "\x00"}, RequestNameError()),
    "number": ({"count": "129"}, WholeNumberError(name="count", minimum=1, limit=128)),
    "none": ({"count": "0"}, WholeNumberError(name="count", minimum=1, limit=128)),
    "word": ({"count": "four"}, WholeNumberError(name="count", minimum=1, limit=128)),
    "own besides": ({"count": "-1", "same_as": "A", "same": "2"}, WholeNumberError(name="count", minimum=0, limit=128)),
    "same": ({"text": "a", "same_as": "A", "same": ""}, WholeNumberError(name="same", minimum=1, limit=128)),
    "same too many": (
        {"text": "a", "same_as": "A", "same": "129"},
        WholeNumberError(name="same", minimum=1, limit=128),
    ),
    "together": ({"text": "a", "same_as": "A", "same": "128"}, LimitError(name="tokens", value=129, limit=128)),
}


@pytest.mark.parametrize(("case", "language"), some(in_turn(WRONG), 5))
def test_a_request_that_cannot_be_is_a_sentence(case: str, language: Language) -> None:
    """Nothing changes, the typed text stays, and no advice to release a request that was never allocated."""
    made, (fields, problem) = scenario("aA"), WRONG[case]
    at = add(opened(made, language), **fields)
    problems = [str(each.value) for each in at.markdown if "▲" in str(each.value)]
    assert len(problems) == 1
    assert problems[0] == f":red[▲ {format_error(problem, get_translations(language))}]"
    assert now(at) == made
    assert all(at.text_input(key=f"sandbox_{name}").value == text for name, text in fields.items() if name != "same_as")


def test_text_that_turns_or_speaks_markup_is_only_text() -> None:
    """Right to left, markup, a formula: the text is escaped and cannot change the direction of its surroundings."""
    at = add(opened(scenario()), text="שלום <b>x</b> $y$ \u202e:material/home:")
    shown = texts(at)
    assert "<bdi>שלום</bdi>" in shown
    assert "<bdi>&lt;</bdi>" in shown
    assert "\u202e" not in shown
    assert "<b>" not in shown


def test_a_request_is_edited_under_its_operations() -> None:
    """The form is filled in; after saving, the operations run again and are compared."""
    made = scenario("aA aB", [RequestSpec("A", 5), RequestSpec("B", 4, "A", 4)])
    at = press(opened(made), "sandbox_edit_B")
    assert (at.selectbox(key="sandbox_same_as").value, at.text_input(key="sandbox_same").value) == ("A", "4")
    assert at.text_input(key="sandbox_count").value == "4"
    assert at.text_input(key="sandbox_name").value == "B"
    at = add(at, count="1", same_as="", same="")
    assert now(at) == scenario("aA aB", [RequestSpec("A", 5), RequestSpec("B", 1)])
    assert get_translations("en").text("sandbox.compared") in [heading.value for heading in at.subheader]
    assert at.text_input(key="sandbox_name").value == "C"
    assert get_translations("en").text("sandbox.outcome.saved", name="B", tokens="1 token") in texts(at)
    at = press(press(at, "sandbox_edit_A"), "sandbox_cancel")
    assert at.text_input(key="sandbox_count").value == ""
    assert now(at) == scenario("aA aB", [RequestSpec("A", 5), RequestSpec("B", 1)])


def test_a_request_goes_with_its_operations_after_asking() -> None:
    """Without operations it goes at once; the rest of the log runs again, and undo restores everything."""
    made, say = (
        scenario("aA aB tB", [RequestSpec("A", 5), RequestSpec("B", 4), RequestSpec("C", 1)]),
        get_translations("en"),
    )
    at = press(opened(made), "sandbox_remove_C")
    assert [asked.seq_id for asked in now(at).requests] == ["A", "B"]
    before = now(at)
    at = press(at, "sandbox_remove_A")
    assert now(at) == before
    asked = say.text("sandbox.remove_asked", seq_id="A", count=1, lost=say.text("task.op_allocate", seq_id="A"))
    assert asked in texts(at)
    at = press(at, "sandbox_remove_keep")
    assert (asked in texts(at), now(at)) == (False, before)
    at = press(press(at, "sandbox_remove_A"), "sandbox_remove_both")
    assert now(at) == scenario("aB tB", [RequestSpec("B", 4)])
    both = say.text("sandbox.compared_some", what=say.text("sandbox.changed_other"), changed=2, of=2)
    assert both in texts(at)  # without A, B takes other blocks
    at = press(at, "sandbox_whole_log.undo")
    assert now(at) == before


@every_language
def test_a_request_that_another_begins_like_stays(language: Language) -> None:
    """The sentence names both requests."""
    made = scenario("aA aB", [RequestSpec("A", 5), RequestSpec("B", 4, "A", 4)])
    at = press(opened(made, language), "sandbox_remove_A")
    assert format_error(BegunLikeError(seq_id="A", other="B"), get_translations(language)) in texts(at)
    assert now(at) == made


def test_without_requests_one_is_asked_for() -> None:
    """The last request may be removed."""
    at = press(opened(scenario("", [RequestSpec("A", 5)])), "sandbox_remove_A")
    assert now(at).requests == ()
    assert get_translations("en").text("sandbox.no_requests") in texts(at)
    assert log(act(add(at, count="3"), "aA")) == "aA"


def test_the_next_name() -> None:
    """Letters, then letters with a digit, then none."""
    every: list[str] = []
    while name := find_next_name(every):
        every.append(name)
    assert every[:3] == ["A", "B", "C"]
    assert every[25:28] == ["Z", "A0", "B0"]
    assert len(set(every)) == len(every) == 26 * 11
    assert find_next_name(["A", "C"]) == "B"
