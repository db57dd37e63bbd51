"""The code lesson: predictions against the trace, misconceptions, the source view at every moment, the text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities.cases.case import Case
from lab.activities.cases.code import CODE, COUNTERS, READINGS
from lab.activities.diagnosis import diagnose_one
from lab.activities.question import Question, observe_outcomes
from lab.activities.trace_points import TracePoint, iterate_trace_points
from lab.engine import sequence
from lab.trace.engine_source import SOURCE, find_anchors, find_changers, split_parts
from lab.trace.events import BlockShared, Event, KVWritten, Refused
from lab.trace.line_trace import Execution, LineVisit, find_telling_line, trace_step
from lab.trace.timeline import Timeline
from lessons.activity.code_view import format_line_values
from lessons.lesson import highlight
from lessons.text.translations import LANGUAGES, Language, get_translations, load_strings
from tests.links import new, parse_run
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, go, press, sound, task, texts, verdicts
from tests.player import report, sent
from tests.sample import every_language

LINES = ["", *SOURCE.splitlines()]
BY_ID = {case.id: case for case in CODE}
# What the engine does in each case, stated by hand.
HAND = {"second_id": 2, "pages_seen": 3, "second_call": 3, "blocks_freed": 1, "count_changed_by": 1}
DONE = {
    "table": "table_2-0_aA",
    "check": "check_3-0_aA.kA.cA",
    "act": "act_3-0_aA.kA.mA.mA",
    "free": "free_1-1-00_aA.aB.rA",
}


def run_of(case: Case) -> list[TracePoint]:
    """Every trace point of the case's plan."""
    return list(iterate_trace_points(Timeline.replay(case.config, case.plan).steps))


def asked() -> Iterator[tuple[Case, Question]]:
    """Every question, with its case."""
    return ((case, question) for case in CODE for question in case.asked)


def last_step(case: Case, back: int = 1) -> Execution:
    """The trace of the plan's last step, or of an earlier one."""
    return trace_step(case.config, case.plan, len(case.plan) - back)


def of_line(execution: Execution, text: str) -> list[LineVisit]:
    """Each visit of the line with this text."""
    return [visit for visit in execution.visits if LINES[visit.line].strip() == text]


# --- what is predicted ----------------------------------------------------------------------------------------------


def test_the_run_answers_as_stated_by_hand() -> None:
    """Nothing is answered before the learner has done something."""
    for case in CODE:
        found = observe_outcomes(run_of(case), case.asked)
        assert {name: outcome.value for name, outcome in found.items()} == {q.id: HAND[q.id] for q in case.asked}
        assert all(outcome.step >= case.prepared for outcome in found.values())
    assert COUNTERS[HAND["count_changed_by"]] == "_drop_reference"


def test_the_trace_says_the_same_as_the_outcomes() -> None:
    """Each prediction is about a line or a method. Its trace agrees with the snapshots and events."""
    written = of_line(last_step(BY_ID["table"]), "seq.block_table.append(block_id)")
    assert dict(written[1].values)["block_id"] == str(HAND["second_id"])
    (looked,) = of_line(last_step(BY_ID["check"]), "return 1 if seq.num_blocks > len(seq.block_table) else 0")
    assert dict(looked.values)["seq.num_blocks"] == str(HAND["pages_seen"])
    assert dict(looked.values)["len(seq.block_table)"] == "2"
    acts = [last_step(BY_ID["act"], back).visits for back in (2, 1)]
    first, second = ([visit for visit in visits if visit.function == "may_append"][-1] for visits in acts)
    assert (first.results[-1][1].isdecimal(), second.results) == (True, (("return", "None"),))
    release = last_step(BY_ID["free"]).visits
    assert len([v for v in release if v.function == "_free_block"]) == HAND["blocks_freed"] * 2  # of two lines each
    counting = {v.function for v in release if any("ref_count" in text for text, _ in v.results)}
    assert counting == {COUNTERS[HAND["count_changed_by"]]} == set(find_changers("ref_count", "deallocate"))


def test_the_sentences_about_the_answers_are_true() -> None:
    """`can_append` returned True, as the text says; a release asked about each of A's three blocks."""
    asking = last_step(BY_ID["check"]).visits[0]
    assert (asking.function, asking.results) == ("can_append", (("return", "True"),))
    looks = of_line(last_step(BY_ID["free"]), "if self.blocks[block_id].ref_count == 0:")
    assert [v.values[-1][1] for v in looks] == ["True", "False", "False"]


