"""What a learner sees of each example of the maintainers' guide.

test_maintaining.py runs this in copies where the guide has been followed; here there is nothing to see.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.answer import parse
from lab.activities.cases import CASES, LESSONS
from lab.activities.question import QUESTIONS, observe_outcomes
from lab.activities.run import Run, encode_run
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import InvalidAnswerError
from lab.misconceptions.scenarios import get_scenario
from lab.misconceptions.telling import play_what_if
from lab.quiz.generate import generate
from lab.quiz.grade import grade
from lab.quiz.link import encode_name
from lab.quiz.round import Round, play_turns
from lab.quiz.words import format_feedback, format_kind
from lab.sandbox.facts import collect_values
from lab.sandbox.library import LIBRARY, get_prompt_after, get_prompt_before, get_title_key
from lab.sandbox.link import encode_scenario
from lab.trace.operations import encode_operation
from lab.trace.timeline import Timeline
from lessons.text.sentences import format_values as in_words
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.links import encode_round, parse_scenario, predict
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import go, keys, press, sound, task, texts, titles, verdicts
from tests.pages.test_quiz_page import fill, opened, round_in

SAID = re.compile(r"⟦[^⟦⟧]*⟧|[Ａ-Ｚａ-ｚ]+")  # a string of the example language; a token's text in it
SOURCE = re.compile(r'<code\b.*?</code>|<span class="(?:v|facts)">.*?</span>', re.DOTALL)  # lines of code, values
# What Markdown and HTML need, and code within a sentence.
MARKS = re.compile(r"`[^`]*`|<[^>]*>|:[a-z]+(?:/\w+)?:|:[a-z]+\[|&\w+;")


@pytest.mark.parametrize("language", LANGUAGES)
def test_lesson_is_predicted_run_and_explained(language: Language) -> None:
    """From its place in the navigation through a wrong prediction to the way on."""
    say, case = get_translations(language), CASES["joining"]
    at = press(task(language, "start"), "learn_next")
    assert say.text("tail.title") in "\n".join(link.proto.label for link in at.get("page_link"))
    at = task(language, "tail")
    assert (titles(at), "operations" in keys(at)) == ([say.text("tail.title")], False)
    head = case.config.free_block_ids[-1]
    at.text_input(key="predict.joining.tail_id").set_value(str(head))
    at = press(at, "commit")
    assert ("operations" in keys(at), verdicts(at)) == (True, ["waiting"])
    done = "".join(at.query_params["tail"]) + f".{encode_operation(case.plan[-1])}"
    at = go(at, tail=done, lang=language)
    assert verdicts(at) == ["other"]
    assert "≠" in texts(at)
    at = press(at, "skip_own")
    answer = Timeline.replay(case.config, case.plan).snapshot(len(case.plan)).free_block_ids[-1]
    assert str(answer) in texts(at)
    assert say.text("tail.able") in texts(at)
    assert at.button(key="next_lesson")
    report = task(language, "report")
    session_of(report)[STORED] = {}
    assert say.text("tail.question.tail_id") in texts(go(report, tail=done, lang=language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_question_is_drawn_graded_and_told_in_a_round(language: Language) -> None:
    """It comes first in some round; a wrong answer is told by its idea there, and comes again with other numbers."""
    say = get_translations(language)
    seed = next(s for s in range(500) if play_turns(Round(s, 4, "easy"))[0].question.name.kind == "free_left")
    question = play_turns(Round(seed, 4, "easy"))[0].question
    for text in ("", "many", "-1"):
        with pytest.raises(InvalidAnswerError):
            parse(question, text)
    assert grade(question, question.answer).right
    for wrong in question.wrong:
        result = grade(question, wrong.value)
        assert (result.right, result.idea) == (False, wrong.idea)
    at = opened(language, quiz=encode_round(Round(seed, 4, "easy")), lang=language)
    at = fill(at, question, question.wrong[0].value)
    (told,) = format_feedback(question, grade(question, question.wrong[0].value), say)
    assert told in texts(at)
    played = round_in(at)
    while not played.over:
        played = played.answered(play_turns(played)[-1].question.answer)
    (again,) = (turn for turn in play_turns(played) if turn.again == 0)
    assert again.question.name.kind == "free_left"
    assert again.question.config != question.config
    assert format_kind("free_left", say)


@pytest.mark.parametrize("language", LANGUAGES)
def test_misconception_is_told_and_plays_beside_the_engine(language: Language) -> None:
    """Where the quiz meets it the panel offers it; opened, its run goes another way, and in its scenario does harm."""
    say = get_translations(language)
    asked = (generate("table", seed, 4, "easy") for seed in range(200))
    question = next(q for q in asked if "last_page_first" in q.ideas)
    wrong = next(each for each in question.wrong if each.idea == "last_page_first")
    at = fill(opened(language, question=encode_name(question.name), lang=language), question, wrong.value)
    (told,) = format_feedback(question, grade(question, wrong.value), say)
    assert told in texts(at)
    name = say.text("my_way.title", name=say.text("misconceptions.name.last_page_first"))
    (panel,) = [each for each in at.expander if each.label == name]
    at.session_state[str(panel.key)] = True
    at = sound(at.run())
    assert say.text("my_way.why", why=say.text("misconceptions.why.last_page_first")) in texts(at)
    config, operations = get_scenario("last_page_first")
    run = play_what_if("last_page_first", config, operations).comparison
    assert run.harmful
    assert run.parts_at is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_scenario_opens_and_its_notes_are_filled(language: Language) -> None:
    """Its link brings it back; each key step has its question before and its point after, with the run's numbers."""
    say, prepared = get_translations(language), LIBRARY["behind"]
    assert parse_scenario(encode_scenario(prepared.scenario)) == prepared.scenario
    assert say.text(get_title_key("behind"))
    for step in prepared.steps:
        asked, made = get_prompt_before(prepared.scenario, step - 1), get_prompt_after(prepared.scenario, step)
        assert asked is not None
        assert asked == made
        for key in (asked.ask, asked.point):
            assert re.search(r"\d", say.text(key, **in_words(collect_values(asked), say)))
    at = task(language, "sandbox", sandbox=encode_scenario(prepared.scenario), lang=language)
    assert titles(at) == [say.text("sandbox.title")]
    assert at.warning.len == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_activity_is_answered_gone_on_with_and_reported(language: Language) -> None:
    """From its place in the menus to its row; a damaged link opens the question, and an old one can be repaired."""
    say = get_translations(language)
    at = task(language, "room", told={}, lang=language)
    assert say.text("room.title") in "\n".join(link.proto.label for link in at.get("page_link"))
    at.text_input(key="predict.room.fits").set_value("7")
    at = press(at, "commit")
    link = "".join(at.query_params["room"])
    told = say.text("room.wrong", answer=7, value=64)
    assert told in texts(at)
    assert told in texts(press(go(at, lang=language), "resume"))
    assert "commit" in keys(task(language, "room", room="2.room_x_", lang=language))
    mailed = task(language, "room", **{"lang": f"{language}&amp;room={link}"})
    assert told in texts(mailed)
    report = task(language, "report", room=link, lang=language)
    session_of(report)[STORED] = {}
    assert say.text("room.ask") in texts(go(report, room=link, lang=language))


