"""Grade an answer, and name the idea behind a wrong one."""

from __future__ import annotations

from itertools import pairwise

from lab.activities.question import Fact, Grade, Value, Verdict
from lab.quiz.question import QuizQuestion, Wrong


def grade(question: QuizQuestion, value: Value) -> Grade:
    """Compare a parsed answer with what the engine did, and name the idea behind a wrong answer. Pure."""
    right = value == question.answer
    idea = "" if right else _find_idea(question, value, said=True)
    facts: dict[str, Fact] = {**question.numbers, **question.facts}
    only_reason = False
    if isinstance(value, int) and isinstance(question.answer, int):
        facts |= {"said": value, "answer": question.answer}
    elif question.form == "set":
        facts |= {"said": _sort_cells(value), "answer": _sort_cells(question.answer)}
    elif isinstance(value, str) and (chosen := question.option(value)) is not None:
        facts |= {f"said_{name}": number for name, number in chosen.numbers.items()}
        key = question.option(str(question.answer))
        only_reason = not right and key is not None and chosen.outcome == key.outcome != ""
    verdicts: tuple[Verdict, ...] = ()
    if question.form == "several" and isinstance(value, frozenset) and isinstance(question.answer, frozenset):
        verdicts = tuple(Verdict(o.id, o.id in value, o.id in question.answer) for o in question.options)
    return Grade(question.id, value, question.answer, right, idea, facts, verdicts=verdicts, only_reason=only_reason)


def _sort_cells(cells: Value) -> tuple[int, ...]:
    return tuple(sorted(cell for cell in cells if isinstance(cell, int))) if isinstance(cells, frozenset) else ()


def find_idea_to_retry(question: QuizQuestion, value: Value) -> str:
    """The idea that a wrong answer puts in doubt, so that the question is asked again for it. Pure."""
    return _find_idea(question, value, said=False)


def _find_idea(question: QuizQuestion, value: Value, *, said: bool) -> str:
    if question.form == "order" and isinstance(value, tuple):
        return _find_first_turned_round(question, value)
    if question.form == "several" and isinstance(value, frozenset) and isinstance(question.answer, frozenset):
        return _find_first_misjudged(question, question.answer, value, said=said)
    return next((wrong.idea for wrong in question.wrong if wrong.value == value), "")


def _find_first_turned_round(question: QuizQuestion, value: tuple[str, ...]) -> str:
    """The idea of the first pair of neighbours in the right order that this answer has in reverse."""
    answer = question.answer if isinstance(question.answer, tuple) else ()
    for (earlier, later), wrong in zip(pairwise(answer), question.wrong, strict=True):
        if value.index(later) < value.index(earlier):
            return wrong.idea
    return ""


def _find_first_misjudged(
    question: QuizQuestion, answer: frozenset[object], value: frozenset[object], *, said: bool
) -> str:
    """The idea behind the first misjudged statement: a false one that was chosen, else a true one that was left out.

    With `said`, only chosen statements count, because the feedback does not claim what a learner did not say.
    """

    def idea_of(option_id: str) -> str:
        return next((w.idea for w in question.wrong if _find_difference(w, answer) == option_id), "")

    misjudged = [o.id for o in question.options if (o.id in value) != (o.id in answer)]
    chosen = [o for o in misjudged if o in value]
    return "" if said and not chosen else idea_of(next(iter([*chosen, *misjudged])))


def _find_difference(wrong: Wrong, answer: frozenset[object]) -> object:
    difference = answer ^ wrong.value if isinstance(wrong.value, frozenset) else frozenset()
    return next(iter(difference), "")
