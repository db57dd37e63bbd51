"""Writing on the sandbox's page: texts are saved, steps inserted and deleted, a request and the log removed."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from lab.sandbox.library import LIBRARY, find_prepared
from lab.sandbox.log import Group
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import AuthorPrompt, BilingualText, Script
from lessons.text.translations import get_translations
from tests.pages.session_state import session_of
from tests.pages.test_pages import keys, press, sound, texts
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


def test_what_an_author_types_is_no_markdown() -> None:
    """Title, sentence, question and point: the page says that they are shown as typed, line breaks too."""
    typed = "**bold** $x$ [a](https://evil.example)\n:material/home: <b>"
    text = BilingualText(typed)
    at = opened(replace(WRITTEN, script=Script(text, text, (AuthorPrompt(6, "needed", text, text),))))
    assert not [each for each in (*at.header, *at.subheader, *at.markdown) if "evil" in str(each.value)]
    shown = unescape(texts(at))
    assert f">{' '.join(typed.splitlines())}</h2>" in shown  # a title is one line
    assert shown.count(typed) == 2  # the sentence and the point; the question has been answered
    assert "<b>" not in texts(at).split("</style>")[-1]


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


def test_steps_unfold_again_in_another_pool() -> None:
    """To the end of a longer page; the position stays after the same step, and the comparison counts steps."""
    made = scenario("aB aA", num_blocks=16)
    at = press(press(opened(made), "sandbox_unfolding.fill"), "sandbox_unfolding.decode")
    filled = now(at).groups[0]
    at = sound(at.slider(key="sandbox_block_size").set_value(8).run())
    assert [each.kind for each in now(at).groups] == ["fill", "decode"]
    assert (filled.count, now(at).groups[0].count) == (1, 5)
    assert "at_sandbox" not in at.query_params
    assert get_translations("en").text("sandbox.compared") in [heading.value for heading in at.subheader]
    assert now(press(at, "sandbox_whole_log.undo")).groups[0] == filled


def test_undo_names_a_preemption() -> None:
    """And not the request that it adds."""
    say = get_translations("en")
    at = opened(scenario("aA aB"))
    preempted = say.text("authoring.preempt", seq_id=at.pills(key="sandbox_request").value)
    at = press(at, "sandbox_unfolding.preempt")
    hint = next(each.help for each in at.button if each.key == "sandbox_whole_log.undo")
    assert hint == say.text("sandbox.undo_added", operations=preempted)


def test_what_a_link_brings_is_written_in_only_after_a_copy() -> None:
    """Not by whose address has notes for oneself, nor by who wrote it here."""
    say = get_translations("en")
    at = written()
    assert "author_title_en_0" not in keys(at)
    assert say.text("present.note.finished_one") in texts(at)
    at = press(at, "sandbox_author_copy")
    assert at.text_input(key="author_title_en_0").value == "Mine"
    assert say.text("present.note.finished_one") not in texts(at)  # while one writes, nobody has been asked
    own = written(replace(WRITTEN, script=SCRIPT.put(replace(SCRIPT.find(6), remark=BilingualText("Slowly.")))))
    assert own.text_input(key="author_title_en_0").value == "Mine"
    begun = opened(LIBRARY["task"].scenario.up_to(1))
    begun.text_input(key="author_title_en_0").set_value("Mine")
    assert "author_title_en_0" in keys(press(begun, "sandbox_author_save"))


def test_what_was_written_here_is_still_ones_own_after_a_reload() -> None:
    """In this browser: its record knows the texts, and a part of them too. Another browser gets a copy."""
    at = opened(LIBRARY["task"].scenario.up_to(1), told={})
    at.text_input(key="author_title_en_0").set_value("Mine")
    at.text_area(key="author_point_en_1").set_value("A point.")
    at = press(at, "sandbox_author_save")
    record = dict(session_of(at)["record"])
    alone = replace(now(at), script=Script(BilingualText("Mine")))
    for made in (now(at), alone):
        assert "author_title_en_0" in keys(opened(made, told=record))
    assert "sandbox_author_copy" in keys(opened(now(at), told={}))


def test_the_only_question_can_be_taken_away() -> None:
    """Of a library scenario, which is then nobody's."""
    at = opened(LIBRARY["twins"].scenario)
    at.selectbox(key="author_about__2").set_value("")
    at = press(at, "sandbox_author_save")
    assert find_prepared(now(at)) is None
    assert now(at).operations == LIBRARY["twins"].scenario.operations


def test_lines_of_a_point_stay() -> None:
    """As they were typed, with one empty line at most; a title is one line."""
    at = opened(LIBRARY["task"].scenario.up_to(1))
    at.text_area(key="author_point_en_1").set_value(" First.\n\n\n\n**Second.**  \n")
    at = press(at, "sandbox_author_save")
    assert now(at).script.find(1).point.en == "First.\n\n**Second.**"
    assert "<p>First.\n\n**Second.**</p>" in texts(at)
    assert Script(BilingualText("One\ntitle")).title.en == "One title"


def test_who_has_no_next_word_is_called_by_name() -> None:
    say = get_translations("en")
    at = opened(scenario("aS", (RequestSpec("S", 6, called="system"),)))
    assert say.text("next_word.unknown", seq_ids="system") in texts(at)
