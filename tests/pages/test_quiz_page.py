"""The quiz's page as Streamlit runs it: rounds answered to the end, every form, links, and what a link must not do."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.attempt import encode
from lab.activities.ideas import find_idea, is_slip
from lab.activities.question import LEVELS, Value
from lab.activities.record import MAX_OF_A_KIND
from lab.figures.memory.fitting import fit_blocks_a_row
from lab.figures.memory.layout import lay_out
from lab.figures.memory.metrics import get_metrics
from lab.quiz.generate import KINDS, generate
from lab.quiz.grade import grade
from lab.quiz.link import encode_name
from lab.quiz.question import DIFFICULTIES, QuizQuestion
from lab.quiz.round import Round, play_turns
from lab.quiz.summary import summarize
from lab.quiz.view import view_after, view_before
from lab.quiz.words import ask, describe_scene, explain_answer, format_feedback, format_idea
from lessons.quiz import pictures
from lessons.quiz.summary import SIGNS
from lessons.text.translations import Language, get_translations
from tests.links import build_attempt, encode_round, parse_round, saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, keys, press, sound, task, texts, titles
from tests.sample import every_language, sampled, some

Record = dict[str, Any]


def opened(language: Language = "en", record: Record | None = None, **parameters: Any) -> AppTest:
    """A session at the quiz, whose browser has told this record."""
    return task(language, "quiz", told={} if record is None else record, **parameters)


def record_of(at: AppTest) -> Record:
    """What the browser holds."""
    found: Record = session_of(at)[STORED]
    return found


def field_key(at: AppTest) -> str:
    """The key that the fields of the question in view have or begin with."""
    found = min((key for key in keys(at) if key.startswith("quiz_answer.")), key=len)
    return found.removesuffix(".sure")


def fill(at: AppTest, question: QuizQuestion, value: Value, sure: str = "think") -> AppTest:
    """Give this answer in the question's own form; how sure one is only where that is asked."""
    key = field_key(at)
    if question.form in ("order", "several"):  # a field for each option
        key = key.removesuffix(f".{key.rpartition('.')[2]}" if question.option(key.rpartition(".")[2]) else "")
    if question.form == "number":
        at.text_input(key=key).set_value(str(value))
    elif question.form == "choice":
        at.radio(key=key).set_value(value)
    elif question.form == "set":
        assert isinstance(value, frozenset)
        at.text_input(key=key).set_value(", ".join(str(cell) for cell in sorted(value)))
    elif question.form == "several":
        assert isinstance(value, frozenset)
        for option in question.options:
            at.checkbox(key=f"{key}.{option.id}").set_value(option.id in value)
    else:
        assert isinstance(value, tuple)
        for place, option_id in enumerate(value, 1):
            at.radio(key=f"{key}.{option_id}").set_value(place)
    if f"{key}.sure" in keys(at):
        at.radio(key=f"{key}.sure").set_value(sure)
    return press(at, "quiz_submit")


def round_in(at: AppTest) -> Round:
    """The round of the address."""
    return parse_round(address(at, "quiz"))


def otherwise(question: QuizQuestion) -> Value:
    """The first wrong answer that has a name."""
    return question.wrong[0].value


def play(at: AppTest, *, right: bool, language: Language) -> Round:
    """Answer every question of the round in view, checking what is said about each."""
    say = get_translations(language)
    while not round_in(at).over:
        played = round_in(at)
        question = play_turns(played)[-1].question
        said = texts(at)
        assert all(line in said for line in describe_scene(question, say))
        assert ask(question, say) in said
        assert not any(line in said for line in (say.text("quiz_page.right"), say.text("quiz_page.wrong")))
        value = question.answer if right else otherwise(question)
        sure = LEVELS[len(played.answers) % 3]
        at = fill(at, question, value, sure)
        assert round_in(at) == played.answered(value, sure)
        result = grade(question, value)
        said = texts(at)
        wrong = "quiz_page.wrong_several" if question.form == "several" else "quiz_page.wrong"
        wrong = "quiz_page.wrong_reason" if result.only_reason else wrong
        assert [h.value for h in at.subheader] == [say.text("quiz_page.right" if right else wrong)]
        assert all(line in said for line in format_feedback(question, result, say))
        assert explain_answer(question, result, say) in said
        if not right:
            assert not result.idea or format_idea(result.idea, say) in said
            panel = {f"my_way_quiz_{question.name.kind}"} if result.idea and not is_slip(result.idea) else set()
            assert {str(getattr(e, "key", "")) for e in at.expander if "my_way" in str(getattr(e, "key", ""))} == panel
        assert "quiz_memory" in keys(at) or question.other is not None
        at = press(at, "quiz_next")
    return round_in(at)


