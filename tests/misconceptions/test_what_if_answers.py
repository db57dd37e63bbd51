"""The run under an idea gives the learner's answer, in quiz, lessons and task, or there is a reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from lab.activities.cases import CASES
from lab.activities.cases.case import Case
from lab.activities.diagnosis import diagnose_one, get_rules
from lab.activities.ideas import find_idea, is_slip
from lab.activities.intuition.progress import QUESTIONS as INTUITION
from lab.activities.intuition.runs import CONFIG, PAGING
from lab.activities.question import FORMS, Value, observe_outcomes
from lab.activities.question import Question as Asked
from lab.activities.trace_points import iterate_trace_points
from lab.misconceptions.play import RunComparison, play
from lab.misconceptions.reading import trace_read_slots
from lab.misconceptions.wrong_timeline import build_timeline_type
from lab.quiz.draw import build_ids_option
from lab.quiz.generate import KINDS, generate_named
from lab.quiz.question import DIFFICULTIES, QuestionName, QuizQuestion
from lab.trace.events import BlockFreed, BlockTaken
from lab.trace.presets import PLAN, build_task_config
from lab.trace.snapshot import SequenceView
from lab.trace.timeline import Timeline
from tests.sample import sampled

SIZES = (1, 2, 4, 7)
SEEDS = range(3)

# --- the quiz: the answer of each kind, read from the wrong run -------------------------------------------------------


def _counted(question: QuizQuestion, run: RunComparison) -> int:
    """Number of pages that the wrong run counts for all of A's tokens."""
    real = Timeline.replay(question.config, question.operations)
    wrong = build_timeline_type(run.idea.id).sequence_type
    return wrong("A", real.live["A"].token_ids, question.config.block_size).num_blocks


def _empty_slots(question: QuizQuestion, run: RunComparison) -> int:
    if run.idea.id == "used_as_empty":
        return len(_not_read(question, run))
    slots = _counted(question, run) * question.config.block_size
    return slots - Timeline.replay(question.config, question.operations).live["A"].num_tokens


def _not_read(question: QuizQuestion, run: RunComparison) -> frozenset[int]:
    """Slots of the requests' blocks, without those that attention reads in the wrong run."""
    wrong = build_timeline_type(run.idea.id).replay(question.config, question.operations)
    size = question.config.block_size
    held = {block * size + i for seq in wrong.live.values() for block in seq.block_table for i in range(size)}
    return frozenset(held.difference(*(trace_read_slots(wrong.cache, seq) for seq in wrong.live.values())))


def _view(run: RunComparison, seq_id: object) -> SequenceView:
    """The request as it was last live in the wrong run."""
    states = [state for step in run.wrong_steps for state in (step.before, *step.snapshots)]
    return [view for state in states if (view := state.sequence(str(seq_id)))][-1]


def _events(run: RunComparison, kind: type[BlockFreed] | type[BlockTaken]) -> tuple[int, ...]:
    return tuple(event.block_id for event in run.wrong_steps[-1].events if isinstance(event, kind))


def _ref_count(question: QuizQuestion, run: RunComparison) -> int:
    block_id = _view(run, question.numbers["seq_id"]).block_table[int(str(question.numbers["page"]))]
    return run.wrong_steps[-1].after.blocks[block_id].ref_count


def _option(ids: tuple[int, ...]) -> str:
    return build_ids_option("", ids).id


READ: dict[str, Callable[[QuizQuestion, RunComparison], Value]] = {
    "blocks": _counted,
    "empty_slots": _empty_slots,
    "mark_empty": _not_read,
    "table": lambda q, run: _option(_view(run, q.numbers["seq_id"]).block_table),
    "slot": lambda q, run: (*_view(run, "A").slots, *[-1] * 200)[int(str(q.numbers["pos"]))],
    "which_id": lambda _, run: (*_events(run, BlockTaken), -1)[0],
    "cached": lambda _, run: _view(run, "B").num_cached_tokens,
    "ref_count": _ref_count,
    "released": lambda _, run: _option(_events(run, BlockFreed)),
    "mark_released": lambda _, run: frozenset(_events(run, BlockFreed)),
}
# Kind and idea -> why the wrong run may differ from the engine and still not give the learner's answer.
OTHERWISE: dict[tuple[str, str], str] = {
    ("table", "ids_consecutive"): "the request before it got other blocks too, so it begins elsewhere",
    ("table", "floor_for_ceil"): "the request before it did not get in, so other blocks are free",
    ("slot", "ids_consecutive"): "its neighbour lies outside the pool, or it begins elsewhere",
    ("which_id", "ids_consecutive"): "the pages before it are neighbours as well, so the last one is elsewhere",
    ("mark_released", "id_is_index"): "all requests hold the same few blocks, so fewer come back",
}
# Kind and idea -> why the wrong run may equal the engine's; the panel says so and offers another scenario.
ALIKE: dict[tuple[str, str], str] = {
    ("needs_page", "check_before_append"): "the page has room before the token and after it",
    ("can_append", "check_before_append"): "the page has room before the token and after it",
    ("can_append", "check_allocates"): "no block is needed, so the check takes none",
    ("order", "act_without_block"): "the order is not what a run changes, and a block is free",
    ("order", "check_before_append"): "the order is not what a run changes, and the page has room",
    ("block_table_is", "check_allocates"): "no token is appended",
}