def test_what_does_not_answer() -> None:
    """can_append before the token, a first may_append, a release of A after B is gone."""
    for text in ("check__aA.cA", "act__aA.kA.mA", "free__aA.aB.rB.rA"):
        run = parse_run(text)
        assert run.case is not None
        seen = list(iterate_trace_points(Timeline.replay(run.config, run.operations).steps))
        assert set(observe_outcomes(seen, run.case.asked)) <= {"count_changed_by"}


@every_language
def test_the_line_that_counts_is_named(language: Language) -> None:
    """It is in the source, with the count before and after: A's last block, its own, is let go of first."""
    case, question = next((case, q) for case, q in asked() if q.id == "count_changed_by")
    seen = run_of(case)
    outcome = observe_outcomes(seen, [question])[question.id]
    for answer in (0, 2, 3):
        found = diagnose_one(question, answer, outcome, seen)
        line = get_translations(language).text(f"code.idea.{question.id}_{found.idea}", **found.facts)
        number, *counts = (int(n) for n in re.findall(r"(?<=line )\d+|(?<=第 )\d+|(?<=from )\d+|(?<=从 )\d+", line))
        assert SOURCE.splitlines()[number - 1].strip() == "self.blocks[block_id].ref_count -= 1"
        assert counts == [1]


# --- the source -----------------------------------------------------------------------------------------------------


def test_the_parts_are_the_whole_file() -> None:
    """Every line with text is in one part, in order. The methods are those that Python finds."""
    covered = [line for part in split_parts() for line in range(part.first, part.last + 1)]
    assert covered == sorted(set(covered))
    assert {i for i, text in enumerate(LINES) if text.strip()} <= set(covered)
    assert [part.name for part in split_parts() if part.name] == re.findall(r"def (\w+)", SOURCE)


def test_highlighting_changes_no_letter() -> None:
    """Without its tags each line is the source's line without its indent."""
    for line, html in enumerate(highlight.highlight_lines(), 1):
        assert unescape(re.sub(r"</?span[^>]*>", "", html)) == LINES[line].lstrip()
        assert len(LINES[line]) - len(LINES[line].lstrip()) == highlight.measure_indent(line)
    header = next(line for line, text in enumerate(LINES) if "def can_append" in text)  # LINES counts from 1
    assert '<span class="k">def</span> <span class="f">can_append</span>' in highlight.highlight_lines()[header - 1]
    assert highlight.highlight_lines()[header].startswith('<span class="s">&quot;&quot;&quot;Is there a block')


def test_what_is_read_is_what_runs() -> None:
    """The methods named for a case exist and run in its plan. So does its anchor's subject."""
    known = {anchor.name for anchor in find_anchors()}
    for case in CODE:
        steps = range(case.prepared, len(case.plan))
        ran = {visit.function for i in steps for visit in trace_step(case.config, case.plan, i).visits}
        assert set(READINGS[case.id].methods) <= ran
        assert READINGS[case.id].anchor in known
    assert len({reading.anchor for reading in READINGS.values()}) == len(known) == len(CODE)


def test_what_the_engine_did_not_do_itself_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such events come from the recorder, or from what stands for the scheduler and the model runner."""
    sources: list[str] = []
    emit = Timeline._emit

    def watched(timeline: Timeline, event: Event) -> None:
        sources.append(Path(sys._getframe(1).f_code.co_filename).name)
        emit(timeline, event)

    monkeypatch.setattr(Timeline, "_emit", watched)
    for text in (*DONE.values(), "act_3-0_aA.kA.kA.mA.rA"):
        run = parse_run(text)
        for index in range(len(run.operations)):
            execution = trace_step(run.config, run.operations, index)
            events = execution.step.events
            by_engine = [source == "recorder.py" for source in sources[-len(events) :]]
            for number, event in enumerate(events, 1):
                told = execution.outside(number)
                assert (told == "") == (by_engine[number - 1] or isinstance(event, Refused))
                assert (told == "model_runner") == isinstance(event, KVWritten)
                assert execution.get_lines_behind(number) == (() if told else execution.at(number))
    written = next(i for i, event in enumerate(events_of(DONE["table"]), 1) if isinstance(event, KVWritten))
    execution = trace_step(BY_ID["table"].config, BY_ID["table"].plan, 0)
    assert execution.at(written) != ()  # the loop's last look, which wrote nothing


def events_of(text: str) -> tuple[Event, ...]:
    """The events of a run's last step."""
    run = parse_run(text)
    return Timeline.replay(run.config, run.operations).steps[-1].events


