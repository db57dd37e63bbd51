"""The form that asks every question: what each field commits, what it says if it cannot, and how sureness is asked."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.question import Form
from lessons.text.translations import Language, get_translations
from tests.pages.session_state import session_of
from tests.pages.test_pages import press, sound, texts
from tests.sample import every_language

# A form -> what is typed or chosen (by the end of a key), the value that is committed; and something unreadable.
ANSWERS: dict[Form, tuple[dict[str, object], object, dict[str, object], str]] = {
    "number": ({"": "７"}, 7, {"": "1.5"}, "not_whole"),
    "percent": ({"": " 70 % "}, 70, {"": "101"}, "not_a_percent"),
    "slot": ({"": "30"}, 30, {}, "empty"),
    "yes_no": ({"": 0}, 0, {}, "no_choice"),
    "choice": ({"": "b"}, "b", {}, "no_choice"),
    "order": ({".a": 2, ".b": 1, ".c": 3}, ("b", "a", "c"), {".a": 1, ".b": 1, ".c": 2}, "not_every_step"),
    "set": ({"": "1-2, 5"}, frozenset({1, 2, 5}), {"": "1-9"}, "no_such_cell"),
    "several": ({".a": True, ".c": True}, frozenset({"a", "c"}), {}, "none_chosen"),
}


def page(forms: tuple[str, ...], sure: str, language: str) -> None:
    """One form with a question of each of these forms."""
    from lab.activities.question import Question, build_options  # noqa: PLC0415
    from lessons.state.session import get_session  # noqa: PLC0415
    from lessons.text.translations import get_translations  # noqa: PLC0415
    from lessons.widgets.question_form import Field, ask_questions  # noqa: PLC0415

    options = build_options("abc")
    fields = [
        Field(Question(form, form, options=options, cells=range(6)), f"asked.{form}", form, str, sure or None)  # type: ignore[arg-type]
        for form in forms
    ]

    def commit(*given: object) -> None:
        get_session().setdefault("given", []).append(given)

    ask_questions("form", fields, commit, get_translations(language))  # type: ignore[arg-type]


def opened(*forms: Form, sure: str = "", language: Language = "en") -> AppTest:
    return sound(AppTest.from_function(page, default_timeout=60, args=(forms, sure, language)).run())


def fill(at: AppTest, form: Form, typed: dict[str, object]) -> None:
    for end, value in typed.items():
        key = f"asked.{form}{end}"
        if form == "several":
            at.checkbox(key=key).check()
        elif form in ("yes_no", "choice", "order"):
            at.radio(key=key).set_value(value)
        else:
            at.text_input(key=key).set_value(str(value))


def given(at: AppTest) -> list[Any]:
    return list(session_of(at).get("given", []))


@every_language
@pytest.mark.parametrize("form", ANSWERS)
def test_an_answer_is_committed_once_it_can_be_read(form: Form, language: Language) -> None:
    """Until then its field says why not, and nothing is committed."""
    say, (good, value, bad, reason) = get_translations(language), ANSWERS[form]
    at = opened(form, language=language)
    problem = say.text(f"errors.invalid_answer.{reason}")
    assert problem not in texts(at)
    fill(at, form, bad)
    at = press(at, "commit")
    assert (problem in texts(at), given(at)) == (True, [])
    fill(at, form, good)
    at = press(at, "commit")
    assert (problem in texts(at), given(at)) == (False, [((value,), (None,))])


def test_all_answers_are_committed_or_none() -> None:
    """Each field has its own problem, and the form says how many there are."""
    say, at = get_translations("en"), opened("number", "choice", "percent")
    fill(at, "choice", {"": "a"})
    at = press(at, "commit")
    assert texts(at).count("▲ ") == 2
    assert say.text("task.format_note", count=2) in texts(at)
    fill(at, "number", {"": "3"})
    fill(at, "percent", {"": "4"})
    at = press(at, "commit")
    assert given(at) == [((3, "a", 4), (None, None, None))]
    assert texts(at).count("▲ ") == 0


def test_sureness_has_one_scale() -> None:
    """A box says sure or think; on the scale a level has to be chosen."""
    at = opened("number", sure="box")
    fill(at, "number", {"": "3"})
    at = press(at, "commit")
    at.checkbox(key="asked.number.sure").check()
    at = press(at, "commit")
    assert given(at) == [((3,), ("think",)), ((3,), ("sure",))]
    at = opened("number", sure="scale")
    fill(at, "number", {"": "3"})
    at = press(at, "commit")
    assert (given(at), get_translations("en").text("errors.invalid_answer.no_choice") in texts(at)) == ([], True)
    at.radio(key="asked.number.sure").set_value("guess")
    assert given(press(at, "commit")) == [((3,), ("guess",))]


def test_saved_words_come_when_the_browser_has_sent_them_and_do_not_undo_later_ones() -> None:
    """The first drawing is before the record; what is handed in afterwards stays."""

    def page() -> None:
        import streamlit as st  # noqa: PLC0415

        from lessons.text.translations import get_translations  # noqa: PLC0415
        from lessons.widgets.question_form import ask_for_text  # noqa: PLC0415

        def save(text: str) -> None:
            st.session_state["saved"] = text

        submit = ("site.compare", "compare")
        ask_for_text("own.x", "why?", st.session_state["saved"], save, get_translations("en"), submit=submit)

    at = AppTest.from_function(page, default_timeout=60)
    at.session_state["saved"] = ""
    at.run()
    at.session_state["saved"] = "first"
    at.run()
    assert at.text_area(key="own.x").value == "first"
    at.text_area(key="own.x").set_value("second")
    at = press(at, "compare")
    assert (at.text_area(key="own.x").value, at.session_state["saved"]) == ("second", "second")
    at.text_area(key="own.x").set_value("  ")
    at = press(at, "compare")
    assert at.session_state["saved"] == "second"
    assert get_translations("en").text("errors.invalid_answer.no_text") in texts(at)
