"""The report: rows from run texts equal a fresh run, whose answers they are is marked, and what was written is data."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from lab.activities import old_links
from lab.activities.attempt import Attempt, encode
from lab.activities.checkpoint import build_checkpoint
from lab.activities.diagnosis import compare_answers
from lab.activities.ideas import find_idea
from lab.activities.intuition.outcomes import observe_outcome
from lab.activities.intuition.progress import QUESTIONS
from lab.activities.question import Grade, Sure, Value, observe_outcomes
from lab.activities.record import Mark, Record
from lab.activities.trace_points import iterate_trace_points
from lab.course_reports.report_file import CODES
from lab.engine.errors import InvalidLinkError
from lab.quiz.round import Round, play_turns
from lab.quiz.words import format_idea, format_option
from lab.trace.timeline import Timeline
from lessons.activity import run_rows
from lessons.activity.report_row import PARTS, ReportRow, YesNo, mark_first
from lessons.quiz import report_rows
from lessons.quiz.attempt import ROUND as ROUND_KEY
from lessons.report import rows as report
from lessons.report.download import COLUMNS, build_csv, build_file_name, build_html
from lessons.report.summary import format_sureness, summarize
from lessons.report.table import build_group_html
from lessons.report.weakest import WeakIdea, find_weakest, format_weak
from lessons.task.chapter_question import FifthToken
from lessons.text.dates import MadeOn, get_date
from lessons.text.quiz_values import format_any_value
from lessons.text.translations import LANGUAGES, Language, Translations, get_translations, load_strings
from tests.links import build_attempt, encode_round, new, parse_run, saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import go, press, sound, task, texts
from tests.sample import every_language

P = new("4.used_P2-3-1-0-1-7-110000_")
OPERATIONS = "aA.aB.tB.rA.rB"
OVER = new("4.fresh_P3-1-1-1-1-2-000001_aA.aB.tB.rA.rB")
THEIRS = new("4.used_P9-9-0-1-9-9-111111_aA")
HOSTILE = "=cmd|' /C calc'!A0 <img src=x onerror=alert(1)>\n**bold** </blockquote><script>alert(2)</script>"
ROW = ReportRow(part="task", question_id="task.q", attempt="", question="q", predicted="")


def played() -> Round:
    """A round of which every second answer is wrong."""
    found = Round(17, 4, "easy", length=20)
    while not found.over:
        question = play_turns(found)[-1].question
        wrong = len(found.answers) % 2 and question.wrong
        found = found.answered(question.wrong[0].value if wrong else question.answer)
    return found


ROUND = played()


def checks() -> dict[str, str]:
    """The quick questions of the task, the first three answered as the engine did."""
    found = {}
    done = OPERATIONS.split(".")
    for count in range(1, len(done) + 1):
        text = P + ".".join(done[:count])
        asked = build_checkpoint(Timeline.replay(parse_run(text).config, parse_run(text).operations).steps[-1])
        wrong = next(option.id for option in asked.options if option.id != asked.answer)
        found[f"check.{'.'.join(done[:count])}"] = asked.answer if count <= 3 else wrong
    return found


CHECKS = checks()
SURE_ROUND = encode(build_attempt(ROUND, ("sure",) * 20))
MEMORY = new("sharegpt.maximum.90.under5", "memory")
RECORD: dict[str, Any] = {
    **saved(P + OPERATIONS, "ten_4@3-12-10_aA", SURE_ROUND, new("10-20_2.1", "intuition"), MEMORY),
    "earlier": [OVER],
    "answers": {P: {**CHECKS, "again.blocks.0": 3}, "2.chapter__": {"try.0": "reserve", "try.1": "decide"}},
    "own_words": {"ten": HOSTILE, "intuition": "因为块表记住了次序。", "no_such_case": "x"},
    "explanation": "It crosses into a new logical page, so can_append checks for a free block and may_append takes it.",
}


# --- which attempts, and whose -------------------------------------------------------------------------------------


def gathered(
    committed: list[str], earlier: list[str], here: list[str], shared: Collection[str] = ()
) -> list[tuple[Attempt, Mark]]:
    mine = (old_links.read(text)[0] for text in committed)
    attempts = {f"{attempt.kind}.{number}": encode(attempt) for number, attempt in enumerate(mine)}
    record = Record(attempts=attempts, earlier=earlier, shared=list(shared))
    return record.gather(old_links.read(text)[0] for text in here)


def told(*found: tuple[Attempt, Mark]) -> list[tuple[str, str]]:
    return [(encode(attempt), mark) for attempt, mark in found]


def test_the_longest_run_of_a_prediction_counts() -> None:
    """The record keeps the prediction and how far it was run; the address may be further."""
    assert told(*gathered([P + "aA"], [], [P + "aA.aB"])) == [(P + "aA.aB", "own")]
    assert told(*gathered([P + "aA.aB"], [], [P + "aA"])) == [(P + "aA.aB", "own")]


def test_what_came_with_a_link_or_was_started_over_is_marked() -> None:
    """In the address and not committed; started over; both; committed here after it had come with a link."""
    foreign = {THEIRS[:-2]}
    assert told(*gathered([P], [OVER], [THEIRS])) == [(P, "own"), (THEIRS, "link"), (OVER, "over")]
    assert told(*gathered([], [THEIRS], [], foreign)) == [(THEIRS, "link_over")]
    assert told(*gathered([THEIRS], [], [], foreign)) == [(THEIRS, "link")]


def test_an_attempt_is_told_once() -> None:
    """Opened again from the record, or kept twice; a demonstration and what is no run are none."""
    assert told(*gathered([], [OVER, OVER], [OVER, f"4.used__{OPERATIONS}"])) == [(OVER, "over")]
    assert gathered(["4.used__"], [], []) == []


def test_any_attempt_that_was_started_over_is_listed() -> None:
    """Whatever it is an attempt at; the answers given since then are no first ones."""
    film, again = new("10-20_2.1", "intuition"), new("00-21-11_2.1", "intuition")
    guess, changed = MEMORY, new("alpaca.paged.40.over35", "memory")
    rows = rows_of(opened(record={**saved(again, changed), "earlier": [film, guess, P + "aA"]}))
    listed = {part: [(row.mark, row.first) for row in rows if row.part == part] for part in ("intuition", "memory")}
    over, own = ("over", "yes"), ("own", "no")
    assert listed["intuition"] == [own, own, ("own", "yes"), over, over]
    assert listed["memory"] == [own] * 3 + [over] * 3
    assert {row.mark for row in rows if row.part == "task"} == {"over"}


def test_a_new_kind_of_activity_is_in_the_report_with_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its attempts are found, marked and counted like all others; what it cannot read is left out."""

    def build(attempt: Attempt, _words: Translations) -> Iterator[ReportRow]:
        if attempt.activity != "dice.6":
            raise InvalidLinkError(part="text", reason="no dice")
        grade = Grade("eyes", attempt.answers[0].number, 3, right=False)
        yield ReportRow.of("dice.eyes", "six", "?", given=7, grade=grade, format_value=str, why=lambda: "3!")

    monkeypatch.setattr(report, "ANSWERS", {**report.ANSWERS, "dice": build})
    for name in ("part", "sum"):
        monkeypatch.setitem(load_strings("en"), f"report.{name}.dice", "Dice: {right} of {all}" * (name == "sum"))
    record = {"attempts": {"dice.6": "2.dice.6_7_"}, "earlier": ["2.dice.6_1_", "2.dice.20_1_"]}
    at = opened(record=record)
    told = [(row.part, row.predicted, row.engine, row.right, row.why, row.mark, row.first) for row in rows_of(at)]
    answer = ("dice", "7", "3", "no", "3!")
    assert told == [(*answer, "own", "no"), (*answer, "over", "yes")]
    assert "Dice: 0 of 1" in texts(at)


