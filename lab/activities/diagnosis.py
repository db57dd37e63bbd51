"""From a wrong prediction to the idea behind it. All values come from the run; a rule only recognises an answer.

A rule says which wrong idea would give that answer in this run. If no rule fits, the diagnosis has no idea, and the
page shows how the run's own answer comes about.
"""

from __future__ import annotations

from collections.abc import Sequence

from lab.activities.block_size_runs import measure_use
from lab.activities.cases import get_questions
from lab.activities.ideas import find_idea, get_id_of_diagnosis
from lab.activities.question import Grade, Prediction, Question, Rule
from lab.activities.trace_points import Outcome, TemplateValues, TracePoint
from lab.trace.presets import A_PROMPT, build_task_config
from lab.trace.snapshot import Snapshot

# Ideas that only these questions know and that confuse two of the chapter's concepts. For ideas that can also be run,
# lab.misconceptions knows the pair. Every other idea is a slip, and the feedback names that slip.
_PAIRS: dict[str, tuple[str, str]] = {
    "free_block_as_empty_slot": ("physical_block", "empty_slot"),
    "append_always_takes": ("check", "allocate"),
}


def get_confused_pair(idea: str) -> tuple[str, str] | None:
    """The two concepts that an idea of the diagnosis confuses; None for a slip. Pure."""
    idea_id = get_id_of_diagnosis(idea)
    return find_idea(idea_id).confuses if idea_id else _PAIRS.get(idea)


def diagnose(prediction: Prediction, outcomes: dict[str, Outcome], points: Sequence[TracePoint]) -> list[Grade]:
    """Every answer that the run has decided: first sure and wrong, then wrong, then right. Pure."""
    diagnoses = [
        diagnose_one(question, answer, outcomes[question.id], points, sure)
        for question, answer, sure in zip(
            get_questions(prediction.form), prediction.answers, prediction.sure, strict=True
        )
        if question.id in outcomes
    ]
    return sorted(diagnoses, key=lambda d: (d.right, not d.sure))


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
        idea = next((name for name, fits in question.rules or _RULES.get(question.id, ()) if fits(values)), "")
    right = answer == outcome.value
    return Grade(question.id, answer, outcome.value, right, idea, {"task_size": TASK_SIZE, **values.numbers()}, sure)


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
        (
            "blocks_as_before",
            lambda f: _at_another_size(f) and f.answer == measure_use(len(A_PROMPT), TASK_SIZE).blocks,
        ),
        ("floor_for_ceil", lambda f: f.a is not None and f.answer == f.a.num_tokens // f.a.block_size),
        ("block_per_token", lambda f: f.a is not None and f.answer == f.a.num_tokens),
        ("size_for_count", lambda f: f.answer == f.snapshot.block_size),
        ("one_too_many", lambda f: f.answer == f.outcome.value + 1),
    ),
    "empty_slots": (
        ("empty_as_before", lambda f: _at_another_size(f) and f.answer == measure_use(len(A_PROMPT), TASK_SIZE).empty),
        ("used_as_empty", lambda f: f.a is not None and f.answer == f.a.last_block_num_tokens),
        ("no_fragmentation", lambda f: f.answer == 0),
        ("whole_page_empty", lambda f: f.answer == f.snapshot.block_size),
        ("free_block_as_empty_slot", lambda f: f.answer == len(f.snapshot.free_block_ids)),
    ),
    "new_page": (
        ("full_page_reused", lambda f: f.answer == 0),
        ("append_always_takes", lambda f: f.answer == 1),
    ),
    "consecutive": (("ids_consecutive", lambda f: f.answer == 1),),
    "table_after_check": (
        ("check_allocates", lambda f: f.answer == f.outcome.value + 1),
        ("tokens_for_pages", lambda f: f.b is not None and f.answer == f.b.num_tokens),
        ("table_empty", lambda f: f.answer == 0),
    ),
    "last_to_join": (
        ("release_order", lambda f: f.a is not None and f.answer in f.a.block_table),
        ("id_is_index", lambda f: f.a is not None and f.answer < f.a.num_blocks),
        ("tail_unchanged", lambda f: f.before is not None and f.answer in f.before.free_block_ids[-1:]),
        ("joins_the_head", lambda f: f.answer in f.snapshot.free_block_ids[:1]),
    ),
    "b_empty_slots": (
        ("used_as_empty", lambda f: f.b is not None and f.answer == f.b.last_block_num_tokens),
        ("grows_with_size", lambda f: f.answer > f.outcome.value),
        ("no_fragmentation", lambda f: f.answer == 0),
    ),
}
IDEAS: tuple[str, ...] = tuple(dict.fromkeys(name for rules in _RULES.values() for name, _ in rules))