@cache
def _asked(kind: str) -> tuple[tuple[QuizQuestion, str, Value], ...]:
    """Questions of that kind with each wrong answer whose idea can be run."""
    found = []
    for name in (QuestionName(kind, seed, size, level) for level in DIFFICULTIES for size in SIZES for seed in SEEDS):
        question = generate_named(name)
        for wrong in question.wrong:
            if wrong.idea and _is_run(wrong.idea):
                found.append((question, wrong.idea, wrong.value))
    return tuple(found)


@pytest.mark.parametrize("kind", sampled(KINDS, ("table", "released")))
def test_the_wrong_run_gives_the_answer_of_the_quiz(kind: str) -> None:
    """If a kind's answer can be read from a run, it is the answer given; all runs differ from the engine's. Every
    exception in the tables occurs."""
    alike, otherwise = set(), set()
    for question, idea, value in _asked(kind):
        run = play(idea, question.config, question.operations)
        if run.parts_at is None:
            assert (kind, idea) in ALIKE, question.name
            alike.add((kind, idea))
        elif kind in READ and READ[kind](question, run) != value:
            assert (kind, idea) in OTHERWISE, question.name
            otherwise.add((kind, idea))
    assert alike == {pair for pair in ALIKE if pair[0] == kind}
    assert otherwise == {pair for pair in OTHERWISE if pair[0] == kind}


# --- the lessons -----------------------------------------------------------------------------------------------------

# Question and idea -> why the wrong run does not give the answer that the rule recognises, in any case that asks it.
RULES: dict[tuple[str, str], str] = {
    ("pages", "floor_for_ceil"): "the tokens do not fit in fewer pages, so A does not get in",
    (
        "spare",
        "used_as_empty",
    ): "the memory is right, only what is read is not: as in the quiz, those slots are left out",
    ("slot", "ids_consecutive"): "B took other blocks before it, or the neighbour lies outside the pool",
    ("edge_needs", "full_page_reused"): "it is may_append that uses the block once more; the check counts as before",
    ("edge_id", "full_page_reused"): "no block is taken, so no id is told",
    ("skip_left", "act_without_block"): "the queue is empty: it gets stuck before it has an entry",
    ("same_block", "unchained_hash"): "page 0 is not found, and behind such a page nothing is looked up",
    ("until", "stale_hash"): "nothing is ever forgotten, so no moment settles it",
    ("pages_seen", "check_before_append"): "what can_append makes of the pages is other, not their number",
}
MOST = 70  # answers tried for each question


def _picks(case: Case) -> tuple[int | None, ...]:
    return tuple(range(len(case.config.request(case.pick_from).prompt))) if case.pick_from else (None,)


def _is_run(idea: str) -> bool:
    return not is_slip(idea) and find_idea(idea).status != "named"


IN_LESSONS = [(case, question) for case in CASES.values() for pick in _picks(case) for question in case.questions(pick)]
RULES_RUN = sorted({(q.id, idea) for _, q in IN_LESSONS for idea, _ in get_rules(q) if _is_run(idea)})


@pytest.mark.parametrize("rule", RULES_RUN, ids="-".join)
def test_the_wrong_run_gives_the_answer_of_a_lesson(rule: tuple[str, str]) -> None:
    """In every case, wherever the rule recognises an answer, the wrong run gives such an answer."""
    met, missed = 0, 0
    for case, question, answers in _recognised(*rule):
        run = play(rule[1], case.config, case.plan)
        assert run.parts_at is not None, (case.id, question.id)
        outcome = observe_outcomes(list(iterate_trace_points(run.wrong_steps)), [question]).get(question.id)
        met += 1
        missed += outcome is None or outcome.value not in answers
    assert met
    assert bool(missed) is (rule in RULES), missed


def _recognised(name: str, idea: str) -> list[tuple[Case, Asked, set[int]]]:
    found = []
    for case, question in IN_LESSONS:
        if name == question.id and idea in dict(get_rules(question)):
            points = list(iterate_trace_points(Timeline.replay(case.config, case.plan).steps))
            real = observe_outcomes(points, [question])[question.id]
            given = range(min(question.largest, MOST) + 1)
            answers = {answer for answer in given if diagnose_one(question, answer, real, points).idea == idea}
            if answers:
                found.append((case, question, answers))
    return found


FIRST_LESSON = {option.idea for question in INTUITION for option in question.options} - {""}


@pytest.mark.parametrize("idea", sorted(idea for idea in FIRST_LESSON if _is_run(idea)))
def test_the_wrong_run_parts_in_the_first_lesson(idea: str) -> None:
    assert play(idea, CONFIG, PAGING).parts_at is not None


# --- the task --------------------------------------------------------------------------------------------------------

TASK = [(form, question) for form, questions in FORMS.items() for question in questions]


@pytest.mark.parametrize(("form", "question"), TASK, ids=lambda value: getattr(value, "id", value))
def test_the_wrong_run_parts_where_the_task_names_the_idea(form: str, question: Asked) -> None:
    """Every answer from which the diagnosis recognises an idea that can be run, at the form's block_size. For size 4,
    test_misconceptions checks the answers themselves."""
    config = build_task_config(8 if form == "Q" else 4)
    points = list(iterate_trace_points(Timeline.replay(config, PLAN).steps))
    real = observe_outcomes(points, FORMS[form]).get(question.id)
    if real is None:
        pytest.skip("settled by another run")
    for answer in range(min(question.largest, MOST) + 1):
        idea = diagnose_one(question, answer, real, points).idea
        if idea and _is_run(idea):
            assert play(idea, config, PLAN).parts_at is not None, answer
