"""The quick question about the newest operation: asked first, answered once; its events hold the answer."""

from __future__ import annotations

from typing import Any

import pytest

from lab.activities.checkpoint import Checkpoint, build_checkpoint
from lab.trace.timeline import Timeline
from lessons.activity.checkpoint import format_checkpoint_option
from lessons.text.translations import LANGUAGES, get_translations
from tests.links import new, parse_run
from tests.pages.test_one_prediction import opened, record_of
from tests.pages.test_pages import DONE, P, events_panel, sound, texts
from tests.sample import sampled, some


def asked_after(run: str) -> tuple[Checkpoint, str]:
    """The question about the newest operation, and the key of its choices."""
    steps = Timeline.replay(parse_run(run).config, parse_run(run).operations).steps
    asked = build_checkpoint(steps[-1])
    return asked, f"check.P.{len(steps)}.{asked.id}.{asked.seq_id}"


@pytest.mark.parametrize("turn", sampled(range(len(LANGUAGES)), (0,)))
@pytest.mark.parametrize("operations", sampled(("aA", "aA.aB", "aA.aB.tB", "aA.aB.tB.rA", "tB"), ("aA.aB.tB", "tB")))
def test_the_question_comes_first_and_is_answered_once(turn: int, operations: str) -> None:
    """The events, which hold the answer, are closed before; then they open, and nothing is left to choose.

    Every option of every question, in the languages by turns; each language has right and wrong ones.
    """
    run = f"4.used_{P}_{operations}"
    asked, key = asked_after(run)
    for option in asked.options[turn :: len(LANGUAGES)]:
        language = LANGUAGES[(turn + operations.count(".")) % len(LANGUAGES)]
        say = get_translations(language)
        at = opened(language=language, run=run)
        assert (events_panel(at).proto.expanded, "●" in texts(at)) == (False, False)
        at = sound(at.radio(key=key).set_value(option.id).run())
        for session in (at, opened(record_of(at), language, run=run)):  # and after a reload
            assert (events_panel(session).proto.expanded, len(session.radio)) == (True, 0)
            lines = next(e.value for e in session.markdown if "●" in e.value).split("  \n")
            marked = [f"{'●' if o is option else '○'} {format_checkpoint_option(asked, o, say)}" for o in asked.options]
            assert lines == marked
            right = next(o for o in asked.options if o.id == asked.answer)
            engine = say.text("task.check_engine", option=format_checkpoint_option(asked, right, say))
            told = [say.text("task.check_right")], [f"{say.text('task.check_wrong')} {engine}"]
            assert [e.value for e in session.success] == (told[0] if option is right else [])
            assert [e.value for e in session.warning] == ([] if option is right else told[1])
        assert record_of(at)["answers"] == {new(f"4.used_{P}_"): {f"check.{operations}": option.id}}


def test_where_nothing_is_asked_the_events_are_open() -> None:
    """In a demonstration, before an earlier operation's end and inside one; at the start there are none."""
    for parameters in ({"run": "4.used__aA.aB"}, {"run": DONE, "at": "3"}, {"run": DONE, "at": "5.1"}):
        at = opened(None, "en", **parameters)
        assert (events_panel(at).proto.expanded, len(at.radio)) == (True, 0)
    assert not [e for e in opened(run=DONE, at="0").expander if getattr(e, "key", "").startswith("events_")]
    assert events_panel(opened(run=DONE)).proto.expanded is False


@pytest.mark.parametrize("kept", some(["nonsense", "", 5, None, [], ["table"], {"a": 1}], 2))
def test_an_answer_that_somebody_edited_does_no_harm(kept: Any) -> None:
    """The question is asked as if nothing had been answered, and can be."""
    run = f"4.used_{P}_aA"
    asked, key = asked_after(run)
    beginning = new(f"4.used_{P}_")
    for answers in ({beginning: {"check.aA": kept}}, {beginning: kept}):
        at = opened({"answers": answers}, run=run)
        at = sound(at.radio(key=key).set_value(asked.answer).run())
        assert record_of(at)["answers"][beginning]["check.aA"] == asked.answer
        assert (len(at.radio), len(at.success)) == (0, 1)
