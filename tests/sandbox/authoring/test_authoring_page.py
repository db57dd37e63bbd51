"""Writing on the sandbox's page: texts are saved, steps inserted and deleted, a request and the log removed."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.library import LIBRARY
from lab.sandbox.log import Group
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import AuthorPrompt, BilingualText, Script
from lessons.text.translations import get_translations
from tests.pages.test_pages import press, sound, texts
from tests.sandbox.sandbox_page import log, now, opened, plain, scenario

pytestmark = pytest.mark.usefixtures("plain")
__all__ = ["plain"]

SCRIPT = Script(BilingualText("Mine"), prompts=(AuthorPrompt(6, "needed"),))
WRITTEN = replace(scenario("aA aB tA tB tA tB", num_blocks=16), groups=(Group("decode", 3, 4, 2),), script=SCRIPT)


def written(made: Scenario = WRITTEN) -> AppTest:
    """The page at the end of the log."""
    return opened(made)


def test_texts_are_saved_with_the_step_in_view() -> None:
    """A library scenario is then the author's own; the engine's answer is shown, and one undo takes it back."""
    library = LIBRARY["task"].scenario
    at = opened(library.up_to(1))
    at.text_input(key="author_title_en_0").set_value("Mine <b>")
    at.selectbox(key="author_about__1").set_value("empty")
    at.text_area(key="author_remark_en_1").set_value("Slowly.")
    at = press(at, "sandbox_author_save")
    prompt = AuthorPrompt(1, "empty", remark=BilingualText("Slowly."))
    assert now(at).script == Script(BilingualText("Mine <b>"), prompts=(prompt,))
    assert get_translations("en").text("authoring.answered", answer="1") in unescape(texts(at))
    assert "<b>" not in texts(at).split("</style>")[-1]
    assert now(press(at, "sandbox_whole_log.undo")) == library.up_to(1)


def test_a_step_is_deleted_and_the_rest_unfolds_again() -> None:
    at = press(written(), "sandbox_editing.repeat")
    assert now(at).groups == (Group("decode", 3, 4, 2), Group("decode", 7, 4, 2))
    at = press(at, "sandbox_editing.delete")
    assert now(at) == WRITTEN


def test_a_step_is_inserted_before_the_others() -> None:
    """After a question; the operations ahead stay."""
    at = written(replace(WRITTEN, queue="used"))
    at.query_params["at_sandbox"] = "2"
    at = press(sound(at.run()), "sandbox_unfolding.fill")
    at = press(at, "sandbox_insert")
    assert now(at).groups[0].kind == "fill"
    assert log(at).startswith("aA aB t")
    assert now(at).groups[1] == Group("decode", now(at).groups[0].last + 1, 4, 2)


def test_a_request_and_the_log_go_with_their_steps() -> None:
    """What is one step of several operations unfolds without the request; its question goes with it."""
    at = press(press(written(), "sandbox_remove_B"), "sandbox_remove_both")
    assert (log(at), now(at).groups) == ("aA tA tA", (Group("decode", 2, 2, 2),))
    assert now(at).script.prompts == (AuthorPrompt(3, "needed"),)
    at = press(at, "sandbox_whole_log.empty")
    assert (log(at), now(at).script) == ("", Script(BilingualText("Mine")))