# --- outcomes ------------------------------------------------------------------------------------------------------


@every_language
def test_rows_equal_a_fresh_run(language: Language) -> None:
    """Every value in the engine's column is what a run made here says; nothing is read from a record."""
    for text in (P + OPERATIONS, P + "aA", "8.used_Q2-5-0-3-0000_aA.aB.tB"):
        run = parse_run(text)
        facts = observe_outcomes(
            list(iterate_trace_points(Timeline.replay(run.config, run.operations).steps)),
            run.questions,
        )
        rows = list(run_rows.build_rows(run.attempt, get_translations(language)))
        assert run.is_predicted
        assert len(rows) == len(run.answers)
        for row, (question, given, _) in zip(rows, compare_answers(run), strict=True):
            fact = facts.get(question.id)
            assert (row.engine == "") is (fact is None)
            assert row.right == ("" if fact is None else "yes" if fact.value == given.number else "no")
            if fact is not None and question.form == "number":
                assert (row.engine, row.predicted) == (str(fact.value), str(given.number))
            assert bool(row.idea_id) <= (row.right == "no")


def test_a_lucky_fresh_pool_is_settled_by_the_witness() -> None:
    """As on the page: ids that happen to be neighbours prove nothing."""
    (row,) = [
        r for r in run_rows.build_rows(parse_run(OVER).attempt, get_translations("en")) if "consecutive" in r.question
    ]
    assert (row.predicted, row.engine, row.right) == ("yes, must be", "no, need not", "no")


