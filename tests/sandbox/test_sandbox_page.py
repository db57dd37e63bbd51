"""The sandbox in Streamlit: pool and requests changed, operations refused with a reason, cut off, compared."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import pytest
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest

from lab.engine.errors import LimitError
from lab.sandbox.errors import WholeNumberError
from lab.sandbox.history import History
from lab.sandbox.link import encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.trace.config import MAX_REQUESTS, MAX_TOKENS
from lab.trace.operations import encode_operation, parse_operation
from lab.trace.timeline import Timeline
from lessons.sandbox.fields import parse_whole
from lessons.sandbox.sentences import format_operations, format_refused, format_steps
from lessons.text.sentences import format_error, format_event
from lessons.text.translations import Language, get_translations, load_strings
from tests.pages.session_state import session_of
from tests.pages.test_pages import address, go, keys, press, sound, task, texts
from tests.player import frame
from tests.sample import every_language, examples
from tests.sandbox.resize_cases import resize
from tests.sandbox.sandbox_cases import scenarios
from tests.sandbox.sandbox_page import act, in_turn, log, now, opened, plain, scenario

pytestmark = pytest.mark.usefixtures("plain")
__all__ = ["plain"]


# --- operations ----------------------------------------------------------------------------------------------------


REFUSED = {
    "no_free_blocks": "aA aB aC",
    "already_allocated": "aA aA",
    "not_allocated": "rA",
    "token_pending": "aA kA kA",
}


@settings(max_examples=examples(60))
@given(scenarios(most_operations=30))
def test_no_refusal_is_without_advice(made: Scenario) -> None:
    """The cases below are all that the engine can refuse here, and each refusal has advice in both languages."""
    refusals, limits = [], set()
    timeline = Timeline(made.config)
    for operation in made.operations:
        try:
            refusals.append(timeline.apply(operation).refusal)
        except LimitError as limit:
            limits.add(f"sandbox.advice.limit_{limit.numbers['name']}")
    assert limits <= set(load_strings("en"))
    assert {refusal.reason for refusal in refusals if refusal} <= set(REFUSED)


@every_language
@pytest.mark.parametrize("code", REFUSED)
def test_a_refusal_is_explained_with_what_one_could_do(code: str, language: Language) -> None:
    """The engine's own sentence with its numbers, and one more sentence; the refusal is a step of the log."""
    made = scenario(REFUSED[code], [RequestSpec("A", 4), RequestSpec("B", 8), RequestSpec("C", 8)])
    *_, last = Timeline.replay(made.config, made.operations).steps
    assert last.refusal is not None
    assert last.refusal.reason == code
    at = opened(made.up_to(len(made.operations) - 1), language)
    at = act(at, encode_operation(last.operation))
    say = get_translations(language)
    reason = say.text(f"errors.{code}", **dict(last.refusal.numbers))
    advice = say.text(f"sandbox.advice.{code}", **dict(last.refusal.numbers))
    shown = texts(at)
    assert escape(reason) in shown
    assert escape(advice) in shown
    assert escape(format_steps([last], say)) in shown
    assert now(at).operations == made.operations


@every_language
def test_a_limit_is_told_and_not_recorded(language: Language) -> None:
    """A thirteenth live request."""
    requests = [RequestSpec(name, 1) for name in "ABCDEFGHIJKLM"]
    made = scenario(" ".join(f"a{name}" for name in "ABCDEFGHIJKL"), requests, num_blocks=16)
    assert len(made.operations) == MAX_REQUESTS
    at = opened(made, language)
    at = sound(at.selectbox(key="sandbox_request").set_value("M").run())
    at = press(at, "sandbox_operations.aM")
    limit = LimitError(name="requests", value=MAX_REQUESTS + 1, limit=MAX_REQUESTS)
    say = get_translations(language)
    assert [warning.value for warning in at.warning] == [format_refused(limit, say)]
    assert say.text("sandbox.advice.limit_requests") in at.warning[0].value
    assert now(at) == made


def test_the_request_says_what_has_become_of_it() -> None:
    """Not arrived, so many tokens in so many blocks, released; at the position in view."""
    made = scenario("aA aB tB rA", num_blocks=5)
    at = opened(made)
    assert at.pills(key="sandbox_request").options == ["A · released", "B · 5 tokens in 2 blocks"]
    at = go(at, lang="en", sandbox=encode_scenario(made), at_sandbox="2")
    assert at.pills(key="sandbox_request").options == ["A · 11 tokens in 3 blocks", "B · 4 tokens in 1 block"]
    at = go(at, lang="zh", sandbox=encode_scenario(scenario()))
    assert at.pills(key="sandbox_request").options == ["A · 还没有来", "B · 还没有来"]


