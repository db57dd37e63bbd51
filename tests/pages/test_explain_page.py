"""The part `explain` as Streamlit runs them, without a browser: every state, in both languages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.free_text import DENIABLE
from lab.activities.question import QUESTIONS
from lab.activities.retry import build_retry
from lessons.task.chapter_question import OPTIONS, RIGHT, FifthToken
from lessons.task.word_question import run_early_release
from lessons.text.translations import Language, get_translations
from tests.activities.test_diagnosis import SUGGESTED, replay
from tests.links import new, saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, go, keys, press, sound, task, texts
from tests.sample import every_language, some

ALL = SUGGESTED.replace(" ", ".")
GOOD = new(f"4.used_P3-1-1-0-1-7-000000_{ALL}")
_SURE = f"4.used_P2-1-0-1-2-7-101010_{ALL}"
SURE = new(_SURE)  # wrong: blocks (sure), new_page (sure), consecutive, the check (sure)
FIFTH = FifthToken.from_steps(replay(SUGGESTED))
assert FIFTH is not None
NUMBERS = FIFTH.numbers()


def opened(language: Language = "en", part: str = "explain", record: Any = None, **parameters: str) -> AppTest:
    """A session at this part of the task, whose browser has told this record."""
    return task(language, told={} if record is None else record, part=part, lang=language, **parameters)


def record_of(at: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = session_of(at)[STORED]
    return found


def tries_of(at: AppTest) -> list[str]:
    """What was tried at the chapter's question."""
    return list(record_of(at)["answers"]["2.chapter__"].values())


def labels(at: AppTest) -> list[str]:
    return [expander.label for expander in at.expander]


def turn_to(at: AppTest, part: str) -> AppTest:
    return sound(at.segmented_control(key="part").set_value(part).run())


def write(at: AppTest, text: str) -> AppTest:
    at.text_area(key="explanation").set_value(text)
    return press(at, "read_sentence")


@every_language
def test_before_there_is_anything_to_explain(language: Language) -> None:
    """No prediction, a demonstration: one sentence and the way back."""
    say = get_translations(language)
    for parameters in ({}, {"run": f"4.used__{ALL}"}, {"run": "<b>"}, {"run": "4.used_Q2-5-0-3-0000_aA"}):
        at = opened(language, **parameters)
        assert say.text("explain.needs_prediction") in [info.value for info in at.info]
        assert not {"explanation", "quiz", "to_eight"} & keys(at)
        assert address(press(at, "back_to_run"), "part") == "run"
    assert "memory" in keys(at)


@every_language
@pytest.mark.parametrize(("done", "open_", "fifth"), [("", 6, False), ("aA", 3, False), ("aA.aB.tB", 1, True)])
def test_an_incomplete_run_names_what_is_missing(language: Language, done: str, open_: int, fifth: bool) -> None:
    """Checked is what has an outcome; sentence and quiz wait for B's fifth token, the next part for everything."""
    say, at = get_translations(language), opened(language, run=f"4.used_P3-1-1-0-1-7-000000_{done}")
    waiting = [q.id for q in QUESTIONS if say.text(f"task.short.{q.id}") in at.info[0].value]
    assert len(waiting) == open_
    assert texts(at).count("✓ **") == 6 - open_
    assert say.text("explain.all_right") not in texts(at)
    assert ({"explanation", "quiz"} <= keys(at), "to_eight" in keys(at)) == (fifth, False)


@every_language
def test_all_right_leads_on(language: Language) -> None:
    """Nothing is asked again, and the quiz comes before the way on."""
    say, at = get_translations(language), opened(language, run=GOOD)
    assert say.text("explain.all_right") in texts(at)
    assert say.text("explain.again_title") not in [subheader.value for subheader in at.subheader]
    assert (texts(at).count("✓ **"), at.warning.len, at.info.len) == (6, 0, 0)
    assert address(press(at, "to_eight"), "part") == "eight"
    assert say.text("eight.title") in [header.value for header in at.header]