@every_language
def test_a_round_is_told_as_it_was_answered(language: Language) -> None:
    """Each answered question once, graded by its own run, with what the learner knew about it."""
    say = get_translations(language)
    rows = list(report_rows.build_rows(build_attempt(ROUND, ("sure",) * 20), say))
    assert [row.right for row in rows] == ["no" if turn.missed else "yes" for turn in play_turns(ROUND)]
    assert {row.sure for row in rows} == {"sure"}
    assert all(row.predicted == row.engine for row in rows if row.right == "yes")
    assert all(row.predicted != row.engine for row in rows if row.right == "no")
    assert [bool(row.idea_id) for row in rows] == [bool(turn.result and turn.result.idea) for turn in play_turns(ROUND)]
    assert sum(bool(row.idea_id) for row in rows) > 1
    assert {turn.question.form for turn in play_turns(ROUND)} == {"number", "choice", "order", "set", "several"}
    for turn, row in zip(play_turns(ROUND), rows, strict=True):
        if turn.result and not turn.result.right:  # of several statements: those that were judged wrongly, by name
            wrong = {each.option_id for each in turn.result.verdicts if each.chosen != each.true}
            named = {option.id for option in turn.question.options if f"“{format_option(option, say)}”" in row.why}
            assert named == wrong
    nothing: Value = frozenset()
    several = next(turn.question for turn in play_turns(ROUND) if turn.question.form == "several")
    assert format_any_value(several, nothing, say) == say.text("report.none")


@every_language
def test_a_wrong_idea_never_stands_unmarked(language: Language) -> None:
    """In a table beside what is true, and under a text of the learner's own that holds one."""
    say = get_translations(language)
    rows = list(run_rows.build_rows(parse_run("boundary_0-2-5-000_aA.kA.cA.mA").attempt, say))
    swapped = "The page is not full. can_append takes a block and adds it to block_table, may_append only checks."
    right = "It crosses into a new page, so can_append checks and may_append takes a block."
    texts = [rows_of(opened(language, {"explanation": text}))[0] for text in (swapped, right)]
    assert [bool(row.idea_id) for row in texts] == [True, False]
    told = ("swapped", "denied.full")
    remarks = [say.text(f"explain.{name}", **FifthToken.of_default_task().numbers()) for name in told]
    assert [row.why for row in texts] == [say.text("figures.gap").join(remarks), ""]
    for group in (rows, texts[:1]):
        html = build_group_html(group, say, with_state=False)
        for row in filter(lambda row: row.idea_id, group):
            before, _, _ = html.partition(escape(format_idea(row.idea_id, say)))
            assert before.endswith(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", say.text("report.wrong", idea="")))
    assert 'class="wrong"' not in build_group_html(texts[1:], say, with_state=False)


@every_language
def test_a_box_that_was_not_ticked_is_no_level(language: Language) -> None:
    """Only the quiz and a class ask for a level."""
    say = get_translations(language)
    for part, name in (("task", "not_marked"), ("intuition", "not_marked"), ("quiz", "think"), ("class", "think")):
        assert format_sureness(replace(ROW, part=part, sure="think"), say) == say.text(f"report.sure.{name}")
    assert format_sureness(replace(ROW, sure="sure"), say) == say.text("report.sure.sure")
    assert format_sureness(ROW, say) == ""


def test_the_weakest_ideas_come_first() -> None:
    """Sure ones before frequent ones; at most three; not: right, from a link, started over or without an idea."""

    def row(idea: str, right: YesNo = "no", sure: Sure = "think", mark: Mark = "own") -> ReportRow:
        return replace(ROW, right=right, sure=sure, mark=mark, idea_id=idea, why=f"not {idea}")

    rows = [
        row("once"), row("twice"), row("twice"), row("sure", sure="sure"), row("rare"),
        row("right", "yes"), row("theirs", mark="link"), row("old", mark="over"), row("", sure="sure"),
    ]  # fmt: skip
    found = [
        WeakIdea("sure", "not sure", 1, 1),
        WeakIdea("twice", "not twice", 2, 0),
        WeakIdea("once", "not once", 1, 0),
    ]
    assert find_weakest(rows) == found


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("", ""),
        ("李雷", "-李雷"),
        (" 2023 0417 ", "-2023-0417"),
        ("=<b>李</b> & Co", "-b-李-b-Co"),
        ("../..\\x", "-x"),
        ("a" * 80, "-" + "a" * 40),
    ],
)
def test_the_file_is_named_after_whoever_hands_it_in(name: str, whose: str) -> None:
    """Letters and digits of what was typed, so that no system refuses the name."""
    assert build_file_name(name, "html") == f"paged-kv-lab-report{whose}.html"