def test_several_stop_at_the_first_refusal_and_one_undo_takes_them_back() -> None:
    """Four blocks: A holds three, so B only has room for one page."""
    made = scenario("aA aB")
    at = opened(made)
    at = sound(at.pills(key="sandbox_request").set_value("A").run())
    at.text_input(key="sandbox_times").set_value("9")
    at = press(at, "sandbox_several.several")
    assert log(at) == "aA aB tA tA"  # one slot was empty
    steps = Timeline.replay(now(at).config, now(at).operations).steps
    assert [bool(step.refusal) for step in steps] == [False, False, False, True]
    assert escape(format_steps(steps[2:], get_translations("en"))) in texts(at)
    left = get_translations("en").text(
        "sandbox.untried", left=7, times=9
    )  # the first found room, the second was refused
    assert left in texts(at)
    assert at.button(key="sandbox_whole_log.undo").help == "takes back: Append 1 token to A (×2)"
    at = press(at, "sandbox_whole_log.undo")
    assert now(at) == made
    assert left not in texts(at)
    assert at.button(key="sandbox_whole_log.undo").disabled


@every_language
def test_several_that_a_limit_stops_say_how_many_are_left(language: Language) -> None:
    """Of 128 more tokens 8 are appended: the numbers in the message and in the log add up to 128."""
    at = opened(scenario("aA", [RequestSpec("A", MAX_TOKENS - 8)], num_blocks=8, block_size=16), language)
    at.text_input(key="sandbox_times").set_value("128")
    at = press(at, "sandbox_several.several")
    assert log(at) == " ".join(["aA"] + ["tA"] * 8)
    assert get_translations(language).text("sandbox.untried", left=120, times=128) in texts(at)
    at = act(at, "rA")
    assert get_translations(language).text("sandbox.untried", left=120, times=128) not in texts(at)


NUMBERS = ["", "0", "-1", "129", "99999", "2.5", "ten", "\x00", "１２９", "9" * 5000]


@every_language
def test_a_number_that_cannot_be_is_a_sentence(language: Language) -> None:
    """Nothing is appended."""
    made = scenario("aA")
    at = opened(made, language)
    for typed in NUMBERS:
        at.text_input(key="sandbox_times").set_value(typed)
        at = press(at, "sandbox_several.several")
        with pytest.raises(WholeNumberError) as problem:
            parse_whole(typed, "times", MAX_TOKENS)
        sentence = format_error(problem.value, get_translations(language))
        assert (sentence in texts(at), now(at)) == (True, made), typed
        assert re.findall(r"\d+", sentence) == ["1", str(MAX_TOKENS)]  # the limits of this field only


def test_numbers_in_the_digits_of_any_script() -> None:
    """As everywhere in the lab."""
    assert [parse_whole(text, "times", 128) for text in ("1", " 128 ", "１２")] == [1, 128, 12]
    assert parse_whole("0", "times", 128, 0) == 0


def test_acting_from_an_earlier_point_asks_first() -> None:
    """Keep: nothing changes. Cut off: later operations are removed, and one undo restores them and the position."""
    made, say = scenario("aA aB tB rA"), get_translations("en")
    at = opened(made, at_sandbox="1")
    at = act(at, "rA")
    lost = format_operations(made.operations[1:], say)
    assert say.text("sandbox.asked", operation=say.text("task.op_release", seq_id="A"), lost=lost) in texts(at)
    assert now(at) == made
    at = press(at, "sandbox_keep")
    assert "sandbox_cut" not in keys(at)
    assert now(at) == made
    at = press(act(at, "rA"), "sandbox_cut")
    assert (log(at), address(at, "at_sandbox")) == ("aA rA", "")
    assert at.button(key="sandbox_whole_log.undo").help == say.text(
        "sandbox.undo_cut", operations=say.text("task.op_release", seq_id="A"), count=3
    )
    at = press(at, "sandbox_whole_log.undo")
    assert (now(at), address(at, "at_sandbox")) == (made, "1")


@pytest.mark.parametrize("place", ["", "0"])
def test_start_again_empties_the_log_and_undo_brings_it_back(place: str) -> None:
    """The requests stay; nothing is compared."""
    made = scenario("aA aB tB")
    at = press(opened(made, at_sandbox=place), "sandbox_whole_log.empty")
    assert now(at) == scenario()
    assert get_translations("en").text("sandbox.compared") not in [heading.value for heading in at.subheader]
    assert at.button(key="sandbox_whole_log.undo").help == get_translations("en").text("sandbox.undo_log", count=3)
    at = press(at, "sandbox_whole_log.undo")
    assert now(at) == made