@every_language
def test_wrong_predictions_are_named_sure_ones_first(language: Language) -> None:
    """Each with its pair, the facts of the run, and the rows of the concept table that it needs."""
    say, at = get_translations(language), opened(language, record=saved(_SURE), run=SURE)
    said = [m.value for m in at.markdown if m.value.startswith(("≠", "✓ **"))]
    order = ["blocks", "new_page", "table_after_check", "consecutive", "empty_slots", "last_to_join"]
    assert [next(n for n in order if say.text(f"task.short.{n}") in line) for line in said] == order
    sure = {"zh": "你很确定", "en": "were sure"}[language]
    assert [sure in line for line in said] == [True] * 3 + [False] * 3
    for idea in ("floor_for_ceil", "full_page_reused", "check_allocates", "ids_consecutive"):
        assert say.text(f"misconceptions.name.{idea}") in texts(at)
    assert "4 + 4 + 3" in texts(at)
    assert labels(at).count(say.text("explain.concept_rows")) == len(at.table) == 4
    assert [list(table.value.iloc[:, 0]) for table in at.table][2:] == [
        ["`free_block_ids`", "`block_table`"],
        ["`block_table`", "`free_block_ids`"],
    ]
    unknown = opened(language, run=GOOD.replace("_3t", "_7t"))
    assert say.text("explain.unknown") in texts(unknown)
    slip = opened(language, run=GOOD.replace("_3t", "_4t"))
    assert say.text("explain.slip", name=say.text("misconceptions.name.slip_size_for_count")) in texts(slip)
    assert len(slip.table) == 0


SENTENCES: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "en-full": ("Because the page is full.", 0, ("full_only",)),
    "zh-full": ("因为页满了。", 0, ("full_only",)),
    "en-swapped": ("can_append takes a free block and may_append checks the queue.", 0, ("swapped",)),
    "zh-swapped": ("can_append 取走一个空闲块，may_append 负责检查空闲队列。", 0, ("swapped",)),
    "en-part": ("It crosses into a new logical page and can_append checks for a free block.", 2, ()),
    "zh-part": ("它跨入一张新的逻辑页，can_append 先检查有没有空闲块。", 2, ()),
    "en-salad": ("can_append may_append block_table", 0, ("nonsense",)),
    "zh-salad": ("can_append、may_append、block_table", 0, ("nonsense",)),
    "en-denied": ("The page is not full, so may_append takes nothing.", 0, ("denied.full", "denied.act")),
    "zh-denied": ("没有满，不需要新块。", 0, ("denied.full", "denied.crosses")),
    "en-complete": (
        "The token crosses into a new logical page, so can_append checks for a free block, then may_append takes it "
        "and adds its id to block_table.",
        4,
        ("complete",),
    ),
    "zh-complete": (
        "新 token 跨入一张新的逻辑页，所以 can_append 先检查有没有空闲块，may_append 再取一个块，"
        "并把它的 id 追加到 block_table。",
        4,
        ("complete",),
    ),
}


@pytest.mark.parametrize("name", some(SENTENCES, 5))
def test_the_sentence_is_read_and_only_then_comes_ours(name: str) -> None:
    """What is there, what is missing; it is kept, and the next session finds it again."""
    language: Language = "zh" if name.startswith("zh") else "en"
    text, found, flags = SENTENCES[name]
    say, at = get_translations(language), opened(language, run=GOOD)
    assert say.text("explain.model_title") not in labels(at)
    at = write(at, text)
    for session in (at, opened(language, record=record_of(at), run=GOOD)):
        assert record_of(session)["explanation"] == text
        assert session.text_area(key="explanation").value == text
        said = texts(session)
        for mark, state, count in (("✓", "found", found), ("○", "missing", 4 - found)):
            assert said.count(f"{mark} **{say.text(f'explain.{state}')}**") == count
        possible = ("full_only", "swapped", "nonsense", "complete", *(f"denied.{name}" for name in DENIABLE))
        told = {flag for flag in possible if say.text(f"explain.{flag}", **NUMBERS) in said}
        assert told == set(flags)
        assert say.text("explain.model_title") in labels(session)
        assert say.text("explain.model", **NUMBERS) in said