@every_language
@pytest.mark.parametrize("right", [True, False])
def test_a_whole_round(language: Language, right: bool) -> None:
    """Begun with the button, answered to its end: the ideas, how sure and how right, the record, the same after F5."""
    say = get_translations(language)
    at = opened(language)
    assert titles(at) == [say.text("quiz.title")]
    at.slider(key="quiz_size").set_value(5)
    at = press(at, "quiz_begin")
    assert (round_in(at).block_size, round_in(at).length) == (5, 10)
    played = play(at, right=right, language=language)
    found, said = summarize(played), texts(at)
    assert say.text("quiz_page.end_score", right=10 if right else 0, answered=10) in said
    assert found.right == (10 if right else 0)
    assert all(format_idea(idea, say) in said for idea in found.seen)
    lessons = {find_idea(idea).lesson for idea in found.seen} - {""}
    assert lessons
    links = [link.proto.label for link in at.get("page_link")]
    titled = {lesson: say.text("quiz_page.to_lesson", title=say.text(f"{lesson}.title")) for lesson in lessons}
    assert set(titled.values()) <= set(links)
    lines, row = [each.value for each in at.markdown], 0
    for name in ("shaky", "corrected", "avoided", "unsettled"):
        for idea in getattr(
            found, name
        ):  # a row of the table: the idea, how often it was met and missed, how it stands
            row, tried = lines.index(format_idea(idea, say), row), found.trials[idea]
            last = say.text("quiz_page.last_right" if tried.last_right else "quiz_page.last_missed")
            times = say.text("quiz_page.times", met=tried.met, missed=tried.missed, last=last)
            assert lines[row + 1 : row + 3] == [times, f"**{SIGNS[name]} {say.text(f'quiz_page.{name}')}**"]
    assert (say.text("quiz_page.sure_wrong_none") in said) == right
    assert sum(key.startswith("quiz_again_") for key in keys(at)) == (0 if right else 10)
    sure = [LEVELS[int(sign)] for sign in "0120120120"]
    assert list(record_of(at)["attempts"].values()) == [encode(build_attempt(played, sure))]
    parameters = {key: address(at, key) for key in ("quiz", "at_quiz")}
    again = opened(language, record=record_of(at), **parameters)
    assert texts(again) == said
    if not right:
        assert say.text("quiz_page.hard", kinds="")[:8] in texts(again) or not found.hard


def test_the_same_ideas_never_open_a_finished_round() -> None:
    """8, then 16, then 8 again, each begun as the page offers it: always a round of its own, of the same kinds."""
    done = answered(Round(42, 8, "easy", 5), 5)
    kinds, seen = [turn.question.name.kind for turn in play_turns(done)], [done]
    record: Record = saved(encode_round(done))
    for size in (16, 8, 16):
        at = press(opened(record=record, quiz=encode_round(seen[-1]), at_quiz="end"), "quiz_same_ideas")
        fresh = round_in(at)
        assert (fresh.block_size, fresh.kinds_of, fresh.answers) == (size, 42, ())
        assert "quiz_submit" in keys(at)
        assert all(fresh.seed != each.seed for each in seen)
        seen.append(answered(fresh, 5))
        assert [turn.question.name.kind for turn in play_turns(seen[-1])] == kinds
        record = saved(*map(encode_round, seen))