# --- a language ------------------------------------------------------------------------------------------------------


def _addresses() -> list[tuple[str, dict[str, str]]]:
    """Every page as it opens; every case, and the task, predicted otherwise than it comes out and run to the end."""
    found: list[tuple[str, dict[str, str]]] = [
        (page, {}) for page in ("start", *LESSONS, "task", "quiz", "report", "sandbox", "memory")
    ]
    for lesson, cases in LESSONS.items():
        for case in cases:
            pick = 0 if case.pick_from else None
            facts_ = observe_outcomes(
                list(iterate_trace_points(Timeline.replay(case.config, case.plan).steps)), case.questions(pick)
            )
            answers = tuple((facts_[q.id].value + 1) % (q.largest + 1) for q in case.questions(pick))
            done = predict(Run.of(case).at(case.plan), answers, sure=True, pick=pick)
            found.append((lesson, {lesson: encode_run(done)}))
    wrong = f"4.used_P4-0-0-1-2-1-{'1' * len(QUESTIONS)}_aA.aB.tB.rA.rB"
    found += [("task", {"run": wrong, "part": part}) for part in ("run", "explain", "eight")]
    found += [("task", {"run": wrong, "at": "3.2"}), ("task", {"run": "4.used_x_"})]
    return found


def _shown(at: AppTest) -> list[str]:
    """All text of the page outside its pictures."""
    texts_: list[Any] = [each.value for each in (*at.title, *at.header, *at.subheader)]
    texts_ += [each.value for each in (*at.markdown, *at.caption, *at.info, *at.warning, *at.success)]
    texts_ += [each.proto.body for each in at.get("html") if "<style>" not in each.proto.body]
    widgets = (*at.button, *at.checkbox, *at.radio, *at.text_input, *at.text_area, *at.expander, *at.selectbox)
    texts_ += [each.label for each in (*widgets, *at.segmented_control, *at.tabs)]
    texts_ += [option for each in (*at.radio, *at.segmented_control) for option in each.options]
    texts_ += [each.proto.label for each in at.get("page_link")]
    return [str(text) for text in texts_]


def _left(text: str) -> str:
    """What of a text does not come from the strings of the language."""
    text = SOURCE.sub(" ", re.sub(r' aria-label="([^"]*)"', r">\1<", text))
    while SAID.search(text):
        text = SAID.sub(" ", text)
    return " ".join(re.findall(r"[^\W\d_]{2,}", MARKS.sub(" ", text)))


@pytest.mark.parametrize(("page", "parameters"), _addresses())
def test_language_says_everything_on_every_page(page: str, parameters: dict[str, str]) -> None:
    """Every string of the example language is in ⟦brackets⟧: words that stand outside are typed into a page."""
    language = LANGUAGES[-1]
    at = task(language, page, lang=language, **parameters)
    shown = _shown(at)
    assert any("⟦" in text for text in shown)
    assert [(text, left) for text in shown if (left := _left(text))] == []