# --- the page ------------------------------------------------------------------------------------------------------


def opened(language: Language = "en", record: Any = None, **parameters: str) -> AppTest:
    return task(language, "report", told=RECORD if record is None else record, lang=language, **parameters)


def rows_of(at: AppTest) -> list[ReportRow]:
    found: list[ReportRow] = session_of(at)["note.report"][1]
    return found


@every_language
def test_an_empty_record_says_what_will_be_here(language: Language) -> None:
    """And offers no file."""
    at = opened(language, {})
    assert [info.value for info in at.info] == [get_translations(language).text("report.empty")]
    assert not at.get("download_button")


@every_language
def test_where_nothing_is_counted_there_is_no_above(language: Language) -> None:
    """Answers that came with a link alone."""
    say, rows = get_translations(language), rows_of(opened(language, {}, run=THEIRS))
    assert {row.mark for row in rows} == {"link"}
    assert summarize(rows, say) == [say.text("report.sum.link_only", count=len(rows))]


@every_language
def test_the_page_lists_everything(language: Language) -> None:
    """The weakest first, a line for each kind, every part, all marks; what was written is no Markdown and no HTML."""
    say, at = get_translations(language), opened(language, run=THEIRS)
    rows = rows_of(at)
    parts = [part for part in PARTS if part not in ("append", "share", "code", "eight", "class")]
    assert list(dict.fromkeys(row.part for row in rows)) == parts
    counted = {part: sum(row.part == part for row in rows) for part in parts}
    assert counted == {
        "intuition": 2, "allocate": 2, "task": 18, "memory": 3, "check": 5, "chapter": 2, "again": 1, "words": 3,
        "quiz": 20,
    }  # fmt: skip
    assert {row.mark for row in rows} == {"own", "over", "link"}
    assert [row.right for row in rows if row.part == "check"] == ["yes"] * 3 + ["no"] * 2
    assert [row.right for row in rows if row.part == "chapter"] == ["no", "yes"]
    assert len(at.get("download_button")) == 2
    assert all(line in texts(at) for line in summarize(rows, say))
    said = texts(at)
    weak = [format_weak(each, say) for each in find_weakest(rows)]
    assert len(weak) == 3
    positions = [said.index(line) for line in (*weak, *summarize(rows, say))]
    assert positions == sorted(positions)
    assert say.text("report.mark.over") in said
    assert say.text("report.mark.link") in said
    assert "<img src=x" not in said
    assert "&lt;img src=x" in said
    assert said.count("<table ") == 10  # three attempts of the task, the words without one
    assert say.text("report.wrong", idea="").strip("* ") in re.sub("</?strong>", "**", said)


def test_what_was_answered_in_a_class_is_listed() -> None:
    """What cannot be read, as in an edited record, is left out."""
    given = {"at": "123456.1", "asked": "predict.P.blocks", "answer": "2", "sure": "sure"}
    broken: list[Any] = [{**given, "asked": "predict.P.none"}, {**given, "answer": "x"}, {}, 7]
    (row,) = rows_of(opened(record={"class_answers": [*broken, given]}))
    assert (row.part, row.question_id, row.predicted, row.engine) == ("class", "predict.P.blocks", "2", "3")
    assert (row.right, row.sure, row.idea_id) == ("no", "sure", "floor_for_ceil")