def test_a_press_counts_for_the_history_that_it_was_drawn_with() -> None:
    """On an outdated page it does nothing."""
    old = AppTest.from_function(_stale_press)
    old.query_params.update({"sandbox": encode_scenario(scenario("aA"))})
    assert not old.run().exception
    assert log(old) == "aA"
    begun = State(scenario(), 0)
    session_of(old)["note.sandbox.history"] = History(State(scenario("aA"), 1), (begun,), begun)
    assert not old.run().exception
    assert log(old) == ""


def _stale_press() -> None:
    from lessons.sandbox.operations import press_whole_log  # noqa: PLC0415
    from lessons.state import url  # noqa: PLC0415  (a script of its own)

    press_whole_log("empty", 1)
    url.sync_browser()


@every_language
def test_a_link_that_cannot_be_read_leaves_a_way_on(language: Language) -> None:
    """One sentence, and one button that starts from the scenario on screen."""
    at = task(language, "sandbox", lang=language, sandbox="1.4.4")
    assert len(at.warning) == 1
    assert "sandbox_operations.aA" not in keys(at)
    at = press(at, "sandbox_begin")
    assert not at.warning
    assert log(act(at, "aA")) == "aA"


# --- pool ----------------------------------------------------------------------------------------------------------


@every_language
def test_another_block_size_replays_and_says_what_ends_differently(language: Language) -> None:
    """As many steps as the engine's own comparison finds, each with a button; undo restores the size."""
    made, say = scenario("aA aB tB rA tB rB", num_blocks=16, queue="used"), get_translations(language)
    at = opened(made, language)
    at = sound(at.slider(key="sandbox_block_size").set_value(8).run())
    assert now(at) == Scenario(16, 8, "used", made.requests, made.operations)
    resized = resize(made, 8)
    assert resized.changed
    summary = say.text(
        "sandbox.compared_some",
        what=say.text("sandbox.changed_size", before=4, now=8),
        changed=len(resized.changed),
        of=resized.compared,
    )
    assert escape(summary) in texts(at)
    shown = sorted(key for key in keys(at) if key.startswith("sandbox_to_"))
    assert shown == [f"sandbox_to_{changed.step + 1}" for changed in resized.changed]
    for changed in resized.changed:
        for side in (changed.before, changed.after):
            if side.taken:
                assert escape(say.text("figures.comma").join(map(str, side.taken))) in texts(at)
        assert all(escape(say.text(f"sandbox.what.{what}")) in texts(at) for what in changed.what)
    at = press(at, shown[0])
    assert address(at, "at_sandbox") == str(resized.changed[0].step + 1)
    at = press(at, "sandbox_whole_log.undo")
    assert now(at) == made
    assert summary not in texts(at)


@every_language
def test_nothing_ends_differently(language: Language) -> None:
    """The same queue, typed."""
    say = get_translations(language)
    at = opened(scenario("aA aB", block_size=4), language)
    at = sound(at.segmented_control(key="sandbox_queue").set_value("typed").run())
    assert now(at).queue == (0, 1, 2, 3)
    assert say.text("sandbox.compared_none", what=say.text("sandbox.changed_other"), changed=0, of=2) in texts(at)


def test_a_slider_that_is_moved_on_is_one_change() -> None:
    """The keyboard passes every size in between: the comparison is with the first size, and one undo returns to it."""
    made, say = scenario("aA aB tB"), get_translations("en")
    at = opened(made)
    for size in (5, 6, 7, 8):
        at = sound(at.slider(key="sandbox_block_size").set_value(size).run())
    assert now(at) == replace(made, block_size=8)
    assert say.text("sandbox.changed_size", before=4, now=8) in texts(at)
    back = press(at, "sandbox_whole_log.undo")
    assert now(back) == made
    assert back.button(key="sandbox_whole_log.undo").disabled
    at = sound(back.slider(key="sandbox_block_size").set_value(3).run())
    at = sound(at.slider(key="sandbox_block_size").set_value(4).run())
    assert now(at) == made
    assert at.button(key="sandbox_whole_log.undo").disabled  # in the end nothing was changed
    at = sound(at.slider(key="sandbox_block_size").set_value(2).run())
    at = sound(at.slider(key="sandbox_blocks").set_value(8).run())
    at = sound(at.slider(key="sandbox_block_size").set_value(3).run())
    for size in (2, 4):  # back, and forward once more: the earlier change stays
        at = sound(at.slider(key="sandbox_block_size").set_value(size).run())
    for size, blocks in ((2, 8), (2, 4), (4, 4)):  # another field, another change
        at = press(at, "sandbox_whole_log.undo")
        assert now(at) == replace(made, block_size=size, num_blocks=blocks)


