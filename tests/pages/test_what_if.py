"""Run it my way: every idea in its own scenario and in the task, in words and as a page draws it."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.cases import CASES, LESSONS
from lab.activities.ideas import IDEAS, VARIANTS
from lab.engine.invariants import Finding
from lab.misconceptions.play import play
from lab.misconceptions.scenarios import get_scenario
from lab.misconceptions.telling import Span, find_spans, play_what_if
from lab.trace.config import Config, Request
from lab.trace.operations import parse_operation
from lab.trace.presets import PLAN, build_task_config
from lab.trace.snapshot import compare_snapshots
from lab.trace.timeline import Timeline
from lab.trace.vocabulary import find_tokens, find_word
from lessons.activity import what_if
from lessons.activity.what_if_text import (
    compare_states,
    describe_damage,
    describe_divergence,
    describe_output,
    describe_reads,
    get_divergent_states,
    list_moments,
    read_said,
)
from lessons.activity.what_if_words import describe_words
from lessons.text.findings import format_findings
from lessons.text.translations import Language, get_translations, load_strings
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import go, press, sound, task, texts
from tests.player import frame, report, sent
from tests.sample import every_language, some

ALL = (*IDEAS, *VARIANTS)
RUN = [idea.id for idea in ALL if idea.status != "named"]
HARMFUL = [idea.id for idea in ALL if idea.status == "runnable"]
IN_TASK = {"floor_for_ceil", "used_as_empty", "id_is_index", "full_page_reused", "check_before_append"}
IN_TASK |= {"tail_not_trimmed", "pages_sorted"}
ALL_WRONG = "4.used_P2-3-0-1-2-0-110000_aA.aB.tB.rA.rB"


# --- the moment that tells most ------------------------------------------------------------------------------------


@pytest.mark.parametrize("idea_id", some(RUN, 6))
def test_a_release_does_not_hide_the_harm(idea_id: str) -> None:
    """In the whole task everything has been released; what went wrong before is found all the same."""
    told = play_what_if(idea_id, build_task_config(), PLAN)
    assert told.comparison.harmful is (idea_id in IN_TASK)
    if told.comparison.parts_at is not None:
        assert [read.seq_id for read in told.comparison.reads][-1:] == ["B"]
        assert told.operations == (4 if idea_id == "release_erases" else 3)  # it parts when A is released
        assert told.comparison.missing == (("A",) if idea_id == "floor_for_ceil" else ())
        assert told.comparison.real_steps == play(idea_id, build_task_config(), PLAN[: told.operations]).real_steps
    else:
        assert told.operations == len(PLAN)


def test_the_end_is_told_where_it_shows_most() -> None:
    """Nothing is released behind the harm: the whole run is told."""
    assert [play_what_if(idea_id, *get_scenario(idea_id)).operations for idea_id in HARMFUL] == [
        len(get_scenario(idea_id)[1]) for idea_id in HARMFUL
    ]


# --- whose tokens are read -----------------------------------------------------------------------------------------


def read_by(idea_id: str, seq_id: str) -> tuple[Span, ...]:
    run = play(idea_id, *get_scenario(idea_id))
    return find_spans(run, next(read for read in run.reads if read.seq_id == seq_id))


def test_the_tokens_that_are_read_have_an_owner() -> None:
    """Hand-stated: B's soup in place of A's tea; C's second page in place of B's first; one's own last token in place
    of another; what C left behind A's last token; A's last page, with what C left in it, too early."""
    likes_soup = find_tokens("Tom likes soup ,")
    assert read_by("id_is_index", "A") == (Span("B", (2,), likes_soup[2:3], (2,), False),)
    assert read_by("id_is_index", "B") == ()
    assert read_by("released_at_first", "B") == (Span("C", (0, 1, 2, 3), likes_soup, (4, 5, 6, 7), False),)
    assert read_by("full_page_reused", "B") == (Span("B", (4,), likes_soup[:1], (8,), False),)
    assert read_by("tail_not_trimmed", "A") == (Span("C", (11,), likes_soup[2:3], (7,), True),)
    assert [s.from_positions for s in read_by("pages_sorted", "A")] == [(8, 9, 10), (7,), (4, 5, 6)]


def test_nobody_owns_what_was_never_written() -> None:
    """On a new pool the empty slots hold NaN."""
    run = play("tail_not_trimmed", *(get_scenario("tail_not_trimmed")[0], [parse_operation("aA")]))
    assert find_spans(run, run.reads[0]) == (Span(None, (11,), (), (), True),)
    say = get_translations("en")
    assert read_said(run, run.reads[0], say) == say.text("my_way.read.behind_nobody", positions="")
    assert describe_output(run.reads[0], say).startswith("NaN")


def test_what_two_have_written_alike_is_one_s_own() -> None:
    """The KV of equal tokens after equal tokens is the same: it is not said to be somebody else's."""
    requests = tuple(Request(name, (1, 2, 3, 4), (9,)) for name in ("A", "B"))
    config = Config(4, 2, (3, 0, 2, 1), requests)
    run = play("pages_sorted", config, [parse_operation("aA"), parse_operation("aB")])
    assert [stretch.owner for read in run.reads for stretch in find_spans(run, read)] == ["A", "B"]


