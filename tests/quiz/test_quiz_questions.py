"""Every kind of question, drawn many times: the key is the engine's, wrong answers are wrong, texts are complete."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from itertools import pairwise, product

import pytest

from lab.activities.answer import parse
from lab.activities.ideas import IDEAS, find_idea, is_slip
from lab.activities.question import Value
from lab.engine.errors import InvalidLinkError
from lab.quiz import words as say
from lab.quiz.concepts import STATEMENTS, get_base_kind
from lab.quiz.generate import KINDS, MAKERS, generate, generate_named
from lab.quiz.grade import find_idea_to_retry, grade
from lab.quiz.question import DIFFICULTIES, QuestionName, QuizQuestion
from lab.quiz.run import run, run_last_step
from lab.trace.config import MAX_TOKENS
from lab.trace.timeline import Timeline
from lessons.text.translations import LANGUAGES, Language, get_translations, load_strings
from tests import sample
from tests.quiz.quiz_oracle import expected
from tests.sample import every_language

SEEDS = range(500 if sample.runs_everything else 240)
SOME_SEEDS = range(0, 500, 41)
ALL_KINDS = tuple(MAKERS)  # the kinds of a round, and the kinds of retries with other statements
UNFINISHED = re.compile(r"[{}]|frozenset|\(\)|\[\],")
ONE = re.compile(  # "1 tokens", "1 of 4 slots lie"; not "does the KV of token 1 lie"
    r"(?<![\d.–])(?<!token )1 (?:token |of \d+ \w+ )?(?:tokens|slots|blocks|pages|requests|are|were|have|lie)\b"
    r"|\b(?:first|all) 1\b"
)
SPACED = re.compile(r"[\u4e00-\u9fff，。：；、（）] (?=[\u4e00-\u9fff，。：；、（）])")
FIRST_WORD = re.compile(r"[:：,，]")


@cache
def all_drawn(kind: str) -> tuple[QuizQuestion, ...]:
    """One question for each seed; over all seeds every block_size meets every difficulty, by default five times."""
    shift = ALL_KINDS.index(kind)
    names = [QuestionName(kind, seed, (seed + shift) % 16 + 1, DIFFICULTIES[(seed // 16) % 3]) for seed in SEEDS]
    assert len({(name.block_size, name.difficulty) for name in names}) == 16 * 3
    return tuple(generate_named(name) for name in names)


def drawn(kind: str, step: int = 1) -> tuple[QuizQuestion, ...]:
    """The questions of that kind, or a sample of them."""
    return all_drawn(kind)[::step]


def answers(question: QuizQuestion) -> list[tuple[str, Value]]:
    """The right answer, without an idea, and every named wrong answer."""
    return [("", question.answer), *((wrong.idea, wrong.value) for wrong in question.wrong)]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_seed_at_every_size(kind: str) -> None:
    """500 seeds at all 16 sizes: distinct options, exactly one right answer among them, complete texts."""
    check_seeds(kind, range(500))


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_some_seeds_at_every_size(kind: str) -> None:
    """The same for 13 seeds, which also meet every difficulty and language."""
    check_seeds(kind, SOME_SEEDS)


def check_seeds(kind: str, seeds: range) -> None:
    """The difficulty changes with seed and size; at every eighth, so do the language and the graded answer."""
    for seed, size in product(seeds, range(1, 17)):
        question = generate_named.__wrapped__(QuestionName(kind, seed, size, DIFFICULTIES[(seed + size) % 3]))
        check_answers(question)
        if (seed + size) % 8 == 0:
            check_texts(question, LANGUAGES[seed // 8 % len(LANGUAGES)], seed)


def check_answers(question: QuizQuestion) -> None:
    """All differ, so exactly one is right; two or more wrong answers have a name; every one can be given."""
    ids = {option.id for option in question.options}
    values = [question.answer, *(wrong.value for wrong in question.wrong)]
    assert len(ids) == len(question.options), question.name
    assert len(values) == len(set(values)) >= 3, question.name
    if question.form == "choice":
        assert set(values) == ids, question.name
        assert len(ids) <= 4
    elif question.form == "number":
        assert all(isinstance(value, int) and 0 <= value <= 999 for value in values), question.name
    elif question.form == "order":
        assert all(isinstance(value, tuple) and set(value) == ids for value in values), question.name
        assert tuple(option.id for option in question.options) != question.answer
    else:
        possible: set[object] = {*ids, *question.cells}
        assert all(isinstance(value, frozenset) and value <= possible for value in values), question.name


def check_texts(question: QuizQuestion, language: Language, which: int) -> None:
    """Question, options, scene, feedback on one answer; an option's first word does not reveal the answer."""
    say_in, values = get_translations(language), answers(question)
    options = [say.format_option(option, say_in) for option in question.options]
    assert len(set(options)) == len(options), question.name
    if question.name.kind in ("needs_page", "can_append"):
        first = [FIRST_WORD.split(text)[0] for text in options]
        right = [option.id for option in question.options].index(str(question.answer))
        assert first.count(first[right]) > 1, (question.name, options)
        for option, word in zip(question.options, first, strict=True):  # "No, because ...": right outcome, wrong reason
            only_reason = option.id != question.answer and word == first[right]
            assert grade(question, option.id).only_reason == only_reason, (question.name, option.id)
    results = [grade(question, value) for _, value in values]
    assert [result.right for result in results] == [True] + [False] * (len(values) - 1), question.name
    feedback = say.format_feedback(question, results[which % len(values)], say_in)
    complete([*options, *feedback, *say.describe_scene(question, say_in), say.ask(question, say_in)], language)