@pytest.mark.parametrize("case", CODE, ids=lambda case: case.id)
def test_what_a_line_changed_can_be_seen_in_its_values(case: Case) -> None:
    """A long list keeps both ends, so that a change at the head or the tail shows."""
    for index in range(len(case.plan)):
        execution = trace_step(case.config, case.plan, index)
        if any(isinstance(event, BlockShared) for event in execution.step.events):
            continue  # a shared block in use stands in no queue: taking it out changes nothing
        for visit in execution.visits:
            read = dict(visit.values)
            same = [text for text, value in visit.results if text != "return" and read.get(text) == value]
            assert same == [], (visit.line, same)


def test_until_and_telling() -> None:
    """`until` grows by what `at` adds. The telling line is the last one that changed something."""
    execution = last_step(BY_ID["free"])
    events = len(execution.step.events)
    seen: tuple[LineVisit, ...] = ()
    for event in range(1, events + 1):
        seen += execution.at(event)
        assert execution.until(event) == seen
    assert execution.until(None) == execution.visits == seen
    assert (execution.until(0), find_telling_line(())) == ((), None)
    with pytest.raises(IndexError):
        execution.until(events + 1)
    told = find_telling_line(execution.at(1))
    assert told is not None
    assert LINES[told.line].strip() == "self.blocks[block_id].ref_count -= 1"
    assert find_telling_line(execution.visits[:2]) == execution.visits[1]


def test_the_code_in_the_words_is_in_the_source() -> None:
    """Text in backticks is a name or a line of the engine, except for nano-vLLM's own."""
    source = SOURCE + Path(sequence.__file__).read_text(encoding="utf-8") + "lab/engine/block_manager.py"
    for language in LANGUAGES:
        for key, text in load_strings(language).items():
            if key.startswith("code.") and not key.startswith(("code.upstream", "code.differs")):
                assert [quoted for quoted in re.findall(r"`([^`]+)`", text) if quoted not in source] == [], key


# --- the page -------------------------------------------------------------------------------------------------------


def code(language: Language = "en", **parameters: str) -> AppTest:
    """The lesson's page, opened at an address."""
    return task("zh-CN" if language == "zh" else "en", "code", **parameters)


def rows(at: AppTest) -> dict[int, str]:
    """The lines of the source view."""
    html = "".join(str(element.proto.body) for element in at.get("html"))
    return {int(line): unescape(rest) for line, rest in re.findall(r'<li data-line="(\d+)" (.*?)</li>', html)}


def unfolded(at: AppTest) -> set[str]:
    """The methods that are open."""
    html = "".join(str(element.proto.body) for element in at.get("html"))
    return set(re.findall(r'<details class="kv-src" open><summary><code>(\w+)', html))


@every_language
def test_the_source_shows_what_ran_until_the_event_in_view(language: Language) -> None:
    """In every case and event: lines that ran with numbers and values, and the event's own line marked."""
    at = code(language)
    for case in CODE:
        run = parse_run(DONE[case.id])
        for index in range(case.prepared, len(run.operations)):
            execution = trace_step(run.config, run.operations, index)
            for event in (None, *range(1, len(execution.step.events))):
                at = go(at, code=DONE[case.id], at_code=f"{index + 1}" if event is None else f"{index + 1}.{event}")
                _check_rows(at, execution, event)


def _check_rows(at: AppTest, execution: Execution, event: int | None) -> None:
    shown = rows(at)
    assert sorted(shown) == [line for part in split_parts() for line in range(part.first, part.last + 1)]
    seen, now = execution.until(event), execution.get_lines_behind(event) if event is not None else ()
    assert {line for line, row in shown.items() if 'class="ran' in row} == {visit.line for visit in seen}
    current = {line for line, row in shown.items() if 'aria-current="step"' in row}
    assert current == {visit.line for visit in now}
    assert {visit.function for visit in now} <= unfolded(at)
    outside = {
        name
        for name in ("model_runner", "scheduler")
        if get_translations("en").text(f"code.outside_{name}") in texts(at)
    }
    outside |= {
        name
        for name in ("model_runner", "scheduler")
        if get_translations("zh").text(f"code.outside_{name}") in texts(at)
    }
    assert outside == {execution.outside(event)} - {""}
    assert len([row for row in shown.values() if re.match(r'class="[^"]*\bkey\b', row)]) == bool(seen and not outside)
    first = len(seen) - len(now) + 1
    for number, visit in enumerate(seen, 1):
        row, mine = shown[visit.line], [i for i, v in enumerate(seen, 1) if v.line == visit.line]
        mine = [i for i in mine if i >= first] or mine if now else mine
        if number in mine[:4]:
            assert re.search(rf"[▶•][\d, ]*\b{number}\b", row), (number, row)
            assert format_line_values(visit) in row