def test_neighbours_of_one_kind_are_joined() -> None:
    """A stretch ends where another request's tokens begin, and where a position between is right."""
    config = Config(4, 2, (3, 2, 1, 0), tuple(Request(n, ids, (9,)) for n, ids in (("A", (1, 2, 3, 4)), ("B", (5, 6)))))
    run = play("id_is_index", config, [parse_operation("aA"), parse_operation("aB")])
    assert find_spans(run, run.reads[0]) == (Span("B", (0, 1), (5, 6), (0, 1), False),)


# --- in words ------------------------------------------------------------------------------------------------------


@every_language
@pytest.mark.parametrize("idea_id", some(RUN, 6))
def test_every_comparison_can_be_said(idea_id: str, language: Language) -> None:
    """In its scenario and in the task: the step, what both did there, what breaks, what is read."""
    say = get_translations(language)
    for config, operations in (get_scenario(idea_id), (build_task_config(), PLAN), (build_task_config(), PLAN[:3])):
        run = play_what_if(idea_id, config, operations).comparison
        parted, damage = describe_divergence(run, say), describe_damage(run, say)
        reads = [f"{read_said(run, read, say)} {describe_output(read, say)}" for read in run.reads]
        said = [*parted, *damage, *reads, describe_reads(run, say)]
        assert all(text.strip() and "{" not in text for text in said)
        assert not any(text.endswith(("..", "。。")) for text in said)
        assert bool(parted) is (run.parts_at is not None)
        assert bool(damage) is run.harmful
        for read in run.reads:
            whole = read_said(run, read, say) == say.text("my_way.read.own")
            assert whole is (read.right and not read.misreads)


def test_the_tokens_themselves_are_said() -> None:
    """Not their ids, and with their owner."""
    run = play("id_is_index", *get_scenario("id_is_index"))
    assert read_said(run, run.reads[0], get_translations("en")) == (
        "at position 2 the KV of B's “soup”; at position 3 the right tokens, but computed after other tokens"
    )
    assert read_said(run, run.reads[0], get_translations("zh")) == (
        "位置 2 读到的是 B 的“汤”的 KV；位置 3 的 token 是对的，但它的 KV 是接在别的 token 后面算的"
    )


def test_a_check_that_takes_a_block_is_not_said_to_only_look() -> None:
    """Facts of the wrong run, not what the engine's events mean."""
    for config, operations in (get_scenario("check_allocates"), (build_task_config(), PLAN)):
        _, engine, yours = describe_divergence(play("check_allocates", config, operations), get_translations("en"))
        assert "it only looks; nothing changed" in engine
        assert "the check itself takes block" in yours
        assert "head" not in yours


def test_a_block_that_is_not_the_head_is_not_said_to_be() -> None:
    """Neither in the sentence nor in the picture."""
    run = play("ids_consecutive", build_task_config(), PLAN[:1])
    real, wrong = run.real_steps[0], run.wrong_steps[0]
    assert compare_states(real.before, real.after) == compare_snapshots(real.before, real.after)
    assert compare_snapshots(wrong.before, wrong.after).taken
    assert compare_states(wrong.before, wrong.after).taken == ()
    assert "head" not in describe_divergence(run, get_translations("en"))[2]


@pytest.mark.parametrize("idea_id", some(RUN, 6))
def test_the_pictures_differ_where_the_memory_does(idea_id: str) -> None:
    """After the step, or within it; a reader's idea leaves the memory as it is."""
    run = play(idea_id, *get_scenario(idea_id))
    states = get_divergent_states(run, run.parts_at.step if run.parts_at else None)
    assert states is not None
    assert run.parts_at is not None
    assert (states[1] == states[3]) is (run.parts_at.event is None)