def complete(texts: list[str], language: Language) -> None:
    """No open placeholder, the right singular and plural, no space inside Chinese."""
    for text in texts:
        assert text.strip()
        assert not UNFINISHED.search(text), text
        assert not (ONE if language == "en" else SPACED).search(text), text


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_key_is_what_the_engine_does(kind: str) -> None:
    """Against an independent run: exactly the right answer is graded right, and each wrong one has its diagnosis.

    For the conceptual kinds this only shows that the key is that of STATEMENTS. The tests that the statements name, in
    tests/quiz/test_quiz_concepts.py, prove that key.
    """
    for question in drawn(kind, step=3):
        if kind in STATEMENTS:
            true = {statement.id for statement in STATEMENTS[kind] if statement.true}
            assert question.answer == frozenset(true & {option.id for option in question.options})
        else:
            assert question.answer == expected(question), question.name
        for idea, value in answers(question):
            result = grade(question, value)
            assert (result.right, find_idea_to_retry(question, value) if idea else "") == (not idea, idea), (
                question.name
            )
            assert result.idea == (idea if said_by(question, value) else ""), (question.name, value)
            assert parse(question, value) == value


def said_by(question: QuizQuestion, value: Value) -> bool:
    """Does the answer claim something wrong, rather than only leave out something right?"""
    if not (isinstance(value, frozenset) and isinstance(question.answer, frozenset)) or question.form != "several":
        return True
    return not set(map(str, value)) <= set(map(str, question.answer))


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_wrong_answers_have_a_name(kind: str) -> None:
    """One of the named ideas, or a slip."""
    for question in drawn(kind):
        assert all(find_idea(idea) for idea, _ in answers(question)[1:])


@pytest.mark.parametrize("kind", ALL_KINDS)
@every_language
def test_texts_are_complete(kind: str, language: str) -> None:
    """Every text, in both languages; feedback has numbers and never only says that the answer is wrong."""
    to_say = get_translations("zh" if language == "zh" else "en")
    for question in drawn(kind, step=7):
        lines = [*say.describe_scene(question, to_say), say.ask(question, to_say)]
        lines += [say.format_option(option, to_say) for option in question.options]
        for idea, value in answers(question):
            feedback = say.format_feedback(question, grade(question, value), to_say)
            if question.form != "several":
                assert len(feedback) == 1
                assert re.search(r"\d", feedback[0]), (question.name, idea)
            lines += feedback
            if idea:
                lines.append(say.format_idea(idea, to_say))
        lines += [say.format_kind(kind, to_say), say.format_difficulty(question.name.difficulty, to_say)]
        complete(lines, "zh" if language == "zh" else "en")


def test_no_string_is_for_nothing() -> None:
    """Some question reaches each feedback and option."""
    reached: set[str] = set()
    for kind in ALL_KINDS:
        for question in drawn(kind):
            reached.update(f"quiz.option.{option.text}" for option in question.options)
            if question.form == "several":
                reached.update(f"quiz.told.{kind}_{option.id}" for option in question.options)
            else:
                reached.update(f"quiz.why.{kind}_{idea}" for idea in question.ideas)
            case = question.facts.get("case")
            named = get_base_kind(kind)
            reached.add(f"quiz.right.{named}_{case}" if case else f"quiz.right.{named}")
    topics = ("option", "told", "why", "right")
    assert {key for key in load_strings("en") if key.startswith(tuple(f"quiz.{topic}." for topic in topics))} == reached
    assert {key for key in load_strings("en") if key.startswith("quiz.ask.")} == {f"quiz.ask.{kind}" for kind in KINDS}
    assert {key for key in load_strings("en") if key.startswith("quiz.kind.")} == {
        f"quiz.kind.{kind}" for kind in KINDS
    }


