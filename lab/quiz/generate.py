"""From a question's name to the question: draw it, run it, and draw again if it would show too little."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from lab.activities.question import Option, Value
from lab.engine.errors import InvalidLinkError
from lab.quiz import concepts, kinds_append, kinds_engines, kinds_pages, kinds_sharing, kinds_table
from lab.quiz.draw import Draft, Draw
from lab.quiz.question import Difficulty, QuestionName, QuizQuestion, Wrong

# in the chapter's order
MAKERS: dict[str, Callable[[Draw], Draft | None]] = {
    "blocks": kinds_pages.draw_blocks,
    "empty_slots": kinds_pages.empty_slots,
    "waste": kinds_pages.draw_waste,
    "mark_empty": kinds_pages.mark_empty,
    "table": kinds_table.draw_table,
    "slot": kinds_table.draw_slot,
    "needs_page": kinds_append.needs_page,
    "can_append": kinds_append.can_append,
    "which_id": kinds_append.draw_which_id,
    "order": kinds_append.order,
    "cached": kinds_sharing.draw_cached,
    "ref_count": kinds_sharing.draw_ref_count,
    "released": kinds_sharing.draw_released,
    "mark_released": kinds_sharing.mark_released,
    **concepts.MAKERS,
    "queue_after": kinds_engines.draw_queue_after,
}
KINDS: tuple[str, ...] = tuple(MAKERS)  # the kinds of a round; MAKERS also has those of retries
MAKERS |= concepts.MORE_MAKERS

_MOST_CHOICES = 4
_LEAST_WRONG = 2
_ATTEMPTS = 200


def generate(kind: str, seed: int, block_size: int, difficulty: Difficulty) -> QuizQuestion:
    """The question of that name; the same arguments give the same question. Raises InvalidLinkError."""
    return generate_named(QuestionName(kind, seed, block_size, difficulty))


@lru_cache(maxsize=256)
def generate_named(name: QuestionName) -> QuizQuestion:
    """The question of that name, as in generate."""
    if name.kind not in MAKERS:
        raise InvalidLinkError(part="question", reason="no such kind")
    for attempt in range(_ATTEMPTS):
        draw = Draw(name, attempt)
        draft = MAKERS[name.kind](draw)
        if draft is not None and (question := _finish(draw, draft)) is not None:
            return question
    raise InvalidLinkError(part="question", reason="nothing to ask")


def _finish(draw: Draw, draft: Draft) -> QuizQuestion | None:
    """The draft as a question, or None if fewer than two wrong answers are left."""
    wrong = _drop_repeats(draft.answer, draft.wrong)
    options = draft.options
    if draft.form == "choice":
        wrong = wrong[: _MOST_CHOICES - 1]
        shown = {draft.answer, *(each.value for each in wrong)}
        options = [option for option in options if option.id in shown]
    if len(wrong) < _LEAST_WRONG:
        return None
    return QuizQuestion(
        id=draw.name.kind,
        name=draw.name,
        form=draft.form,
        config=draft.config,
        operations=tuple(draw.operations),
        numbers=draft.numbers,
        facts=draft.facts,
        options=tuple(_mix_options(draw, draft.answer, options)),
        cell=draft.cell,
        cells=draft.cells,
        answer=draft.answer,
        wrong=tuple(wrong),
        shows_queue=draft.shows_queue,
        other=draft.other,
    )


def _drop_repeats(answer: Value, candidates: Iterable[tuple[str, Value]]) -> list[Wrong]:
    """The candidates that differ from the answer, each value once, under the first idea that gives it."""
    by_value: dict[Value, str] = {}
    for idea, value in candidates:
        if value != answer:
            by_value.setdefault(value, idea)
    return [Wrong(idea, value) for value, idea in by_value.items()]


def _mix_options(draw: Draw, answer: Value, options: list[Option]) -> list[Option]:
    """The options in random order; a list to be ordered never shows the right order."""
    mixed = list(options)
    draw.rng.shuffle(mixed)
    if tuple(option.id for option in mixed) == answer:
        mixed.reverse()
    return mixed