def test_leaving_the_part_and_coming_back_loses_nothing() -> None:
    """Else an empty field would stand above the reading of what was written, and be sent in its place."""
    at = write(opened(run=GOOD), "because the page is full")
    at = sound(at.radio(key="quiz").set_value("move").run())
    at = turn_to(turn_to(at, "run"), "explain")
    assert (at.text_area(key="explanation").value, at.radio(key="quiz").value) == ("because the page is full", "move")


@every_language
@pytest.mark.parametrize("text", ["", "  \n "])
def test_an_empty_sentence_is_asked_for_again(language: Language, text: str) -> None:
    say, at = get_translations(language), write(opened(language, run=GOOD), text)
    assert say.text("errors.invalid_answer.no_text") in texts(at)
    assert say.text("explain.model_title") not in labels(at)
    at = write(at, "x" * 5000)
    assert len(record_of(at)["explanation"]) <= 1000
    assert say.text("errors.invalid_answer.no_text") not in texts(at)


@every_language
def test_each_option_of_the_quiz_has_its_feedback_and_another_try(language: Language) -> None:
    """From the run; what was chosen is kept in order, and the last one is still chosen for a new session."""
    say, at = get_translations(language), opened(language, run=GOOD)
    assert at.radio(key="quiz").value is None
    for tried, option in enumerate(wrong := [option for option in OPTIONS if option != RIGHT], 1):
        at = sound(at.radio(key="quiz").set_value(option).run())
        told = say.text(f"explain.quiz_why.{option}", **NUMBERS)
        assert [warning.value for warning in at.warning] == [f"{told} {say.text('explain.quiz_again')}"]
        assert tries_of(at) == wrong[:tried]
    at = sound(at.radio(key="quiz").set_value(RIGHT).run())
    assert at.warning.len == 0
    assert tries_of(at) == [*wrong, RIGHT]
    for session in (at, opened(language, record=record_of(at), run=GOOD)):
        assert session.radio(key="quiz").value == RIGHT
        assert say.text(f"explain.quiz_why.{RIGHT}", **NUMBERS) in [told.value for told in session.success]


def answer_again(at: AppTest, turn: int, typed: str, name: str = "blocks") -> AppTest:
    at.text_input(key=f"again.{name}.{turn}").set_value(typed)
    return press(at, f"again_submit.{name}")


@every_language
def test_sure_and_wrong_is_asked_again(language: Language) -> None:
    """Only those; a format error costs nothing, wrong and right are told from that run, and there are other numbers."""
    say, at = get_translations(language), opened(language, run=SURE)
    asked = {key.split(".")[1] for key in keys(at) if key.startswith("again_submit.")}
    assert asked == {"blocks", "new_page", "table_after_check"}
    for typed, reason in (("", "empty"), ("x", "not_a_number"), ("-1", "negative"), ("1.5", "not_whole")):
        at = answer_again(at, 0, typed)
        assert say.text(f"errors.invalid_answer.{reason}") in texts(at)
        assert "answers" not in record_of(at)
    first, second = (build_retry("blocks", 3, turn) for turn in (0, 1))
    for scene in (first, second):
        assert " ".join(map(str, scene.free_block_ids)) in texts(at)
        at = answer_again(at, 0 if scene is first else 1, str(scene.outcome.value + (scene is first)))
        told = [element.value for element in (at.warning if scene is first else at.success)]
        start = say.text(
            f"explain.again_{'wrong' if scene is first else 'right'}",
            value=scene.outcome.value,
            answer=scene.outcome.value + 1,
            why="",
        )
        assert [text.startswith(start.strip()) for text in told] == [True]
        reloaded = opened(language, record=record_of(at), run=SURE)
        assert told == [element.value for element in (reloaded.warning if scene is first else reloaded.success)]
        at = press(at, "again_next.blocks")
    (kept,) = record_of(at)["answers"].values()
    assert kept == {"again.blocks.0": first.outcome.value + 1, "again.blocks.1": second.outcome.value}
    assert "again.blocks.2" in keys(at)
    at = press(at, "again_submit.new_page")
    assert say.text("errors.invalid_answer.no_choice") in texts(at)