def test_at_block_size_1_no_statement_is_about_an_empty_slot() -> None:
    """There is no empty slot, so a run has nothing to show about it."""
    ones = [generate("fragmentation_kinds", seed, 1, difficulty) for seed in range(40) for difficulty in DIFFICULTIES]
    asked = {option.id for question in ones for option in question.options}
    assert asked == {"any_free_block", "hole", "full_leaves_page", "free_blocks", "larger_more"}
    assert {question.facts["case"] for question in ones} == {"none"}
    assert {q.facts["case"] for q in drawn("fragmentation_kinds") if q.name.block_size > 1} == {"some"}


def test_a_sorted_table_is_a_slip_of_storing() -> None:
    """The idea `pages_sorted` is about reading: under it only the reader sorts, and the table is the engine's."""
    assert {idea for q in drawn("table") for idea in q.ideas} >= {"slip_sorted_table"}
    assert "pages_sorted" not in {idea for q in drawn("table") for idea in q.ideas}


def test_last_pages_are_told_by_request() -> None:
    """One clause for each request: which block, and how many of its slots hold tokens."""
    question = next(q for q in drawn("mark_empty") if len(q.config.requests) > 1 and q.facts["case"] == "some")
    for language in LANGUAGES:
        text = say.explain_answer(question, grade(question, question.answer), get_translations(language))
        for view in run(question.config, question.operations)[-1].after.sequences:
            numbers = {"block": view.block_table[-1], "last": view.last_block_num_tokens}
            size = view.block_size
            assert (
                get_translations(language).text("quiz.last_page", seq_id=view.seq_id, block_size=size, **numbers)
                in text
            )


def test_there_are_at_most_64_cells_to_mark() -> None:
    """A learner can look through that many, and a link can hold them."""
    assert max(len(q.cells) for q in drawn("mark_empty")) == 64


def test_every_misconception_can_be_met() -> None:
    """All named ideas but one occur somewhere in the quiz; with that one, old links would open other questions."""
    met = {idea for kind in KINDS for question in drawn(kind, step=3) for idea in question.ideas}
    assert {idea for idea in met if not is_slip(idea)} == {idea.id for idea in IDEAS} - {"unchained_hash"}


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_same_name_gives_the_same_question(kind: str) -> None:
    """Drawn again without a cache; other seeds give other numbers."""
    first = list(drawn(kind, step=25))
    names = [question.name for question in first]
    generate_named.cache_clear()
    again = [generate(name.kind, name.seed, name.block_size, name.difficulty) for name in names]
    assert first == again
    assert all(one is not other for one, other in zip(first, again, strict=True))
    assert len({(q.config, q.operations) for q in (generate(kind, seed, 4, "medium") for seed in range(20))}) > 10


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_the_run_without_a_tensor_is_the_timeline_s(kind: str) -> None:
    """The same events and the same states for each operation."""
    for question in drawn(kind, step=50):
        light = run(question.config, question.operations)
        full = Timeline.replay(question.config, question.operations).steps
        assert run_last_step(question.config, question.operations) == light[-1]
        assert [(s.operation, s.events, s.before, s.after) for s in light] == [
            (s.operation, s.events, s.before, s.after) for s in full
        ]
        assert all(not step.refusal for step in full[:-1])
        assert all(view.num_tokens <= MAX_TOKENS for step in full for view in step.after.sequences)
        assert all(not step.after.findings() for step in full)


def test_the_quiz_does_not_wait_for_torch() -> None:
    """It also does not wait for anything else that is slow to import."""
    code = "import sys, lab.quiz.link, lab.quiz.words; print({'torch', 'pandas', 'plotly'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_exact_multiples_and_empty_pools_are_asked_about() -> None:
    """Edge cases are not rare."""
    exact = [q for q in drawn("empty_slots") if q.answer == 0 and q.name.block_size > 1]
    assert len(exact) > len(SEEDS) / 10
    cases = [(q.answer, q.facts["free"] == 0) for q in drawn("can_append")]
    assert {("room", True), ("room", False), ("one_free", False), ("none_left", True)} == set(cases)
    assert all(cases.count(case) > len(SEEDS) / 25 for case in set(cases))
    assert {q.facts["case"] for q in drawn("order")} == {"done", "preempted"}
    assert {q.facts["case"] for q in drawn("mark_released")} == {"some", "none"}
    crossing = [q for q in drawn("needs_page") if q.name.block_size > 1 and q.answer == "crosses"]
    assert 0.2 < len(crossing) / len(SEEDS) < 0.8
    assert len([q for q in drawn("cached") if isinstance(q.answer, int) and q.answer > 0]) > len(SEEDS) * 0.4


@pytest.mark.parametrize("kind", [kind for kind in KINDS if generate(kind, 0, 4, "easy").form == "order"])
def test_any_wrong_order_has_an_idea(kind: str) -> None:
    """In any wrong permutation some neighbours are reversed, and the first of them names the idea."""
    for question in drawn(kind, step=40):
        answer = question.answer
        assert isinstance(answer, tuple)
        backwards = tuple(reversed(answer))
        assert grade(question, backwards).idea == question.wrong[0].idea
        last_first = (answer[-1], *answer[:-1])
        assert grade(question, last_first).idea == question.wrong[-1].idea
        assert len(list(pairwise(answer))) == len(question.wrong)


