"""One scheme of ids: every rule of every question names an idea or a slip, and each of those is named somewhere."""

from __future__ import annotations

from itertools import product

import pytest

from lab.activities.cases import CASES, LESSONS
from lab.activities.checkpoint import build_checkpoint
from lab.activities.diagnosis import get_rules
from lab.activities.ideas import IDEAS, SLIPS, VARIANTS, find_idea, is_slip
from lab.activities.intuition.progress import QUESTIONS as INTUITION
from lab.activities.question import BY_ID, Question
from lab.quiz.concepts import STATEMENTS
from lab.quiz.generate import KINDS, generate
from lab.quiz.question import DIFFICULTIES
from lab.trace.presets import PLAN, build_task_config
from lab.trace.timeline import Timeline
from lessons.task.chapter_question import QUESTION
from lessons.text.translations import Language, load_strings
from tests.sample import every_language

IN_CASES = [q for case in CASES.values() for q in case.questions(0 if case.pick_from else None)]
ASKED: dict[str, Question] = {**BY_ID, **{question.id: question for question in IN_CASES}}


def name_ideas() -> dict[str, list[str]]:
    """The ideas that each question names, by question; quiz kinds by a sample of their questions."""
    named = {question.id: [idea for idea, _ in get_rules(question)] for question in ASKED.values()}
    named |= {f"intuition.{each.id}": [option.idea for option in each.options] for each in INTUITION}
    named |= {f"quiz.{kind}": [each.idea for each in statements] for kind, statements in STATEMENTS.items()}
    for kind in set(KINDS) - set(STATEMENTS):
        names = product(range(20), (1, 4, 8), DIFFICULTIES)
        drawn = (generate(kind, seed, size, level) for seed, size, level in names)
        named[f"quiz.{kind}"] = [idea for question in drawn for idea in question.ideas]
    plans = [(build_task_config(), PLAN), *((case.config, case.plan) for case in CASES.values())]
    checks = [build_checkpoint(step) for config, plan in plans for step in Timeline.replay(config, plan).steps]
    named["check"] = [option.idea for check in checks for option in check.options if option.id != check.answer]
    return {**named, "chapter": [option.idea for option in QUESTION.options]}


def test_every_rule_names_an_idea_of_the_one_list_and_each_is_named() -> None:
    """No other names, and none left over. A page kept ahead is one idea, a last page counted as empty another."""
    named = {idea for ideas in name_ideas().values() for idea in ideas} - {""}
    everything = {idea.id for idea in (*IDEAS, *VARIANTS, *SLIPS)}
    assert named - everything == set()
    assert everything - named == set()
    assert {"whole_page_empty", "slip_whole_page"} <= named
    assert all(is_slip(idea) == (find_idea(idea).status == "slip") for idea in everything)


@pytest.mark.parametrize("question", ASKED.values(), ids=lambda question: question.id)
def test_no_question_names_an_idea_twice(question: Question) -> None:
    """So question and idea together are the key of a text."""
    ideas = [idea for idea, _ in get_rules(question)]
    assert len(ideas) == len(set(ideas))


@every_language
def test_each_idea_of_a_lesson_has_its_text_and_none_is_left_over(language: Language) -> None:
    """Under question and idea; a rule that is renamed alone has none."""
    asked = {
        f"{lesson}.idea.{question.id}_{idea}"
        for lesson, cases in LESSONS.items()
        for case in cases
        for question in case.questions(0 if case.pick_from else None)
        for idea, _ in get_rules(question)
    }
    asked |= {f"intuition.idea.{each.id}_{option.idea}" for each in INTUITION for option in each.options if option.idea}
    assert {key for key in load_strings(language) if key.partition(".idea.")[0] in LESSONS and ".idea." in key} == asked
