"""What all lesson cases have in common: answered by their plan and not before, in both languages, and in links."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.cases import CASES, LESSONS, get_questions
from lab.activities.cases.case import Case
from lab.activities.question import BY_ID, Question, observe_outcomes
from lab.activities.run import Run, encode_run
from lab.activities.trace_points import iterate_trace_points
from lab.engine.errors import InvalidLinkError, LabError
from lab.trace.timeline import Timeline
from lessons.activity import course
from lessons.text.translations import Language, get_translations
from tests.links import parse_run, predict
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import SHELL, address, go, keys, press, sound, task, texts, titles, verdicts
from tests.sample import every_language

ALL = [(lesson, case) for lesson, cases in LESSONS.items() for case in cases]
IDS = [case.id for _, case in ALL]
ONE_OF_EACH = [  # by default the first case of each lesson
    pytest.param(lesson, case, id=case.id, marks=() if case is LESSONS[lesson][0] else pytest.mark.thorough)
    for lesson, case in ALL
]


def lesson_page(lesson: str, locale: str = "en", **parameters: str) -> AppTest:
    """A session on this lesson's page."""
    return task(locale, lesson, **parameters)


def forms(case: Case) -> list[tuple[str, tuple[Question, ...]]]:
    """Every form of prediction that this case can have."""
    if not case.pick_from:
        return [(case.form(), case.questions())]
    return [(case.form(pos), case.questions(pos)) for pos in range(len(case.config.request(case.pick_from).prompt))]


def settled(case: Case, questions: tuple[Question, ...]) -> dict[str, int]:
    """The outcomes of the whole plan, by question."""
    seen = list(iterate_trace_points(Timeline.replay(case.config, case.plan).steps))
    return {name: outcome.value for name, outcome in observe_outcomes(seen, questions).items()}


def predicted(case: Case, other: int = 0) -> Run:
    """The finished plan, predicted correctly, or with the answer `other` where it has the right form."""
    form, questions = forms(case)[-1]
    pick = int(form.partition("@")[2]) if "@" in form else None
    facts = settled(case, questions)
    answers = tuple((facts[q.id] + other) % (q.largest + 1) for q in questions)
    return predict(Run.of(case).at(case.plan), answers, sure=True, pick=pick)


def test_names_are_used_once() -> None:
    """Ids of cases and questions are unique."""
    assert len(ALL) == len(CASES)
    lessons_of: dict[str, set[str]] = {}
    for lesson, case in ALL:
        for question in forms(case)[0][1]:
            lessons_of.setdefault(question.id, set()).add(lesson)
    assert {name: used for name, used in lessons_of.items() if len(used) > 1 or name in BY_ID} == {}


@pytest.mark.parametrize("case", [case for _, case in ALL], ids=IDS)
def test_the_plan_settles_what_was_predicted_and_nothing_before_it_does(case: Case) -> None:
    """Every question has an outcome of the right form after the plan, and none when the case opens."""
    for _form, questions in forms(case):
        facts = settled(case, questions)
        assert set(facts) == {question.id for question in questions}
        assert all(0 <= facts[question.id] <= question.largest for question in questions)
        before = list(iterate_trace_points(Timeline.replay(case.config, case.before).steps))
        assert observe_outcomes(before, questions) == {}


@pytest.mark.parametrize(("lesson", "case"), ALL, ids=IDS)
def test_links_hold_a_case_with_its_prediction(lesson: str, case: Case) -> None:
    """The run comes back from its link. A log with another beginning is not a run of the case."""
    for run in (Run.of(case), predicted(case), predicted(case, 1)):
        assert parse_run(encode_run(run)) == run
        assert not run.is_predicted or get_questions(run.case.form(run.pick))
    if case.before:
        with pytest.raises(InvalidLinkError):
            parse_run(f"{case.id}__")


@pytest.mark.parametrize(
    "text", ["ten_99@1-1-00_", "ten_-1@1-1-00_", "ten_1-1-00_", "exact_x@1-1-00_", "ten_1@_", "ten_@_"]
)
def test_a_pick_that_does_not_exist_is_a_broken_link(text: str) -> None:
    """It can only be typed by hand."""
    with pytest.raises(LabError):
        parse_run(text)