@every_language
@pytest.mark.parametrize("own", [True, False])
def test_each_statement_tells_what_was_chosen_and_whether_it_is_true(language: Language, own: bool) -> None:
    """A false one left out is rightly judged, and said to be false; who chose is the learner, or the link."""
    seed = next(s for s in range(200) if play_turns(Round(s, 4, "easy"))[0].question.form == "several")
    start = Round(seed, 4, "easy")
    question = play_turns(start)[0].question
    assert isinstance(question.answer, frozenset)
    false = next(option.id for option in question.options if option.id not in question.answer)
    value = frozenset({false, *sorted(str(each) for each in question.answer)[1:]})
    text = encode_round(start.answered(value))
    at = opened(language, record={"rounds": [text]} if own else {}, quiz=text)
    say, result, lines = get_translations(language), grade(question, value), [each.value for each in at.markdown]
    for each, told in zip(result.verdicts, format_feedback(question, result, say), strict=True):
        same = each.chosen == each.true
        what = f"{'' if own else 'they_'}{'chosen' if each.chosen else 'left'}_{'right' if same else 'wrong'}"
        ends = f"{'✓' if same else '≠'} {say.text(f'quiz_page.{what}')}{say.text('figures.gap')}{told}"
        assert sum(line.endswith(ends) for line in lines) == 1
    assert {(v.chosen == v.true) for v in result.verdicts} == {True, False}


def test_how_sure_one_was_is_told_as_a_statement() -> None:
    """With the feedback, not as the question again."""
    start = Round(5, 4, "easy", 5)
    at = opened(quiz=encode_round(start))
    at = fill(at, play_turns(start)[0].question, play_turns(start)[0].question.answer, "sure")
    assert get_translations("en").text("quiz_page.sure_was", level="sure") in texts(at)
    assert get_translations("en").text("quiz_page.sure_ask") not in texts(at)


@every_language
@pytest.mark.parametrize("size", range(2, 17))
def test_slots_to_be_touched_lie_apart(size: int, language: Language) -> None:
    """24 px or more, whatever the block_size and the language, on a phone and beside the words."""
    for difficulty in DIFFICULTIES:
        seen = view_before(generate("mark_empty", 5, size, difficulty))
        assert seen is not None
        columns = fit_blocks_a_row(seen.state, get_translations(language), pictures.NARROW)
        m, lines = get_metrics(columns), [2] * seen.state.num_blocks
        cells = lay_out(seen.state, get_translations(language), m, columns, lines, caption_height=0).blocks[-1].cells
        assert all(abs(a.x0 - b.x0) >= 24 or abs(a.y0 - b.y0) >= 24 for a, b in combinations(cells, 2))


def begun(kind: str, size: int = 4, difficulty: str = "easy") -> str:
    """The name of some question of that kind."""
    return encode_name(generate(kind, 17, size, next(d for d in DIFFICULTIES if d == difficulty)).name)


ONE_OF_EACH_FORM = ("blocks", "needs_page", "block_table_is", "order", "mark_empty")


@every_language
@pytest.mark.parametrize("kind", sampled(KINDS, ONE_OF_EACH_FORM))
def test_a_question_by_its_link(kind: str, language: Language) -> None:
    """Asked without a round; answered, told, asked again; another one of its kind has another name."""
    say, question = get_translations(language), generate(kind, 17, 4, "medium")
    name = encode_name(question.name)
    at = opened(language, question=name)
    assert ask(question, say) in texts(at)
    assert say.text("quiz_page.sure_ask") not in [radio.label for radio in at.radio]  # it would be kept nowhere
    for value in (question.answer, otherwise(question)):
        at = fill(at, question, value)
        told = format_feedback(question, grade(question, value), say)
        assert all(line in texts(at) for line in told)
        assert address(at, "quiz") == ""
        at = press(at, "quiz_retry")
    at = press(fill(at, question, question.answer), "quiz_another")
    assert address(at, "question").startswith(f"q.{kind}.")
    assert address(at, "question") != name
    assert record_of(at) == {}
    assert address(press(at, "quiz_to_round"), "question") == ""