def test_a_queue_comes_back_with_its_blocks() -> None:
    """Fewer blocks, then as many as before, in one move: the typed order is back."""
    at = opened(scenario("aA", queue=(3, 1, 0, 2)))
    for blocks in (3, 2, 3, 4, 5):
        at = sound(at.slider(key="sandbox_blocks").set_value(blocks).run())
    assert now(at).queue == (3, 1, 0, 2, 4)


def test_a_refusal_is_said_once_beside_the_picture() -> None:
    """Near the operations; by the picture only in presenter mode, where the operations are below it."""
    made = scenario("aA aA")
    refusal = Timeline.replay(made.config, made.operations).steps[-1].refusal
    assert refusal is not None
    reason = format_event(refusal, get_translations("en"))
    assert "headline" not in frame(opened(made))
    assert frame(opened(made, present="on"))["headline"] == reason


@pytest.mark.thorough
@every_language
def test_a_limit_stops_the_replay_and_it_says_where(language: Language) -> None:
    """At block_size 1 A never fits; at 2 it does, and its tokens reach the lab's limit."""
    made = Scenario(64, 1, "fresh", (RequestSpec("A", 100),), tuple(map(parse_operation, ["aA", *["tA"] * 40])))
    at = opened(made, language)
    at = sound(at.slider(key="sandbox_block_size").set_value(2).run())
    resized = resize(made, 2)
    assert resized.stopped is not None
    assert len(now(at).operations) == resized.compared
    say = get_translations(language)
    sentence = say.text(
        "sandbox.stopped", first=resized.compared + 1, last=41, reason=format_error(resized.stopped, say)
    )
    assert [warning.value for warning in at.warning] == [sentence]
    at = press(at, "sandbox_whole_log.undo")
    assert now(at) == made


QUEUES = {
    "3 0 0 1 2": ["queue_twice", "0"],
    "3 0 0": ["queue_twice", "0"],
    "3 99": ["queue_unknown", "99"],
}


@pytest.mark.parametrize(("typed", "language"), in_turn(QUEUES))
def test_a_typed_queue_that_does_not_fit_is_told_with_its_numbers(typed: str, language: Language) -> None:
    """Which ids are wrong, and not that some are missing, since the rest follows; the typed text stays."""
    made, say = scenario("aA", queue=(0, 1, 2, 3)), get_translations(language)
    at = opened(made, language)
    at.text_input(key="sandbox_queue_ids").set_value(typed)
    at = press(at, "sandbox_queue_use")
    key, ids = QUEUES[typed]
    problems = [str(each.value) for each in at.markdown if "▲" in str(each.value)]
    assert problems == [f":red[▲ {say.text(f'sandbox.{key}', ids=ids, num_blocks=4)}]"]
    assert at.text_input(key="sandbox_queue_ids").value == typed
    assert now(at) == made


def test_a_queue_that_is_no_row_of_ids_is_a_sentence() -> None:
    """Any text."""
    made = scenario("aA", queue=(0, 1, 2, 3))
    at = opened(made)
    for typed in ("", "a", "1 -1", "1.5", "\x00", "1 99999"):
        at.text_input(key="sandbox_queue_ids").set_value(typed)
        at = press(at, "sandbox_queue_use")
        assert ("▲" in texts(at), now(at)) == (True, made), typed


def test_a_typed_queue_is_taken_and_follows_the_number_of_blocks() -> None:
    """New ids join the tail and missing ids leave; any comma separates."""
    at = opened(scenario("aA", queue=(0, 1, 2, 3)))
    at.text_input(key="sandbox_queue_ids").set_value(" 3，0、2 ")
    at = press(at, "sandbox_queue_use")
    assert now(at).queue == (3, 0, 2, 1)
    assert "▲" not in texts(at)
    at = sound(at.slider(key="sandbox_blocks").set_value(6).run())
    assert now(at).queue == (3, 0, 2, 1, 4, 5)
    assert at.text_input(key="sandbox_queue_ids").value == "3 0 2"  # the rest follows in order
    at = sound(at.slider(key="sandbox_blocks").set_value(2).run())
    assert now(at).queue == (0, 1)
    at = sound(at.segmented_control(key="sandbox_queue").set_value("used").run())
    assert now(at).queue == "used"