def test_a_choice_stays_when_the_language_changes() -> None:
    """The browser knows it by its old text, so it is told the new one."""
    at = sound(opened("en", run=GOOD).radio(key="quiz").set_value("move").run())
    for language in ("zh", "en"):
        at = go(at, part="explain", run=GOOD, lang=language)
        radio = at.radio(key="quiz")
        assert (radio.value, radio.proto.raw_value) == ("move", get_translations(language).text("explain.quiz.move"))
    assert at.radio(key="quiz").value == sound(at.run()).radio(key="quiz").value


@every_language
def test_a_link_of_somebody_else_is_not_called_yours(language: Language) -> None:
    """In Explain and on the cards; what this browser has committed is."""
    say = get_translations(language)
    theirs, mine = opened(language, run=SURE), opened(language, record=saved(_SURE), run=SURE)
    for opened_at, is_mine in ((theirs, False), (mine, True)):
        for part in ("explain", "run"):
            at = go(opened_at, part=part, lang=language, run=SURE)
            assert (say.text("task.foreign") in texts(at)) is not is_mine
            marks = {"wrong_sure": is_mine, "wrong_sure_in_link": not is_mine} if part == "explain" else {}
            for name, shown in marks.items():
                values = {"name": say.text("task.short.blocks"), "answer": "2", "value": "3"}
                assert (f"≠ {say.text(f'explain.{name}', **values)}" in texts(at)) is shown


@every_language
def test_forget_me_empties_everything_and_one_can_begin_again(language: Language) -> None:
    """Fields too; and an answer that is given afterwards counts."""
    at = write(opened(language, run=SURE), "page full")
    at = sound(at.radio(key="quiz").set_value("move").run())
    at = press(answer_again(at, 0, "9"), "again_next.blocks")
    assert set(record_of(at)) >= {"explanation", "answers"}
    at = sound(press(at, "forget_yes").run())
    assert record_of(at) == {}
    assert "forget_yes" not in keys(at)
    assert (at.text_area(key="explanation").value, at.radio(key="quiz").value) == ("", None)
    assert get_translations(language).text("explain.model_title") not in labels(at)
    turn = next(int(key[-1]) for key in keys(at) if re.fullmatch(r"again\.blocks\.\d", key))
    assert record_of(answer_again(at, turn, "9"))["answers"].popitem()[1] == {f"again.blocks.{turn}": 9}


def test_what_was_answered_again_is_not_held_against_other_numbers() -> None:
    """Another attempt misses less: of the kept answer the page says what it said before, or asks anew."""
    both, one = (new(f"4.used_{p}_{ALL}") for p in ("P2-1-1-0-1-2-100001", "P3-1-1-0-1-2-000001"))
    at = answer_again(opened(run=both), 0, "15", "last_to_join")
    (told,) = (element.value for element in (*at.warning, *at.success))
    at = opened(record=record_of(at), run=one)
    assert {element.value for element in (*at.warning, *at.success)} <= {told}


@every_language
def test_the_word_after_an_early_release_is_what_the_wrong_run_said(language: Language) -> None:
    """Both words are read from the two runs; the answer stays for a new session and is in the report."""
    say, early = get_translations(language), run_early_release()
    assert {early.read.said.number, early.read.expected.number} < {int(each.id) for each in early.question.options}
    for option in early.question.options:
        at = opened(language, run=GOOD)
        at = sound(at.radio(key="check.early_word").set_value(option.id).run())
        told = say.text("explain.word_why", difference=f"{early.read.error:.3g}")
        for session in (at, opened(language, record=record_of(at), run=GOOD)):
            assert "check.early_word" not in keys(session)
            assert any(told in each.value for each in session.markdown)
            verdicts = session.success if option.id == str(early.read.said.number) else session.warning
            assert say.word(early.read.said.number) in verdicts[-1].value
        assert record_of(at)["answers"]["2.word__"] == {"early": option.id}