# --- on a page -----------------------------------------------------------------------------------------------------


def panels(language: str, where: str) -> None:
    """A page of panels, one for each idea."""
    from lab.activities.ideas import IDEAS, VARIANTS, NotRunnableError  # noqa: PLC0415
    from lab.misconceptions.scenarios import get_scenario  # noqa: PLC0415
    from lab.trace.presets import PLAN, build_task_config  # noqa: PLC0415
    from lessons.activity.what_if import offer_what_if  # noqa: PLC0415
    from lessons.text.translations import get_translations  # noqa: PLC0415

    for idea in (*IDEAS, *VARIANTS):
        try:
            config, operations = get_scenario(idea.id) if where == "own" else (build_task_config(), PLAN)
        except NotRunnableError:
            config, operations = build_task_config(), PLAN
        offer_what_if(idea.id, config, operations, get_translations(language), idea.id)  # type: ignore[arg-type]


def opened(language: Language, where: str) -> AppTest:
    at = AppTest.from_function(panels, default_timeout=120, args=(language, where))
    for idea in ALL:
        at.session_state[f"my_way_{idea.id}"] = True
        at.session_state[f"my_way_{idea.id}_code"] = idea.id == "id_is_index"
        at.session_state[f"my_way_{idea.id}_table"] = idea.id == "id_is_index"
    return sound(at.run())


def buttons(at: AppTest) -> set[str]:
    return {str(button.key) for button in at.button}


@pytest.mark.parametrize("idea_id", HARMFUL)
def test_it_opens_where_it_goes_wrong(idea_id: str) -> None:
    """Not before: a refusal, a broken invariant or a misread is there to be seen; the moments are in their order."""
    for run in (play(idea_id, *get_scenario(idea_id)), play_what_if(idea_id, build_task_config(), PLAN).comparison):
        if not run.harmful:
            continue
        moments, first = list_moments(run)
        last = len(run.wrong_steps) - 1
        steps = [last if at is None else at for at in moments.values()]
        assert steps == sorted(steps)
        assert run.harm_at is not None
        at = moments[first]
        assert (last if at is None else at) >= run.harm_at
        assert [name for name in moments if name not in ("parting", "harm", "end")] == []


def test_a_tidy_picture_is_not_where_the_error_is() -> None:
    """Page i in block i: A lies there in good order; it goes wrong when B comes, and that is shown first."""
    run = play_what_if("id_is_index", build_task_config(), PLAN).comparison
    assert list_moments(run) == ({"parting": 0, "harm": 1, "end": None}, "harm")
    states = get_divergent_states(run, 1)
    assert states is not None
    assert states[3] == run.wrong_steps[1].after


def test_what_stops_it_is_said_before_what_follows_from_it() -> None:
    """Eleven tokens for eight slots first, ref_counts of an allocation that was broken off after it."""
    first, *others = describe_damage(play("floor_for_ceil", *get_scenario("floor_for_ceil")), get_translations("en"))
    assert "11 tokens" in first
    assert "8 slots" in first
    assert any("ref_count" in line for line in others)