@every_language
@pytest.mark.parametrize(("lesson", "case"), ONE_OF_EACH)
def test_each_case_opens_is_run_and_explained(lesson: str, case: Case, language: Language) -> None:
    """At first no outcomes or operations; after the plan every answer with its outcome and explanation."""
    at, say = lesson_page(lesson, language, **{lesson: encode_run(Run.of(case))}), get_translations(language)
    assert titles(at) == [say.text(f"{lesson}.title")]
    assert ("commit" in keys(at), "operations" in keys(at), verdicts(at)) == (True, False, [])
    assert say.text("task.run_locked") in texts(at)
    run = predicted(case)
    count = len(run.answers)
    at = go(at, **{lesson: encode_run(run)})
    assert verdicts(at) == ["same"] * count
    assert "compare" in keys(at)
    assert "≠" not in texts(at)
    at = go(at, **{lesson: encode_run(predicted(case, 1))})
    assert verdicts(at) == ["other"] * count
    assert texts(at).count("≠") >= count


def test_a_link_of_another_lesson_or_of_the_task_says_so() -> None:
    """Then each page begins its own case."""
    lesson, case = ALL[0]
    at = lesson_page(lesson, **{lesson: "4.used__aA"})
    assert (at.warning.len, titles(at)) == (1, [get_translations("en").text(f"{lesson}.title")])
    at = task("en", run=encode_run(predicted(case)))
    assert at.warning.len == 1
    assert "commit" in keys(at)


def test_the_way_is_on_start_and_in_the_navigation() -> None:
    """Start leads to the first lesson and lists each lesson."""
    at = task("en", "start")
    say = get_translations("en")
    assert at.button(key="learn_next").label == say.text("start.begin", name=say.text(f"{course.ORDER[0]}.title"))
    assert all(say.text(f"start.gist.{name}") in texts(at) for name in (*course.ORDER, "task"))
    at = press(at, "learn_next")
    assert titles(at) == [say.text(f"{course.ORDER[0]}.title")]


def test_every_lesson_has_its_page() -> None:
    """The files in the navigation exist."""
    assert [name for name in course.ORDER if not (Path(SHELL).parent / course.get_page_file(name)).exists()] == []


def test_own_words_are_kept_and_then_ours_are_shown() -> None:
    """The learner's text stays. The lab's explanation is not there before it is handed in."""
    lesson, case = ALL[0]
    at = lesson_page(lesson)
    session_of(at)[STORED] = {}
    at = go(at, **{lesson: encode_run(predicted(case))})
    before = texts(at)
    at = press(at, "compare")  # nothing written yet
    assert get_translations("en").text("errors.invalid_answer.no_text") in texts(at)
    at.text_area(key=f"own.{case.id}").set_value("<b>because</b>")
    at = sound(press(at, "compare").run())
    assert at.text_area(key=f"own.{case.id}").value == "<b>because</b>"
    assert len(texts(at)) > len(before)
    assert address(at, lesson) == encode_run(predicted(case))
    assert sound(at)


def test_progress_is_read_from_the_record() -> None:
    """A done case is marked, a lesson once all its cases are. The first open case comes first."""
    lesson, cases = next((name, cases) for name, cases in LESSONS.items() if len(cases) > 1)
    at, say = lesson_page(lesson), get_translations("en")
    for done in ([], [cases[0].id], [case.id for case in cases], [5, None], "x"):
        session_of(at)[STORED] = {"done": done}
        at = go(at)
        marked = [option for option in at.segmented_control(key="case").options if option.endswith("✓")]
        assert len(marked) == (len(done) if done in ([cases[0].id], [case.id for case in cases]) else 0)
        current = at.segmented_control(key="case").value
        assert current == (cases[1].id if done == [cases[0].id] else cases[0].id)
        whole = len(marked) == len(cases)
        learn = say.text("site.nav_learn", done=int(whole), total=len(course.ORDER))
        assert learn in [block.proto.popover.label for block in at.get("popover")]


def test_forget_me_empties_what_the_learner_wrote() -> None:
    """Explanations, typed answers and ticks go with the record. Buttons and settings stay."""
    lesson, case = ALL[0]
    at = lesson_page(lesson)
    session_of(at)[STORED] = {"own_words": {case.id: "my words"}}
    at = go(at, **{lesson: encode_run(predicted(case))})
    assert at.text_area(key=f"own.{case.id}").value == "my words"
    at = sound(press(at, "forget_yes").run())
    assert at.text_area(key=f"own.{case.id}").value == ""
    session_of(at)[STORED] = {"done": ["x"]}
    at = go(at, **{lesson: encode_run(Run.of(case))})
    question = case.asked[0]
    at.text_input(key=f"predict.{case.id}.{question.id}").set_value("7")
    at.checkbox(key=f"predict.{case.id}.{question.id}.sure").check()
    at = sound(press(at, "forget_yes").run())
    assert at.text_input(key=f"predict.{case.id}.{question.id}").value == ""
    assert not at.checkbox(key=f"predict.{case.id}.{question.id}.sure").value
    assert session_of(at)[STORED] == {}
