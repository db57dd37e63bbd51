"""From a question's name to the question: drawn, run, and drawn again where it would tell too little."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from lab.engine.errors import InvalidLinkError
from lab.quiz import concepts, kinds_append, kinds_pages, kinds_sharing, kinds_table
from lab.quiz.draw import Draft, Draw
from lab.quiz.question import Difficulty, Name, Option, Question, Value, Wrong

# In the order of the chapter.
MAKERS: dict[str, Callable[[Draw], Draft | None]] = {
    "blocks": kinds_pages.blocks,
    "empty_slots": kinds_pages.empty_slots,
    "waste": kinds_pages.waste,
    "mark_empty": kinds_pages.mark_empty,
    "table": kinds_table.table,
    "slot": kinds_table.slot,
    "needs_page": kinds_append.needs_page,
    "can_append": kinds_append.can_append,
    "which_id": kinds_append.which_id,
    "order": kinds_append.order,
    "cached": kinds_sharing.cached,
    "ref_count": kinds_sharing.ref_count,
    "released": kinds_sharing.released,
    "mark_released": kinds_sharing.mark_released,
    **concepts.MAKERS,
}
KINDS: tuple[str, ...] = tuple(MAKERS)  # what a round asks; a link may name what comes again in one as well
MAKERS |= concepts.MORE_MAKERS

_MOST_CHOICES = 4
_LEAST_WRONG = 2
_ATTEMPTS = 200


def generate(kind: str, seed: int, block_size: int, difficulty: Difficulty) -> Question:
    """The question of that name; the same arguments give the same question. Raises InvalidLinkError."""
    return generate_named(Name(kind, seed, block_size, difficulty))


@lru_cache(maxsize=256)
def generate_named(name: Name) -> Question:
    """As generate."""
    if name.kind not in MAKERS:
        raise InvalidLinkError(part="question", reason="no such kind")
    for attempt in range(_ATTEMPTS):
        draw = Draw(name, attempt)
        draft = MAKERS[name.kind](draw)
        if draft is not None and (question := _finished(draw, draft)) is not None:
            return question
    raise InvalidLinkError(part="question", reason="nothing to ask")


def _finished(draw: Draw, draft: Draft) -> Question | None:
    """The draft as a question, or None where fewer than two wrong answers are left."""
    wrong = _distinct(draft.answer, draft.wrong)
    options = draft.options
    if draft.form == "choice":
        wrong = wrong[: _MOST_CHOICES - 1]
        shown = {draft.answer, *(each.value for each in wrong)}
        options = [option for option in options if option.id in shown]
    if len(wrong) < _LEAST_WRONG:
        return None
    return Question(
        name=draw.name,
        form=draft.form,
        config=draft.config,
        operations=tuple(draw.operations),
        numbers=draft.numbers,
        facts=draft.facts,
        options=tuple(_mixed(draw, draft.answer, options)),
        cells=draft.cells,
        answer=draft.answer,
        wrong=tuple(wrong),
        shows_queue=draft.shows_queue,
        other=draft.other,
    )


def _distinct(answer: Value, candidates: Iterable[tuple[str, Value]]) -> list[Wrong]:
    """Those that are not the answer, each value once: the first idea that gives it names it."""
    by_value: dict[Value, str] = {}
    for idea, value in candidates:
        if value != answer:
            by_value.setdefault(value, idea)
    return [Wrong(idea, value) for value, idea in by_value.items()]


def _mixed(draw: Draw, answer: Value, options: list[Option]) -> list[Option]:
    """The options in any order; what is to be put in order is not shown in that order."""
    mixed = list(options)
    draw.rng.shuffle(mixed)
    if tuple(option.id for option in mixed) == answer:
        mixed.reverse()
    return mixed