def to_old(played: Round) -> str:
    """A round as records held it before; its answers are the same, but for `e` and the sureness."""
    return encode_round(played).removeprefix("2.quiz.").rstrip("_")


def test_a_round_counts_once() -> None:
    """Kept several times, as only an edited record has it: the longest of each settings."""
    short = replace(ROUND, answers=ROUND.answers[:2])
    found = [to_old(each) for each in (short, ROUND, short, ROUND)]
    rows = rows_of(opened(record={"rounds": found}))
    assert [row.state for row in rows] == [f"/quiz?{ROUND_KEY}={encode_round(ROUND)}"] * len(ROUND.answers)
    shorter = replace(ROUND, length=10, answers=ROUND.answers[:2])  # other settings: another round
    assert len(rows_of(opened(record={"rounds": [*found, to_old(shorter)]}))) == len(ROUND.answers) + 2


@every_language
def test_sure_and_otherwise_counts_the_quiz_too(language: Language) -> None:
    """A round alone, sure of everything; and together with the predictions."""
    say = get_translations(language)
    alone = rows_of(opened(language, saved(SURE_ROUND)))
    wrong = sum(turn.result is not None and not turn.result.right for turn in play_turns(ROUND))
    assert wrong
    assert say.text("report.sum.sure_other", count=wrong) in summarize(alone, say)
    rows = rows_of(opened(language))
    both = sum(r.right == "no" and r.sure == "sure" and r.mark == "own" for r in rows)
    assert both > wrong
    assert say.text("report.sum.sure_other", count=both) in summarize(rows, say)


def test_forget_me_empties_the_name() -> None:
    """It was typed for a file, and goes with everything else; what the address holds still makes a report."""
    at = opened(run=THEIRS)
    at.text_input(key="report_name").set_value("Li")
    assert sound(at.run()).text_input(key="report_name").value == "Li"
    press(at, "forget_yes")
    assert not at.text_input(key="report_name").value


def test_the_first_lesson_does_not_tell_what_is_yet_to_come() -> None:
    """Two answers, the end not seen: nothing is settled but what a later question has left behind."""
    rows = [row for row in rows_of(opened()) if row.part == "intuition"]
    assert [row.engine for row in rows] == ["", ""]
    done = [row for row in rows_of(opened(record={**RECORD, "done": ["intuition"]})) if row.part == "intuition"]
    right = [observe_outcome(question) for question in QUESTIONS[:2]]
    assert [row.right for row in done] == [
        "yes" if o == r else "no" for o, r in zip(("no", "head"), right, strict=True)
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"committed": ["x"], "ran": 3, "attempts": "x", "checks": {P: 1, "x": "y"}, "foreign": {}},
        {"own_words": {"ten": 4}, "explanation": [], "quiz": "decide", "again": [], "rounds": {}, "rounds_sure": 3},
        {"rounds": ["r.1.4.easy.10_x", None], "intuition": "99-99_9.9", "quiz": [1, "<b>"], "checks": {P: "table"}},
        {"checks": {P + "aA": "no_such_option", f"4.used__{'.'.join(['tB'] * 3)}": "nothing"}},
    ],
)
def test_an_edited_record_does_no_harm(record: dict[str, Any]) -> None:
    """What is none is left out."""
    at = opened(record=record)
    assert [info.value for info in at.info] == [get_translations("en").text("report.empty")]


# --- marks as the pages write them -----------------------------------------------------------------------------------


