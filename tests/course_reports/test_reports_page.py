"""The page of a class's reports, with files that the report page made."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.cases import LESSONS
from lab.activities.ideas import find_idea
from lab.activities.question import FORMS
from lab.course_reports.course import MAX_REPORTS
from lab.quiz.generate import KINDS
from lessons.activity.report_row import ReportRow
from lessons.course_reports.question_names import describe_question
from lessons.report.download import build_csv
from lessons.text.dates import MadeOn
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.pages import test_report as report
from tests.pages.session_state import session_of
from tests.pages.test_pages import press, sound, task, texts, titles

SITE = "https://lab.example"
IN_CLASS = {"class_answers": [{"at": "1.1", "asked": "predict.P.blocks", "answer": "2", "sure": "sure"}]}
every_language = pytest.mark.parametrize("language", LANGUAGES)


def make_rows(language: Language, record: dict[str, Any] | None = None) -> list[ReportRow]:
    """All rows of a browser with this record."""
    return report.rows_of(report.opened(language, {**report.RECORD, **IN_CLASS} if record is None else record))


def make_file(rows: list[ReportRow], name: str, language: Language) -> bytes:
    return build_csv(rows, name, MadeOn("1 Dec", "UTC"), get_translations(language), SITE)


def drop(at: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Drop these files onto the page."""
    (field,) = at.file_uploader
    field.set_value([(name, data, "text/csv") for name, data in files])
    return sound(at.run())


def test_files_in_both_languages_are_added_up_in_the_page_s() -> None:
    """Three students and a bad file; no name is shown, and the field is empty again."""
    mine = make_rows("en")
    other = [row for row in make_rows("zh") if row.part != "words"]
    files = [
        ("li.csv", make_file(mine, "Li Hua", "en")),
        ("zhang.csv", make_file(other, "张三", "zh")),
        ("again.csv", make_file(mine, "Li Hua", "zh")),
        ("<b>*x*.csv", b"no report"),
    ]
    say = get_translations("zh")
    at = drop(task("zh", "course_reports"), *files)
    assert titles(at) == [say.text("reports.title")]
    told = texts(at)
    counted = [row for row in (*mine, *other) if row.mark in ("own", "over") and row.right]
    assert say.text("reports.read", students=2, answers=len(counted)) in told
    assert say.text("errors.report_same", file="again.csv", other="li.csv") in told
    assert "&lt;b&gt;*x*.csv" in told
    assert "Li Hua" not in told
    assert "张三" not in told
    assert at.file_uploader[0].value == []
    for row in counted:
        if row.idea_id:
            assert say.text(find_idea(row.idea_id).name_key) in told
    for part in ("quiz", "task"):
        at = sound(at.selectbox(key="reports_part").set_value(part).run())
        told = texts(at)
        for row in (row for row in counted if row.part == part):
            name, text = describe_question(part, row.question_id, say)
            assert f">{name}</h3>" in told
            assert text in told
    assert 'href="task?run=' in told
    at = press(at, "reports_discard")
    assert not at.get("selectbox")
    assert "li.csv" not in str(session_of(at))


def test_a_second_drop_is_added_to_the_first() -> None:
    say = get_translations("en")
    at = task("en", "course_reports")
    rows = make_rows("en", IN_CLASS)
    for number in range(1, 7):
        at = drop(at, (f"{number}.csv", make_file(rows, f"student {number}", "en")))
        assert say.text("reports.read", students=number, answers=number) in texts(at)
        assert (say.text("classroom.sure_wrong", guess=0, think=0, sure=number) in texts(at)) is (number >= 5)
    assert f"{MAX_REPORTS}" in at.file_uploader[0].label


def test_bad_files_alone_change_nothing() -> None:
    at = drop(task("en", "course_reports"), ("x.csv", b"\xff"))
    assert "x.csv" in texts(at)
    assert not at.get("selectbox")
    assert drop(at, ("y.csv", make_file(make_rows("en", IN_CLASS), "", "en"))).get("selectbox")


OTHERS = {
    "intuition": ("contiguous", "where", "returns"),
    "memory": ("winner", "percent", "waste"),
    "check": ("allocated", "appended", "token_added", "checked", "placed", "released", "refused"),
    "chapter": ("check_first", "early_word"),
    "quiz": tuple(KINDS),
    "task": ("sentence", *(question.id for question in FORMS["P"])),
    "eight": tuple(question.id for question in FORMS["Q"]),
    **{
        f"{lesson}.{case.id}": tuple(question.id for question in case.questions(0 if case.pick_from else None))
        for lesson, cases in LESSONS.items()
        for case in cases
    },
}


@every_language
def test_every_question_has_its_words(language: Language) -> None:
    """Whatever a report may hold; and what none holds is named as it is."""
    words = get_translations(language)
    names = set()
    for where, questions in OTHERS.items():
        for question in questions:
            name, text = describe_question(where.partition(".")[0], f"{where}.{question}", words)
            assert f".{question}" not in name
            assert text or where == "check"
            names.add(name)
    assert len(names) > sum(map(len, OTHERS.values())) * 0.8
    for part, unknown in (
        ("task", "task.x"),
        ("class", "x"),
        ("quiz", "quiz.x"),
        ("share", "share.x.y"),
        ("check", "x"),
    ):
        assert describe_question(part, unknown, words) == (unknown, "")