@pytest.mark.parametrize(
    ("kind", "typed", "reason"),
    [
        ("blocks", "", "empty"),
        ("blocks", "three", "not_a_number"),
        ("slot", "-1", "negative"),
        ("slot", "1.5", "not_whole"),
        ("table", None, "no_choice"),
        ("order", None, "not_every_step"),
        ("order", 1, "not_every_step"),
        ("block_table_is", None, "none_chosen"),
        ("mark_empty", "99999", "too_large"),
        ("mark_empty", "900", "no_such_cell"),
        ("mark_released", "4-2", "no_such_cell"),
    ],
)
def test_a_slip_of_form_is_told_and_costs_nothing(kind: str, typed: str | int | None, reason: str) -> None:
    """Beside the field; nothing is recorded, and the question stays."""
    seed = next(s for s in range(200) if play_turns(Round(s, 4, "easy"))[0].question.name.kind == kind)
    start = Round(seed, 4, "easy")
    at = opened(quiz=encode_round(start))
    question, key = play_turns(start)[0].question, field_key(at)
    if question.form in ("number", "set"):
        at.text_input(key=key).set_value(str(typed))
    elif isinstance(typed, int):
        for option in question.options:
            at.radio(key=f"{key}.{option.id}" if not key.endswith(option.id) else key).set_value(typed)
    at = press(at, "quiz_submit")
    say = get_translations("en")
    assert f"▲ {say.text(f'errors.invalid_answer.{reason}')}" in texts(at)
    assert texts(at).count("▲") == 2  # nor has it been said how sure
    assert (address(at, "quiz"), "rounds" in record_of(at)) == (encode_round(start), False)
    assert f"▲ {say.text('errors.invalid_answer.no_choice')}" in texts(at)


def test_the_picture_marks_what_is_typed() -> None:
    """The field names the cells, and the picture says them; what cannot be read marks none and is told at once."""
    question = generate("mark_empty", 17, 4, "easy")
    at = opened(question=encode_name(question.name))
    key, say = field_key(at), get_translations("en")
    sentence = say.text("slots.answer.said_chosen_slot", cells="0–2, 5")
    assert sentence not in texts(at)
    at.text_input(key=key).set_value("0-2, 5")
    assert sentence in texts(sound(at.run()))
    at.text_input(key=key).set_value("0-2, x")
    at = sound(at.run())
    assert say.text("errors.invalid_answer.not_numbers") in texts(at)
    assert sentence not in texts(at)


FOREIGN = Round(5, 4, "easy", 5)


def old_text(played: Round) -> str:
    """A round as links and records held it before."""
    return encode_round(played).removeprefix("2.quiz.").rstrip("_")


def answered(start: Round, count: int) -> Round:
    """The round, so many questions answered rightly."""
    for _ in range(count):
        start = start.answered(play_turns(start)[-1].question.answer)
    return start


@every_language
def test_answers_of_a_link_are_the_sender_s(language: Language) -> None:
    """Shown as such, no field for the next one, and taken without them; one's own are gone on with."""
    say, link = get_translations(language), answered(FOREIGN, 2)
    at = opened(language, quiz=encode_round(link))
    assert say.text("quiz_page.foreign") in texts(at)
    assert "quiz_next" not in keys(at)
    at = press(at, "quiz_take")
    assert round_in(at) == FOREIGN
    assert say.text("quiz_page.foreign") not in texts(at)
    assert "quiz_submit" in keys(at)
    own = answered(FOREIGN, 3)
    record = {"rounds": [old_text(own)], "rounds_sure": {old_text(FOREIGN): "2x"}}
    mine = opened(language, record=record, quiz=encode_round(link))
    assert say.text("quiz_page.foreign") not in texts(mine)
    wrong = FOREIGN.answered(otherwise(play_turns(FOREIGN)[0].question))
    other = opened(language, record=record, quiz=encode_round(wrong))
    assert say.text("quiz_page.they_said", answer="")[:6] in texts(other)
    own = replace(own, answers=(replace(own.answers[0], sure="sure"), *own.answers[1:]))
    assert round_in(press(other, "quiz_take")) == own
    left = opened(language, record=record)
    assert round_in(press(left, "quiz_go_on")) == own


def test_going_back_does_not_take_an_answer_back() -> None:
    """An address with fewer answers than this browser gave shows what was answered."""
    own = answered(FOREIGN, 2)
    record = saved(encode_round(own))
    at = opened(record=record, quiz=encode_round(answered(FOREIGN, 1)), at_quiz="2")
    assert "quiz_submit" not in keys(at)
    assert get_translations("en").text("quiz_page.right") in [h.value for h in at.subheader]
    at = press(at, "quiz_next")
    assert (round_in(at), address(at, "at_quiz")) == (own, "3")
    assert "quiz_submit" in keys(at)