def kept(at: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = session_of(sound(at.run()))[STORED]
    return found


def test_starting_over_somebody_elses_prediction_keeps_that_it_came_with_a_link() -> None:
    """And one's own is only started over."""
    at = task("en")
    session_of(at)[STORED] = {}
    go(at, run=THEIRS, lang="en")
    press(at, "start_over_yesagain")
    record = kept(at)
    assert record["earlier"] == [THEIRS]
    assert told(*gathered([], record["earlier"], [], record["shared"])) == [(THEIRS, "link_over")]
    at = task("en")
    session_of(at)[STORED] = saved(P)
    go(at, run=P + "aA", lang="en")
    press(at, "start_over_yesagain")
    assert kept(at).get("shared", []) == []


OPERATE = """
import streamlit as st
from lessons.state import url
from lessons.state.session import get_session
from lab.activities.record import Record
from lessons.state.runs import MAIN, Track, operate
get_session()["record"] = Record({record})
st.query_params["{key}"] = "{run}"
operate(Track.of("{key}") if "{key}" != "run" else MAIN, "aA", {index})
url.sync_browser()
for change in get_session().get("record.changes", []):
    get_session()["record"] = change(get_session()["record"])
"""
THEIR_CASE = new("ten_4@3-12-10_")


@pytest.mark.parametrize(
    ("run", "record", "mark"),
    [
        (P, saved(P), "own"),
        (THEIRS[:-2], saved(P), "link"),
        (THEIRS[:-2], {"earlier": [THEIRS]}, "over"),
        (THEIR_CASE, {}, "link"),
        (THEIR_CASE, saved(THEIR_CASE), "own"),
    ],
)
def test_running_on_remembers_whose_prediction_it_is(run: str, record: dict[str, Any], mark: str) -> None:
    """How far one's own was run is kept for the report; a case that came with a link stays marked when it is run."""
    key = "allocate" if run == THEIR_CASE else "run"
    script = OPERATE
    index = len(parse_run(run).operations)
    for name, value in {"record": repr(record), "key": key, "run": run, "index": str(index)}.items():
        script = script.replace(f"{{{name}}}", value)
    found = session_of(sound(AppTest.from_string(script).run()))["record"]
    here = [run + "aA"] if mark != "own" else []  # one's own is found without the address too
    mine, earlier = list(found.get("attempts", {}).values()), found.get("earlier", [])
    marks = told(*gathered(mine, earlier, here, found.get("shared", [])))
    assert [m for text, m in marks if text == run + "aA"] == [mark]


# --- the files -----------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_day_is_the_learner_s() -> None:
    """Half past eleven at night in UTC is the next morning in Shanghai; without a known time zone UTC is named."""
    now = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    assert get_date(now, "Asia/Shanghai") == MadeOn("2026-03-02", "Asia/Shanghai")
    for unknown in (None, "", "No/Such", "../etc/passwd"):
        assert get_date(now, unknown) == MadeOn("2026-03-01", "UTC")


MADE = MadeOn("2026-03-02", "Asia/Shanghai")


@every_language
def test_the_html_stands_alone_and_takes_nothing_for_code(language: Language) -> None:
    """No script, no address, the language named; hostile words and a hostile name are text."""
    rows = rows_of(opened(language))
    page = build_html(rows, '<b onmouseover="x">Li & Co\x00</b>', MADE, get_translations(language))
    parser = Tags()
    parser.feed(page)
    names = {tag for tag, _ in parser.tags}
    assert names <= {
        "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "strong", "ul", "li",
        "section", "ol", "table", "thead", "tbody", "tr", "th", "td", "code", "span", "blockquote",
    }  # fmt: skip
    assert not {"src", "href", "onerror", "onmouseover"} & {name for _, attrs in parser.tags for name in attrs}
    assert parser.tags[0] == ("html", {"lang": "zh-CN" if language == "zh" else "en"})
    assert HOSTILE in parser.text
    assert '<b onmouseover="x">Li & Co</b>' in parser.text
    assert "default-src 'none'" in page
    assert get_translations(language).text("report.made", day=MADE.day, zone=MADE.zone) in parser.text
    assert "@page" in page
    assert page.count('<tr role="row" class') == sum(not row.written for row in rows)
    assert "Li &amp; Co" not in build_html(rows, "", MADE, get_translations(language))


@every_language
def test_the_csv_can_be_read_again(language: Language) -> None:
    """Every row and cell comes back; nothing in it begins like a formula."""
    rows = rows_of(opened(language, run=THEIRS))
    data = build_csv(rows, "", MADE, get_translations(language), "https://lab.example/kvlab")
    assert data.startswith(b"\xef\xbb\xbf")
    table = read_csv(data)
    assert list(table.columns) == [*COLUMNS, "made"]
    assert set(table["made"]) == {MADE.day}
    assert len(table) == len(rows)
    for column in CODES[:-1]:
        assert list(table[column]) == [getattr(row, column) for row in rows]
    assert list(table["state"]) == ["https://lab.example/kvlab" + row.state if row.state else "" for row in rows]
    written = [row.predicted for row in rows if row.written]
    assert list(table[table["part"] == "words"]["predicted"]) == [f"'{written[0]}", *written[1:]]
    assert not any(str(cell).startswith(("=", "+", "-", "@")) for _, line in table.iterrows() for cell in line)
    assert "**" not in "".join(table[table["part"] != "words"].to_numpy().flatten())


def read_csv(data: bytes) -> pd.DataFrame:
    return pd.read_csv(io.BytesIO(data), dtype=str, keep_default_na=False, encoding="utf-8-sig")


def test_the_codes_are_the_same_in_every_language() -> None:
    """Made from one record: question, idea, right, sure, first, link. Each idea is one of the list, each has words."""
    site = "https://lab.example"
    tables = {
        language: read_csv(build_csv(rows_of(opened(language, run=THEIRS)), "", MADE, get_translations(language), site))
        for language in LANGUAGES
    }
    codes = tables["zh"][list(CODES)]
    assert codes.equals(tables["en"][list(CODES)])
    assert not tables["zh"][["question", "idea"]].equals(tables["en"][["question", "idea"]])
    assert set(codes["right"]) == set(codes["first"]) | {""} == {"yes", "no", ""}
    assert set(codes["sure"]) == {"think", "sure", ""}
    assert all(codes["question_id"].str.fullmatch(r"[a-z]+(\.[a-z0-9_]+)+"))
    named = {find_idea(idea).id for idea in codes["idea_id"] if idea}
    assert {"floor_for_ceil", "slip_check_reserves", "slip_joins_head"} <= named
    for table in tables.values():
        assert list(table["idea"] != "") == list(table["idea_id"] != "")
    linked = codes[~codes["part"].isin(["chapter", "again", "words"])]
    assert all(linked["state"].str.match(rf"{site}/[a-z]+\?"))


def test_the_first_answer_to_a_question_is_told_from_the_later_ones() -> None:
    """What was started over came before what goes on; a retry and another try come later; links count on their own."""
    rows = rows_of(opened(run=THEIRS))
    blocks = [row for row in rows if row.question_id == "task.blocks"]
    assert [(row.part, row.mark, row.first) for row in blocks] == [
        ("task", "own", "no"), ("task", "link", "yes"), ("task", "over", "yes"), ("again", "own", "no"),
    ]  # fmt: skip
    assert [row.first for row in rows if row.part == "chapter"] == ["yes", "no"]
    again = {turn.question.name.kind.removesuffix("_more") for turn in play_turns(ROUND) if turn.again is not None}
    assert {row.question_id for row in rows if row.part == "quiz" and row.first == "no"} >= {f"quiz.{k}" for k in again}
    twice = [replace(ROW, mark=mark) for mark in ("own", "over", "over", "link_over", "link")]
    assert [row.first for row in mark_first(twice)] == ["no", "yes", "no", "yes", "no"]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "＝1", "\r\n=1"])
def test_a_name_is_no_formula(name: str) -> None:
    """It gets an apostrophe; a plain one is left as it is, and no name makes no column."""
    row, say = replace(ROW, part="words", predicted=name, written=True), get_translations("en")
    table = pd.read_csv(io.BytesIO(build_csv([row], name, MADE, say)), dtype=str, encoding="utf-8-sig")
    assert table.columns[0] == "name"
    assert str(table["name"][0]).startswith("'")
    assert str(table["predicted"][0]).startswith("'")
    assert b"Li,words" in build_csv([row], "Li", MADE, say)


def test_ideas_have_names_in_the_report() -> None:
    """A lesson's rule that is one of the named ideas is told by that name."""
    run = parse_run("boundary_0-2-5-000_aA.kA.cA.mA")
    rows = list(run_rows.build_rows(run.attempt, get_translations("en")))
    assert [row.idea_id for row in rows] == ["full_page_reused", "check_allocates", "slip_from_tail"]
    assert rows[2].why.startswith("5 ")
    assert all(row.why for row in rows)  # what is true stands beside every wrong answer
