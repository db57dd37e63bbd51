"""From a wrong prediction to the idea behind it. All values come from the run; a rule only recognises an answer.

A rule says which wrong idea would give that answer in this run. If no rule fits, the diagnosis has no idea, and the
page shows how the run's own answer comes about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lab.activities.attempt import Answer
from lab.activities.block_size_runs import measure_use
from lab.activities.counterexample import add_counterexample
from lab.activities.ideas import find_idea
from lab.activities.question import Grade, Question, Rule, observe_outcomes
from lab.activities.run import Run
from lab.activities.trace_points import Outcome, TemplateValues, TracePoint, iterate_trace_points
from lab.trace.presets import A_PROMPT, build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Timeline


def get_confused_pair(idea: str) -> tuple[str, ...]:
    """The two concepts that an idea confuses; empty without an idea, and for most slips. Pure."""
    return find_idea(idea).confuses if idea else ()


def diagnose(run: Run, outcomes: Mapping[str, Outcome], points: Sequence[TracePoint]) -> list[Grade]:
    """Every answer that the run has decided: first sure and wrong, then wrong, then right. Pure."""
    graded = (grade for _, _, grade in _grade_answers(run, outcomes, points) if grade)
    return sorted(graded, key=lambda grade: (grade.right, not grade.sure))


def compare_answers(run: Run) -> list[tuple[Question, Answer, Grade | None]]:
    """Every answer of a prediction in the order of its questions, beside the outcome of a fresh run. Pure.

    A grade is None until the run has answered the question. Raises LabError if a limit stops the run, which only an
    edited record can cause.
    """
    points = list(iterate_trace_points(Timeline.replay(run.config, run.operations).steps)) if run.is_predicted else []
    return list(_grade_answers(run, add_counterexample(observe_outcomes(points, run.questions)), points))


def _grade_answers(
    run: Run, outcomes: Mapping[str, Outcome], points: Sequence[TracePoint]
) -> Iterator[tuple[Question, Answer, Grade | None]]:
    for question, answer in zip(run.questions, run.answers, strict=run.is_predicted):
        outcome = outcomes.get(question.id)
        grade = diagnose_one(question, answer.number, outcome, points, answer.is_sure) if outcome else None
        yield question, answer, grade


def diagnose_one(
    question: Question, answer: int, outcome: Outcome, points: Sequence[TracePoint], sure: bool = False
) -> Grade:
    """One answer beside the run's outcome. Pure."""
    point = next((m for m in points if question.observe(m)), None)
    if point is None:  # answered by another run, the counterexample
        point = points[-1]
    before = _get_state_before(point, points)
    values = TemplateValues(point, before, answer, outcome)
    idea = ""
    if answer != outcome.value:
        rules = get_rules(question)
        idea = next((name for name, when in rules if (when(values) if callable(when) else when == answer)), "")
    right = answer == outcome.value
    return Grade(question.id, answer, outcome.value, right, idea, {"task_size": TASK_SIZE, **values.numbers()}, sure)


def get_rules(question: Question) -> tuple[Rule, ...]:
    """The rules that name the ideas behind wrong answers to this question, those of its options too. Pure."""
    chosen = ((option.idea, place) for place, option in enumerate(question.options) if option.idea)
    return (*(question.rules or _RULES.get(question.id, ())), *chosen)


def _get_state_before(point: TracePoint, points: Sequence[TracePoint]) -> Snapshot | None:
    """The state before the step that answered the question, if the run shows it."""
    earlier = [m for m in points if m.step < point.step]
    return earlier[-1].snapshot if earlier else None


TASK_SIZE = build_task_config().block_size  # at which the task runs first


def _at_another_size(values: TemplateValues) -> bool:
    """Is this the task's A, at a block_size other than the learner's first?"""
    return values.a is not None and values.a.token_ids == A_PROMPT and values.snapshot.block_size != TASK_SIZE


_RULES: dict[str, tuple[Rule, ...]] = {
    "blocks": (
        ("slip_other_size", lambda f: _at_another_size(f) and f.answer == measure_use(len(A_PROMPT), TASK_SIZE).blocks),
        ("floor_for_ceil", lambda f: f.a is not None and f.answer == f.a.num_tokens // f.a.block_size),
        ("slip_block_per_token", lambda f: f.a is not None and f.answer == f.a.num_tokens),
        ("slip_size_for_count", lambda f: f.answer == f.snapshot.block_size),
        ("slip_one_too_many", lambda f: f.answer == f.outcome.value + 1),
    ),
    "empty_slots": (
        ("slip_other_size", lambda f: _at_another_size(f) and f.answer == measure_use(len(A_PROMPT), TASK_SIZE).empty),
        ("used_as_empty", lambda f: f.a is not None and f.answer == f.a.last_block_num_tokens),
        ("no_fragmentation", 0),
        ("slip_whole_page", lambda f: f.answer == f.snapshot.block_size),
        ("slip_free_blocks", lambda f: f.answer == len(f.snapshot.free_block_ids)),
    ),
    "new_page": (("full_page_reused", 0), ("slip_append_always_takes", 1)),
    "consecutive": (("ids_consecutive", 1),),
    "table_after_check": (
        ("check_allocates", lambda f: f.answer == f.outcome.value + 1),
        ("slip_entry_per_token", lambda f: f.b is not None and f.answer == f.b.num_tokens),
        ("slip_table_empty", 0),
    ),
    "last_to_join": (
        ("slip_table_order", lambda f: f.a is not None and f.answer in f.a.block_table),
        ("id_is_index", lambda f: f.a is not None and f.answer < f.a.num_blocks),
        ("slip_tail_unchanged", lambda f: f.before is not None and f.answer in f.before.free_block_ids[-1:]),
        ("slip_joins_head", lambda f: f.answer in f.snapshot.free_block_ids[:1]),
    ),
    "b_empty_slots": (
        ("used_as_empty", lambda f: f.b is not None and f.answer == f.b.last_block_num_tokens),
        ("slip_larger_wastes_more", lambda f: f.answer > f.outcome.value),
        ("no_fragmentation", 0),
    ),
}