@every_language
def test_a_shut_panel_runs_nothing(language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its title, with the name of the idea."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("run while shut")

    monkeypatch.setattr(what_if, "play_what_if", never)
    say = get_translations(language)
    at = sound(AppTest.from_function(panels, args=(language, "task")).run())
    assert [panel.label for panel in at.expander] == [
        say.text("my_way.title", name=say.text(idea.name_key)) for idea in ALL
    ]
    assert texts(at) == ""


@every_language
def test_every_idea_in_its_own_scenario(language: Language) -> None:
    """The idea in a holder's words, what breaks, what is read; nothing further to offer where it does harm."""
    say, at = get_translations(language), opened(language, "own")
    said = texts(at)
    for idea in ALL:
        assert say.text("my_way.idea", idea=say.text(idea.idea_key)) in said
        first, second = map(say.text, idea.concept_keys)
        assert say.text("explain.pair", first=first, second=second) in said
        assert say.text(idea.why_key) in said
    assert said.count(say.text("my_way.harm")) == len(HARMFUL) - 1
    assert said.count(say.text("my_way.waits")) == 1  # for neighbours
    assert said.count(say.text("my_way.no_harm_ever")) == 1
    assert said.count(say.text("my_way.named")) == 1
    assert not any(key.startswith("my_way_other_") for key in buttons(at))
    assert [str(code.value).split("(")[0] for code in at.code] == ["class IdIsIndex"]
    assert set(frame(at, "my_way_id_is_index_player")["figures"]) == {"engine", "yours"}
    assert set(frame(at, "my_way_pages_sorted_player")["figures"]) == {"both"}


@pytest.mark.thorough
@every_language
def test_every_idea_in_the_task(language: Language) -> None:
    """Where it does no harm there, another scenario is offered, and it does harm there."""
    say, at = get_translations(language), opened(language, "task")
    offered = {f"my_way_other_{idea_id}" for idea_id in RUN if idea_id not in {*IN_TASK, "release_erases"}}
    assert {key for key in buttons(at) if key.startswith("my_way_other_")} == offered
    harm = say.text("my_way.harm")
    assert texts(at).count(harm) == len(IN_TASK)
    for key in offered:
        at.button(key=key).click()
    sound(at.run())
    assert texts(at).count(harm) == len(HARMFUL) - 1
    assert texts(at).count(say.text("my_way.waits")) == 1
    assert texts(at).count(say.text("my_way.no_harm_ever")) == 1
    press(at, "my_way_back_ids_consecutive")
    assert say.text("my_way.waits") not in texts(at)
    player = "my_way_id_is_index_player"
    given = sent(at, player)
    assert list(given["film"]["frames"]) == given["film"]["places"]
    jumps = {jump["name"]: jump["at"] for jump in given["jumps"]}
    end = jumps[say.text("my_way.moment_end")]
    assert sent(report(at, end, player), player)["at"] == end != given["at"]
    assert sent(report(at, "99", player), player)["at"] == given["at"]


@every_language
def test_another_scenario_is_for_this_question_alone(language: Language) -> None:
    """Asked for in one scenario, it is not shown in the next one under the same key, nor for another idea."""

    def page(language: str) -> None:
        import streamlit as st  # noqa: PLC0415

        from lab.trace.operations import parse_operation  # noqa: PLC0415
        from lab.trace.presets import build_task_config  # noqa: PLC0415
        from lessons.activity.what_if import offer_what_if  # noqa: PLC0415
        from lessons.text.translations import get_translations  # noqa: PLC0415

        idea_id, log = st.session_state["asked"]
        operations = map(parse_operation, log.split())
        offer_what_if(idea_id, build_task_config(), operations, get_translations(language), "quiz_table")  # type: ignore[arg-type]

    at = AppTest.from_function(page, default_timeout=60, args=(language,))
    at.session_state["my_way_quiz_table"] = True

    def elsewhere(*asked: str) -> bool:
        at.session_state["asked"] = asked
        return "my_way_back_quiz_table" in buttons(sound(at.run()))

    assert not elsewhere("ids_consecutive", "aA")
    press(at, "my_way_other_quiz_table")
    assert not elsewhere("ids_consecutive", "aA aB")
    assert not elsewhere("partial_shared", "aA")
    assert elsewhere("ids_consecutive", "aA")


@every_language
def test_what_is_broken_and_who_is_missing_is_said_in_the_language(language: Language) -> None:
    """Numbers of the state in words, no English in Chinese; a stuck run says what it lacks and names no exception."""
    say = get_translations(language)
    half = play("act_without_block", *get_scenario("act_without_block"))
    said = " ".join(describe_damage(half, say))
    detail = say.text("task.invariants.detail.ref_count", block=1, ref_count=1, held=0)
    assert detail in said or say.text("task.invariants.detail.ref_count", block=3, ref_count=1, held=0) in said
    assert say.text("errors.nothing_to_take") in said
    assert not any(name in said for name in ("held by", "Error", "StopIteration", "KeyError"))
    gone = play("floor_for_ceil", build_task_config(), PLAN[:2])
    assert describe_reads(gone, say).startswith(say.text("my_way.reads_missing", seq_ids="A"))
    assert say.text("my_way.reads_right") not in describe_reads(gone, say)


FINDINGS = (
    Finding("free_used", (("free", (5, 61)), ("used", (0, 62)), ("blocks", 63))),
    Finding("ref_count", (("block", 61), ("ref_count", 62), ("held", 63))),
    Finding("table_length", (("seq_id", "A61"), ("entries", 62), ("pages", 63))),
    Finding("used_ref", (("used", (61, 62)), ("counted", (63,)))),
)


@every_language
@pytest.mark.parametrize("found", FINDINGS, ids=lambda found: found.invariant)
def test_what_disagrees_is_said_with_its_numbers(language: Language, found: Finding) -> None:
    """All of them, as the lights behind the picture and the panel give them."""
    said = format_findings((found,), get_translations(language))
    assert all(number in said for number in ("61", "62", "63"))
    assert said.isascii() is (language == "en")


# --- where it is offered -------------------------------------------------------------------------------------------


def offered(at: AppTest) -> set[str]:
    title = get_translations("en").text("my_way.title", name="")
    return {panel.label.removeprefix(title) for panel in at.expander if panel.label.startswith(title)}


def names(*idea_ids: str) -> set[str]:
    return {load_strings("en")[f"misconceptions.name.{idea_id}"] for idea_id in idea_ids}


def at_page(page: str, **parameters: Any) -> AppTest:
    at = task("en", page)
    session_of(at)[STORED] = {}
    return go(at, lang="en", **parameters)


def test_the_task_offers_it_for_each_idea_that_it_names() -> None:
    """In Explain, and in part 3."""
    named = {"floor_for_ceil", "used_as_empty", "full_page_reused", "ids_consecutive", "check_allocates", "id_is_index"}
    at = at_page("task", run=ALL_WRONG, part="explain")
    assert offered(at) == names(*named)
    at.session_state["my_way_blocks"] = True
    assert get_translations("en").text("my_way.harm") in texts(sound(at.run()))
    eight = at_page("task", run8="8.used_Q1-3-1-0-0000_aA.aB.tB", part="eight")
    assert offered(eight) == names("floor_for_ceil", "used_as_empty", "no_fragmentation")


def test_a_lesson_offers_it_beside_the_idea_that_it_names() -> None:
    """In the case of two full pages, a third expected behind them; the slot taken for the position."""
    case = next(case for case in LESSONS["allocate"] if case.id == "exact")
    at = at_page("allocate", allocate=f"{case.id}_5@4-5-00_aB.aA")
    assert offered(at) == names("whole_page_empty", "id_is_index")
    at = at_page("allocate", allocate=f"{case.id}_5@0-{_slot(5)}-00_aB.aA")
    assert offered(at) == set()


def test_two_answers_from_one_idea_offer_it_once() -> None:
    """The first release thought to return the block, and to set its ref_count to 0."""
    at = at_page("share", share="release_1-0-3-000_aA.aB.rA.rB")
    title = get_translations("en").text("my_way.title", name=next(iter(names("released_at_first"))))
    assert [panel.label for panel in at.expander].count(title) == 1


def test_the_first_lesson_offers_it_too() -> None:
    """After its last picture: neighbours expected, and the blocks of two returned by the first."""
    at = at_page("intuition", intuition="00-10-00_5.13")
    assert offered(at) == names("ids_consecutive", "released_at_first")


def _slot(pos: int) -> int:
    case = CASES["exact"]
    view = Timeline.replay(case.config, case.plan).snapshot(len(case.plan)).sequence("A")
    assert view is not None
    return view.slots[pos]


@every_language
def test_the_two_words_stand_side_by_side(language: Language) -> None:
    """With the slot of the wrong one and its owner; a NaN is no word; a right word after a wrong read is told apart."""
    say = get_translations(language)
    tea, soup, nothing = (say.word(find_word(text) or 0) for text in ("tea", "soup", "nothing"))
    line, other = describe_words(play("released_at_first", *get_scenario("released_at_first")), say)
    assert other.startswith("**C**")
    assert 0 < line.index(soup) < line.index(tea)
    assert "10" in line
    assert "C" in line.split(tea)[1]
    (line,) = describe_words(play("used_as_empty", *get_scenario("used_as_empty")), say)
    assert "NaN" in line
    assert tea in line
    *_, line = describe_words(play("unchained_hash", *get_scenario("unchained_hash")), say)
    assert line.count(nothing) == 2
    fresh = Config(8, 4, (5, 2, 7, 0, 1, 3, 4, 6), get_scenario("pages_sorted")[0].requests)
    run = play("pages_sorted", fresh, [parse_operation("aA")])
    assert describe_words(run, say)[0].startswith("**A**")
    assert soup not in describe_words(run, say)[0]