def test_before_the_run_nothing_is_marked_and_nothing_given_away() -> None:
    """The methods to read are open. The anchor follows the commitment, nano-vLLM the outcome."""
    at, say = code(), get_translations("en")
    table = say.text("code.anchor_title", name="block_table")
    for case in CODE:
        at = go(at, code=_opening(case))
        assert not [row for row in rows(at).values() if 'class="ran' in row or 'class="key' in row]
        assert unfolded(at) == set(READINGS[case.id].methods)
        assert not _has_buttons(at)
        assert say.text(f"code.differs.{case.id}") not in texts(at)
    at = go(at)
    at.text_input(key="predict.table.second_id").set_value("9")
    at = press(at, "commit")
    assert (address(at, "code"), _has_buttons(at), verdicts(at)) == (new("table_9-0_"), True, ["waiting"])
    assert table in [each.label for each in at.expander]
    assert say.text("code.differs.table") not in texts(at)
    at = go(at, code=DONE["table"])
    assert say.text("code.differs.table") in texts(at)


def _opening(case: Case) -> str:
    return f"{case.id}__" + ".".join(DONE[case.id].split("_")[2].split(".")[: case.prepared])


def _has_buttons(at: AppTest) -> bool:
    return any(str(button.key).startswith("jump_") for button in at.button)


def before_the_end(at: AppTest) -> str:
    """The place before the last event."""
    return str(sent(at)["film"]["places"][-2])


@every_language
def test_a_name_leads_to_its_method(language: Language) -> None:
    """Every place of the anchor has a button with its lines. It unfolds the method until the moment changes."""
    at = code(language)
    for case in CODE:
        at = go(at, code=DONE[case.id])
        anchor = next(each for each in find_anchors() if each.name == READINGS[case.id].anchor)
        methods = READINGS[case.id].methods
        of_method = anchor.subject in methods  # then those that the case is about alone
        named = set()
        for role, places in (("decides" if of_method else "reads", anchor.checks), ("changes", anchor.changes)):
            for method in dict.fromkeys(name for name, _ in places if not of_method or name in methods):
                at = press(at, f"jump_{role}.{method}")
                assert method in unfolded(at)
                named.add(f"jump_{role}.{method}")
        buttons = [button for button in at.button if str(button.key).startswith("jump_")]
        assert {button.key for button in buttons} == named
        told = [line for name, line in anchor.checks + anchor.changes if not of_method or name in methods]
        labels = " ".join(button.label for button in buttons)
        assert all(f"{line}" in labels or "–" in labels for line in told)
        assert get_translations(language).text("code.decides" if of_method else "code.reads") in texts(at)
        if not anchor.changes:
            assert get_translations(language).text("code.changes_nothing") in texts(at)
    at = press(go(at, code=DONE["table"]), "jump_changes._drop_reference")
    assert "_drop_reference" in unfolded(at)
    assert "_drop_reference" not in unfolded(report(at, before_the_end(at)))


@every_language
def test_the_whole_lesson_is_predicted_run_and_explained(language: Language) -> None:
    """With wrong answers in every case: misconception, explanation, next case, and at last the next lesson."""
    at, say = code(language), get_translations(language)
    session_of(at)[STORED] = {}
    wrong: dict[str, dict[str, Any]] = {
        "table": {"second_id": "1"},
        "check": {"pages_seen": "2"},
        "act": {"second_call": "4"},
        "free": {"blocks_freed": "3", "count_changed_by": 0},
    }
    for case in CODE:
        for name, answer in wrong[case.id].items():
            key = f"predict.{case.id}.{name}"
            field = at.radio(key=key) if isinstance(answer, int) else at.text_input(key=key)
            field.set_value(answer)
        at = press(at, "commit")
        given = address(at, "code").split("_")[1]
        at = go(at, code=f"2.{case.id}_{given}_{new(DONE[case.id]).split('_')[2]}")
        assert verdicts(at) == ["other"] * len(case.asked)
        assert texts(at).count("≠ ") >= 2 * len(case.asked)
        why = say.text(f"code.case.{case.id}.why", **dict.fromkeys(_names(f"code.case.{case.id}.why"), "|")).split("|")
        assert why[0] not in texts(at)
        at.text_area(key=f"own.{case.id}").set_value("…")
        at = press(at, "compare")
        assert all(part in texts(at) for part in why)
        if case is not CODE[-1]:
            assert say.text("code.next_chapter") not in texts(at)
            at = press(at, "next_case")
    assert say.text("code.next_chapter") in texts(at)
    assert "Prefix Cache" in say.text("code.next_chapter")
    sound(at)


def _names(key: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", load_strings("en")[key]))