def test_a_step_for_which_no_block_is_free_goes_as_nano_vllm_s_scheduler_does() -> None:
    """may_append never follows False, and no token is withdrawn; the key is the run's own order."""
    found = [q for q in drawn("order") if q.facts["case"] == "preempted"]
    assert len(found) > len(SEEDS) / 13
    for question in found:
        assert question.answer == ("token_appended", "append_checked", "preempted", "block_taken")
        (*_, last) = run(question.config, question.operations)
        assert [event.code for step in run(question.config, question.operations) for event in step.events].count(
            "append_checked"
        ) >= 2
        assert last.after.sequence("A") is not None
        codes = {event.code for step in run(question.config, question.operations) for event in step.events}
        assert not codes & {"refused", "token_withdrawn"}
        assert say.describe_scene(question, get_translations("en"))[-1].endswith(
            get_translations("en").text("quiz.scene.none_free")
        )


def test_a_statement_that_was_only_left_out_accuses_nobody() -> None:
    """The feedback names no idea for a statement that was not chosen; the question still returns for it."""
    question = next(q for q in drawn("release_not_erase") if {"tail", "stays"} <= set(map(str, q.answer)))  # type: ignore[arg-type]
    result = grade(question, frozenset(map(str, question.answer)) - {"tail"})  # type: ignore[arg-type]
    assert (result.right, result.idea) == (False, "")
    assert find_idea_to_retry(question, frozenset(map(str, question.answer)) - {"tail"}) == "slip_joins_head"  # type: ignore[arg-type]


def test_why_a_full_page_with_the_same_tokens_was_not_found_is_told() -> None:
    """The page of the last token is never looked up; the feedback says so when that is the reason."""
    tables = [q for q in drawn("table") if q.facts["case"] == "last"]
    assert len(tables) > 10
    for question in tables:
        text = say.explain_answer(question, grade(question, question.answer), get_translations("en"))
        assert f"A's block {question.facts['skipped']} " in text
        first = run(question.config, question.operations)[-1].after.blocks[int(str(question.facts["skipped"]))]
        last = run(question.config, question.operations)[-1].view("B")
        assert first.token_ids == last.page(last.num_blocks - 1)


def test_blocks_are_called_blocks() -> None:
    """ "Found: 0" reads like none, so a number after a colon is introduced as a block's."""
    for key, text in load_strings("en").items():
        if key.startswith(("quiz.right.", "quiz.why.")):
            assert not re.search(r"\{(?:found|shared|kept)(?::or_none)?\}", text), key


def test_a_wrong_number_without_an_idea_gets_the_engine_s_way() -> None:
    """The feedback names no idea."""
    question = generate("blocks", 1, 4, "easy")
    result = grade(question, 900)
    assert (result.right, result.idea) == (False, "")
    assert say.format_feedback(question, result, get_translations("en")) == [
        say.explain_answer(question, result, get_translations("en"))
    ]


def test_a_misjudged_statement_is_told_and_named() -> None:
    """A false statement that was chosen comes before a true one that was left out."""
    question = next(q for q in drawn("block_table_is") if isinstance(q.answer, frozenset) and len(q.answer) > 1)
    assert isinstance(question.answer, frozenset)
    by_id = {statement.id: statement for statement in STATEMENTS["block_table_is"]}
    ids = [option.id for option in question.options]
    left_out = next(i for i in ids if by_id[i].true)
    chosen = next(i for i in ids if not by_id[i].true)
    result = grade(question, parse(question, [i for i in ids if by_id[i].true and i != left_out] + [chosen]))
    assert (result.right, result.idea) == (False, by_id[chosen].idea)
    assert {v.option_id for v in result.verdicts if v.chosen != v.true} == {left_out, chosen}
    assert len(say.format_feedback(question, result, get_translations("en"))) == len(ids)


@pytest.mark.parametrize(
    ("kind", "seed", "size", "difficulty"),
    [
        ("blocks", -1, 4, "easy"),
        ("blocks", 1_000_000, 4, "easy"),
        ("blocks", 1, 0, "easy"),
        ("blocks", 1, 17, "easy"),
        ("blocks", 1, 4, "very"),
        ("nothing", 1, 4, "easy"),
        ("", 1, 4, "easy"),
    ],
)
def test_what_does_not_exist_is_refused(kind: str, seed: int, size: int, difficulty: str) -> None:
    """Never an AssertionError or a KeyError."""
    with pytest.raises(InvalidLinkError):
        generate(kind, seed, size, difficulty)  # type: ignore[arg-type]