HOSTILE = [
    {"quiz": "r"},
    {"quiz": "r.1.4.easy.99"},
    {"quiz": "r.1.0.easy.10"},
    {"quiz": "r.1.17.easy.10"},
    {"quiz": "r.1.4.easy.10_x"},
    {"quiz": "r.1.4.easy.10_9-9-9-9"},
    {"quiz": "r.1.4.easy.10_" + "1." * 5000},
    {"quiz": "<script>alert(1)</script>"},
    {"question": "q.blocks.1.4.brutal"},
    {"question": "q.nothing.1.4.easy"},
    {"question": "q.blocks.1.99.easy"},
    {"question": "q.blocks.1.4.easy\x00"},
]


@pytest.mark.parametrize("parameters", some(HOSTILE, 4), ids=lambda p: str(p)[:40].encode("ascii", "replace").decode())
def test_a_link_that_cannot_be_read_says_so(parameters: dict[str, str]) -> None:
    """And leaves a round to be begun."""
    at = opened("en", None, **parameters)
    assert len(at.warning) == 1
    assert "<script" not in texts(at)
    at = press(at, "quiz_begin")
    assert not at.warning
    assert round_in(at).answers == ()


@pytest.mark.parametrize("at_quiz", some(["0", "-1", "7", "end", "x", "１", "1e9", "9" * 400], 3))
def test_a_place_that_there_is_not_is_the_last_answer(at_quiz: str) -> None:
    """The end is there only once all is answered."""
    own = answered(FOREIGN, 2)
    at = opened(record=saved(encode_round(own)), quiz=encode_round(own), at_quiz=at_quiz)
    assert [h.value for h in at.header] == [get_translations("en").text("quiz_page.question", number=2, length=5)]


EDITED: list[Record] = [
    {"rounds": "r.5.4.easy.5"},
    {"rounds": [5, None, "x", "\ud800", ["r.5.4.easy.5"]]},
    {"rounds": ["r.5.4.easy.5_9-9-9"]},
    {"rounds": ["r.5.4.easy.5"] * 500, "rounds_sure": {"r.5.4.easy.5": 7}},
    {"rounds_sure": [1]},
    {"rounds": [old_text(answered(FOREIGN, 5))], "rounds_sure": {old_text(FOREIGN): "99zz2"}},
]


@pytest.mark.parametrize("record", some(EDITED, 2), ids=range(len(EDITED)))
def test_an_edited_record_does_no_harm(record: Record) -> None:
    """Every place of the quiz is drawn, and what comes next is kept."""
    done = encode_round(answered(FOREIGN, 5))
    for parameters in ({}, {"quiz": encode_round(FOREIGN)}, {"quiz": done, "at_quiz": "end"}):
        opened("en", dict(record), **parameters)
    start = Round(6, 4, "easy", 5)
    at = opened(record=dict(record), quiz=encode_round(start))
    at = fill(at, play_turns(start)[0].question, play_turns(start)[0].question.answer)
    at = sound(at.run())
    kept = list(record_of(at)["attempts"].values())
    assert kept[-1] == encode(build_attempt(answered(start, 1), ("think",)))
    assert len(kept) <= MAX_OF_A_KIND


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_what_is_shown_before_the_answer_is_before_it(kind: str, difficulty: str) -> None:
    """No state in which what is asked has happened; where cells are marked there is always one to mark them in."""
    for seed in range(6):
        question = generate(kind, seed, 4, next(d for d in DIFFICULTIES if d == difficulty))
        seen = view_before(question)
        assert (question.form != "set") or seen is not None
        if seen is not None:
            assert seen.steps < view_after(question).steps
            assert difficulty == "easy" or seen.state.sequences == ()
            assert seen.state.num_blocks == question.config.num_blocks
        if kind in ("mark_empty", "slot"):
            assert seen is not None
            assert seen.state.sequences == ()
        if question.form == "set":
            state = view_after(question).state
            count = state.num_blocks * (state.block_size if question.cell == "slot" else 1)
            assert question.cells == range(count)
