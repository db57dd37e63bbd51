"""The page "where the memory goes" as Streamlit runs it, with short runs of the real simulation."""

from __future__ import annotations

import gc
import gzip
import re
import sys
import weakref
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities import old_links
from lab.activities.attempt import decode
from lab.activities.record import Record
from lab.engine.errors import InvalidLinkError
from lab.figures.serving.block_size import draw_waste
from lab.figures.serving.shares import draw_shares
from lab.figures.serving.style import add_caption
from lab.serving import studies
from lab.serving.guess import (
    BANDS,
    OWN,
    WORKLOADS,
    Guess,
    MemoryView,
    find_band,
    observe_outcomes,
)
from lab.serving.jobs import REMEMBERED, SimulationRunner
from lab.serving.paper import build_paper_settings
from lab.serving.simulation import MAX_TOKENS, ServingPolicy, ServingResult, simulate
from lab.serving.studies import build_block_size_study, measure_waste
from lab.serving.workload import CREDIT, build_alpaca, build_sharegpt
from lab.serving.workload_errors import NamesError, NoRowsError, NotACountError, WorkloadError
from lab.serving.workload_file import read_file
from lessons.activity.report_row import ReportRow
from lessons.memory import attempt, jobs, prediction_form
from lessons.memory.export import Origin
from lessons.server import server
from lessons.state import attempts, notes, record
from lessons.text.sentences import format_error
from lessons.text.translations import Language, get_translations
from tests.links import new, saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, go, keys, press, sound, task, texts, titles, verdicts
from tests.sample import every_language, some
from tests.server.event_loop import in_own_loop

GUESS = "sharegpt.true_length.70.under5"
RAN = f"{GUESS}.sharegpt.run16"
WAIT = 60


@pytest.fixture(scope="module")
def short_runner() -> Iterator[SimulationRunner]:
    """One for all tests here: what one has run, the others find."""
    made = SimulationRunner()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, short_runner: SimulationRunner) -> SimulationRunner:
    """Few steps, in a process of their own as always."""
    monkeypatch.setattr(jobs, "STEPS", 200)
    monkeypatch.setattr(jobs, "STUDY_STEPS", 40)
    monkeypatch.setattr(jobs, "get_runner", lambda: short_runner)
    return short_runner


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulationRunner]:
    """Runs that never end by themselves."""
    made = SimulationRunner((sys.executable, "-c", "import sys, threading; threading.Event().wait()"))
    monkeypatch.setattr(jobs, "get_runner", lambda: made)
    yield made
    made.close()


def opened(language: Language = "en", record: dict[str, Any] | None = None, **parameters: str) -> AppTest:
    """A session on the page, whose browser has told this record."""
    return task(language, "memory", told=record or {}, lang=language, **parameters)


def finish(runner: SimulationRunner, name: str = "sharegpt") -> None:
    """Wait until all that the page asks for is there."""
    workload = jobs.get_workload(name, None)
    assert workload is not None
    for batch in jobs.list_batches(workload).values():
        runner.submit(*batch).result(WAIT)


@every_language
def test_the_report_sets_the_prediction_beside_the_runs(language: Language, short: SimulationRunner) -> None:
    """Not run yet, then with the outcomes of this visit's own runs, and why where they are others."""
    at = opened(language, {attempt.KEY: GUESS}, memory=RAN)
    rows = list(in_session(at, "report"))
    assert [row.part for row in rows] == ["memory"] * 3
    assert {row.right for row in rows} <= {"", "yes", "no"}
    finish(short)
    sound(at.run())
    rows = list(in_session(at, "report"))
    state = f"/memory?memory={new(GUESS, 'memory')}&view_memory=sharegpt.run16"
    assert all(row.right and row.engine and row.state == state for row in rows)
    assert all(bool(row.why) is (row.right == "no") for row in rows)
    assert "no" in {row.right for row in rows}


def in_session(at: AppTest, page: str) -> list[ReportRow]:
    """The report's rows in this visit."""
    sound(at.switch_page(f"{page}/page.py").run())
    found: list[ReportRow] = session_of(at)["note.report"][1]
    sound(at.switch_page("memory/page.py").run())
    return found


def predict(at: AppTest, winner: str = "true_length", percent: str = "70", band: str = "under5") -> AppTest:
    """Fill in the form and commit."""
    at.radio(key="predict.memory.winner").set_value(winner)
    at.text_input(key="predict.memory.percent").set_value(percent)
    at.radio(key="predict.memory.waste").set_value(band)
    return press(at, "memory_commit")


def upload(at: AppTest, data: bytes | None, times: int = 0) -> AppTest:
    """Put a file into the uploader, or take it out. `times`: how often "forget me" was pressed before."""
    at.file_uploader(key=f"memory_file_{times}").set_value(None if data is None else ("lengths.csv", data, "text/csv"))
    return sound(at.run())


def visit_of(text: str) -> MemoryView:
    """What an earlier link stands for."""
    return MemoryView.read(*old_links.read(text, "memory")) if text else MemoryView()


def in_view(at: AppTest) -> MemoryView:
    """What the address shows."""
    return MemoryView.read(decode(address(at, "memory")), address(at, "view_memory"))


# --- the address ---------------------------------------------------------------------------------------------------


HOSTILE = ["x", "sharegpt.", "sharegpt.paged.101.under5.sharegpt", "sharegpt.paged.9.under5.sharegpt.run17"]
HOSTILE += ["sharegpt.paged.٣.under5.sharegpt", "<b>", f"{RAN}.x", "sharegpt.best.9.under5.sharegpt", f"{GUESS}.mine"]
HOSTILE += ["own.paged.9.under5.own", "own-123.paged.9.under5.own", "code-0123abcd.paged.9.under5.code", "own-0123abcd"]
HOSTILE += ["sharegpt.paged.9.under9.sharegpt", "a" * 9000, f"{GUESS}.sharegpt.run0", f"{RAN}\n"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_link_is_refused(text: str) -> None:
    """As a refusal that can be said, never as something else."""
    with pytest.raises(InvalidLinkError):
        visit_of(text)


@every_language
def test_a_hostile_link_becomes_the_beginning(language: Language) -> None:
    """With one sentence; nothing is run, and the form is there."""
    for text in HOSTILE[:3]:
        at = opened(language, memory=text, at_memory="nowhere")
        assert len(at.warning) == 1
        assert "memory_commit" in keys(at)


# --- what the runs say ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def policies() -> list[ServingResult]:
    """Short runs."""
    return [simulate(each) for each in build_paper_settings(400)]


def test_outcomes_are_the_runs(policies: list[ServingResult]) -> None:
    """The best by its tokens; a percentage within 5 points agrees; the waste lies in one band."""
    best = max(policies, key=lambda result: result.shares.tokens)
    tokens = best.shares.tokens
    largest = simulate(build_block_size_study(build_sharegpt(), 200)[-1])
    close = Guess(best.settings.policy, round(tokens) - 4, find_band(measure_waste(largest)))
    found = observe_outcomes(close, policies, [largest])
    assert {name: fact.right for name, fact in found.items()} == {"winner": True, "percent": True, "waste": True}
    assert (found["percent"].value, found["waste"].value) == (tokens, measure_waste(largest))
    other = next(name for name in BANDS if name != close.waste)
    off = Guess(ServingPolicy.MAXIMUM, round(tokens) - 6, other)
    assert not any(fact.right for fact in observe_outcomes(off, policies, [largest]).values())
    assert observe_outcomes(close, [], []) == {}


@pytest.mark.parametrize(
    ("percent", "name"), [(0, "under5"), (4.9, "under5"), (5, "5to15"), (15, "15to35"), (35, "over35"), (100, "over35")]
)
def test_bands_meet(percent: float, name: str) -> None:
    """Each percentage is in exactly one."""
    assert find_band(percent) == name


@every_language
def test_every_wrong_answer_has_its_sentence(language: Language, policies: list[ServingResult]) -> None:
    """With the numbers of the run."""
    sizes = [simulate(each) for each in build_block_size_study(build_alpaca(), 40)[::8]]
    names = ("winner", "percent", "waste")
    for policy in ServingPolicy:
        for percent, band in ((0, "under5"), (100, "over35")):
            guess = Guess(policy, percent, band)
            found = observe_outcomes(guess, policies, sizes)
            said = prediction_form.describe_ideas(guess, names, policies, sizes, get_translations(language))
            assert len(said) == sum(not fact.right for fact in found.values())
            assert all("{" not in each and any(map(str.isdigit, each)) for each in said)


# --- the page ------------------------------------------------------------------------------------------------------


@every_language
def test_predict_run_outcome(language: Language, short: SimulationRunner) -> None:
    """Nothing runs before a prediction; once it has run, its outcome is over it, and each section shows its result."""
    say = get_translations(language)
    at = opened(language)
    assert titles(at) == [say.text("memory.title")]
    assert "memory_run" not in keys(at)
    at = predict(at)
    assert (in_view(at), verdicts(at)) == (visit_of(f"{GUESS}.sharegpt"), ["waiting"] * 3)
    assert session_of(at)[STORED] == saved(GUESS, key="memory")
    assert say.text("memory.foreign") not in texts(at)
    at = press(at, "memory_run")
    assert in_view(at) == visit_of(RAN)
    finish(short)
    at = sound(at.run())
    assert "memory_cancel" not in keys(at)
    assert verdicts(at).count("waiting") == 0
    assert "memory_csv_shares" in keys(at)
    for name, shown in (("batch", "batch"), ("pool", "pool"), ("block_size", "block-size"), ("prompt", "prompt")):
        at = press(at, "memory_next")
        assert address(at, "at_memory") == name
        assert {f"memory_csv_{shown}", f"memory_svg_{shown}", f"memory_{shown}"} <= keys(at)
    at = press(at, "memory_next")
    assert "memory_next" not in keys(at)
    assert say.text("memory.tradeoff.chosen") in texts(at)
    assert "memory" in session_of(at)[STORED]["done"]


def test_numbers_on_the_page_are_the_runs(short: SimulationRunner) -> None:
    """Those that do not land are named with their reason; the others are not."""
    finish(short)
    comparisons = [simulate(each) for each in build_paper_settings(200)]
    at = opened(record={"memory": GUESS}, memory=RAN)
    for result in comparisons:
        assert f"{result.shares.tokens:.1f}%" in texts(at)
    assert "does not land" in texts(at)
    assert re.search(r"it is \d+\.\d points (above|below) \(limit 2", texts(at))
    assert not re.search(r"[+-]\d", " ".join(line for line in texts(at).splitlines() if "does not land" in line))
    at = opened(record={"memory": GUESS}, memory=RAN, at_memory="batch")
    paged = next(result for result in comparisons if result.settings.policy is ServingPolicy.PAGED)
    assert f"Preemptions: {paged.preemptions:,}," in texts(at)


def test_a_tie_goes_to_the_one_that_was_guessed() -> None:
    """Where the shown shares are equal, whoever named one of the best was right."""
    runs = [simulate(each) for each in build_paper_settings(200)]
    same = [replace(run, shares=runs[0].shares) for run in runs]
    for policy in ServingPolicy:
        told = observe_outcomes(Guess(policy, 50, "under5"), same, ())["winner"]
        assert (told.value, told.right) == (policy.value, True)


def test_a_form_that_cannot_be_read_commits_nothing() -> None:
    """Each field says what is off; a percentage has its range."""
    at = press(opened(), "memory_commit")
    assert texts(at).count("▲ ") == 3
    at.radio(key="predict.memory.winner").set_value("paged")
    at.radio(key="predict.memory.waste").set_value("under5")
    at.text_input(key="predict.memory.percent").set_value("101")
    at = press(at, "memory_commit")
    assert get_translations("en").text("errors.invalid_answer.not_a_percent") in texts(at)
    assert (address(at, "memory"), session_of(at)[STORED]) == ("", {})


TYPED = [("", False), ("many", False), ("-1", False), ("40.5", False), ("101", False), ("5000", False)]
TYPED += [("0", True), ("100", True), (" 70 % ", True), ("\uff17\uff10\uff05", True)]


@pytest.mark.parametrize(("typed", "fits"), some(TYPED, 4))
def test_a_percentage_says_what_belongs_there(typed: str, fits: bool) -> None:
    """Whatever is off: a whole number from 0 to 100, never another field's range."""
    at = predict(opened(), percent=typed)
    told = get_translations("en").text("errors.invalid_answer.not_a_percent")
    assert (told in texts(at), address(at, "memory") != "") == (not fits, fits)
    assert "999" not in texts(at)


MAPS = {
    "pool": ("maximum", 60),
    "pool.paged.59": ("paged", 59),
    "pool.true_length.1": ("true_length", 1),
    "pool.paged": ("paged", 60),
    "pool.worst.7": ("maximum", 7),
    "pool.paged.0": ("paged", 60),
    "pool.paged.61": ("paged", 60),
    "pool.paged.1000000000": ("paged", 60),
    "pool.paged.\u0663": ("paged", 60),
    "pool.paged.5.5": ("paged", 5),
}


@pytest.mark.parametrize("text", some(MAPS, 4))
def test_the_map_is_in_the_address(short: SimulationRunner, text: str) -> None:
    """Policy and moment; what makes no sense there is the beginning."""
    finish(short)
    at = opened(record={"memory": GUESS}, memory=RAN, at_memory=text)
    policy, moment = MAPS[text]
    assert at.segmented_control(key="memory_map_policy").value == policy
    assert at.slider(key="memory_map_moment").value == moment
    read = text == "pool" or text.split(".")[1:] in ([policy], [policy, str(moment)])
    assert ('<p class="kv-unread">' in texts(at)) != read
    say = get_translations("en")
    run = simulate(next(each for each in build_paper_settings(200) if each.policy == policy))
    frame = run.frames[moment - 1]
    start = say.text("memory.map.sentence", policy=say.text(f"memory.policy.{policy}"), step=frame.step, **NO_NUMBERS)
    assert start.split("|")[0] in texts(at)


NO_NUMBERS = dict.fromkeys(("batch", "tokens", "reserved", "internal", "external"), "|")


def test_turning_the_map_goes_to_the_address(short: SimulationRunner) -> None:
    """And Back goes back; another section and back again is the section alone."""
    finish(short)
    at = opened(record={"memory": GUESS}, memory=RAN, at_memory="pool")
    at = sound(at.slider(key="memory_map_moment").set_value(12).run())
    assert address(at, "at_memory") == "pool.maximum.12"
    at = sound(at.segmented_control(key="memory_map_policy").set_value("paged").run())
    assert address(at, "at_memory") == "pool.paged.12"
    at = go(at, lang="en", memory=RAN, at_memory="pool.maximum.12")
    assert (at.segmented_control(key="memory_map_policy").value, at.slider(key="memory_map_moment").value) == (
        "maximum",
        12,
    )
    assert address(press(at, "memory_next"), "at_memory") == "block_size"


def test_a_committed_page_can_be_started_over(short: SimulationRunner) -> None:
    """The requests in view stay; the prediction is forgotten, and only one's own can be."""
    finish(short)
    at = opened(record={"memory": GUESS}, memory=f"{GUESS}.code.at64", at_memory="batch")
    at = sound(press(at, "start_over").run())
    assert (in_view(at), address(at, "at_memory"), "memory_commit" in keys(at)) == (visit_of("code"), "", True)
    assert "start_over" not in keys(opened(memory=RAN))


@pytest.mark.parametrize(
    ("link", "mine", "then"),
    [
        (RAN.replace("run16", "run64"), "sharegpt.paged.90.under5", "sharegpt.paged.90.under5.sharegpt.run64"),
        (RAN.replace("run16", "run64"), "code.paged.90.under5", "code.paged.90.under5.code.at64"),
        (f"{GUESS}.code.run8", "code.paged.90.under5", "code.paged.90.under5.code.run8"),
        ("", "code.paged.90.under5", "code.paged.90.under5.code"),
    ],
)
def test_going_on_keeps_what_still_holds(short: SimulationRunner, link: str, mine: str, then: str) -> None:
    """What ran, the block_size and the section, from somebody's link to one's own prediction."""
    for name in ("sharegpt", "code"):
        finish(short, name)
    at = opened(record={"memory": mine}, memory=link, at_memory="pool.paged.7")
    at = press(at, "memory_own" if link else "resume")
    assert (in_view(at), address(at, "at_memory")) == (visit_of(then), "pool.paged.7")


def test_a_prediction_is_committed_once(short: SimulationRunner) -> None:
    """Without the address, the page offers to go on with it; starting over forgets it."""
    at = opened(record={"memory": GUESS})
    assert "memory_commit" not in keys(at)
    assert in_view(press(at, "resume")) == visit_of(f"{GUESS}.sharegpt")
    at = opened(record={"memory": GUESS})
    at = sound(press(at, "start_over").run())
    assert "memory_commit" in keys(at)


def test_a_link_s_prediction_is_the_sender_s(short: SimulationRunner) -> None:
    """It is shown as that; it does not count; one's own can be made, or gone on with."""
    finish(short)
    say = get_translations("en")
    at = opened(memory=RAN, at_memory="prompt")
    assert say.text("memory.foreign") in texts(at)
    at = press(at, "memory_next")
    assert "done" not in session_of(at)[STORED]
    at = press(at, "memory_own")
    assert (address(at, "memory"), "memory_commit" in keys(at)) == ("", True)
    other = "alpaca.paged.90.under5"
    at = press(opened(record={"memory": other}, memory=RAN), "memory_own")
    assert in_view(at) == visit_of(f"{other}.alpaca")
    assert say.text("memory.foreign") not in texts(at)


@pytest.mark.parametrize("kept", some([7, None, "x", {"a": 1}, "alpaca"], 2))
def test_an_edited_record_does_no_harm(kept: object) -> None:
    """What is no prediction is none."""
    assert "memory_commit" in keys(opened(record={"memory": kept}))


@every_language
def test_while_it_runs_one_can_stop_it(language: Language, stuck: SimulationRunner) -> None:
    """The page does not wait; stopping ends the runs, and they can be started again."""
    at = opened(language, record={"memory": GUESS}, memory=f"{GUESS}.sharegpt")
    at = press(at, "memory_run")
    held = list(session_of(at)["note.memory.tickets"].values())
    assert len(held) == 3
    assert "memory_csv_shares" not in keys(at)
    at = press(at, "memory_cancel")
    assert (in_view(at), "memory_run" in keys(at)) == (visit_of(f"{GUESS}.sharegpt"), True)
    assert not any(ticket._held for ticket in held)


def test_another_workload_lets_go_of_the_one_before(stuck: SimulationRunner) -> None:
    """And waits for its own start."""
    at = press(opened(record={"memory": GUESS}, memory=f"{GUESS}.sharegpt"), "memory_run")
    held = list(session_of(at)["note.memory.tickets"].values())
    at = sound(at.selectbox(key="memory_workload").set_value("code").run())
    assert in_view(at) == visit_of(f"{GUESS}.code")
    assert not any(ticket._held for ticket in held)
    assert CREDIT in texts(at)


def test_runs_that_fail_can_be_tried_again(monkeypatch: pytest.MonkeyPatch, short: SimulationRunner) -> None:
    """A worker that dies is told; the next try finds what the short runner has."""
    finish(short)
    broken = SimulationRunner((sys.executable, "-c", "raise SystemExit(3)"))
    monkeypatch.setattr(jobs, "get_runner", lambda: broken)
    at = opened(record={"memory": GUESS}, memory=RAN)
    for ticket in session_of(at)["note.memory.tickets"].values():
        with pytest.raises(Exception, match="3"):
            ticket.result(WAIT)
    at = sound(at.run())
    assert "(status 3)" in texts(at)
    broken.close()
    monkeypatch.setattr(jobs, "get_runner", lambda: short)
    at = press(at, "memory_again")
    assert "memory_csv_shares" in keys(at)


@pytest.mark.thorough
def test_other_requests_have_no_paper_beside_them(short: SimulationRunner) -> None:
    """The prediction stays that of its own workload."""
    finish(short)
    finish(short, "code")
    finish(short, "alpaca")
    at = opened(record={"memory": GUESS}, memory=f"{GUESS}.code.run16")
    assert get_translations("en").text("memory.no_paper") in texts(at)
    at = opened(record={"memory": GUESS}, memory=RAN)
    at = sound(at.selectbox(key="memory_workload").set_value("alpaca").run())
    at = press(at, "memory_run")
    assert get_translations("en").text("memory.no_paper_alpaca") in texts(at)
    assert "waiting" not in verdicts(at)  # of ShareGPT, as seen before
    at = sound(at.selectbox(key="memory_workload").set_value("sharegpt").run())
    assert {"memory_run", "memory_csv_shares"} <= keys(at)  # what is there is shown, and nothing is asked for


def test_block_size_moves_with_the_address(short: SimulationRunner) -> None:
    """And the address with the slider."""
    finish(short)
    at = opened(record={"memory": GUESS}, memory=f"{GUESS}.sharegpt.run64", at_memory="block_size")
    assert "With block_size 64," in texts(at)
    assert str(at.select_slider(key="memory_size").value) == "64"
    at = sound(at.select_slider(key="memory_size").set_value("256").run())
    assert in_view(at) == visit_of(f"{GUESS}.sharegpt.run256")


FILES = {
    b"": NoRowsError(),
    b"prompt_tokens,output_tokens\n": NoRowsError(),
    b"a,b,c\n1,2,3\n": NamesError(row=1, columns=3),
    b"prompt_tokens,output_tokens\n5,many\n": NotACountError(row=2, column=2),
}


@every_language
def test_a_file_that_cannot_be_read_says_why(language: Language) -> None:
    """In a sentence; and it cannot be run."""
    say = get_translations(language)
    at = opened(language, record={"memory": GUESS}, memory=f"{GUESS}.own")
    assert "memory_run" not in keys(at)
    assert say.text("memory.upload_first") in texts(at)
    for data, problem in FILES.items():
        at = upload(at, data)
        assert [warning.value for warning in at.warning] == [format_error(problem, say)]
        assert "memory_run" not in keys(at)


def test_a_file_that_can_be_read_is_run(short: SimulationRunner) -> None:
    """Its requests are counted, and the results come without the paper."""
    at = opened(record={"memory": GUESS}, memory=f"{GUESS}.own")
    data = b"prompt_tokens,output_tokens\n" + b"40,20\n100,60\n" * 3
    at = upload(at, data)
    assert get_translations("en").text("memory.file_read", count="6") in texts(at)
    at = press(at, "memory_run")
    for batch in session_of(at)["note.memory.tickets"]:
        short.submit(*batch).result(WAIT)
    at = sound(at.run())
    assert get_translations("en").text("memory.no_paper") in texts(at)


def test_the_shell_leads_there_and_the_server_ends_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link in the navigation; at the end of the server its runner is closed."""
    links = [link.proto.label for link in task("en", "start").get("page_link")]
    assert get_translations("en").text("memory.title") in links
    closed: list[bool] = []

    class Fake:
        def close(self) -> None:
            closed.append(True)

    fake = cache(Fake)
    monkeypatch.setattr(server, "get_runner", fake)
    monkeypatch.setattr(server, "_warm", lambda: None)

    async def live() -> None:
        async with server.lifespan(None):  # type: ignore[arg-type]
            pass

    for started in (False, True):
        if started:
            fake()
        in_own_loop(live)
        assert closed == [True] * started


@pytest.mark.parametrize("late", ["in the record", "in the address", "without its file"])
def test_a_press_that_comes_late_commits_nothing(monkeypatch: pytest.MonkeyPatch, late: str) -> None:
    """A form of another tab, or a doubled press: the first prediction stays. Or the file has been taken out."""
    first = f"{GUESS}.sharegpt"
    at = {"in the address": first, "without its file": "own"}.get(late, "")
    monkeypatch.setattr(attempts, "get_value", lambda key: at if key == "memory" else "")
    monkeypatch.setattr(notes, "get_note", lambda *_: None)
    monkeypatch.setattr(record, "read", lambda: Record(saved(GUESS, key="memory") if late == "in the record" else {}))
    changed: list[str] = []
    monkeypatch.setattr(record, "update", lambda _: changed.append("record"))
    monkeypatch.setattr(attempts, "set_values", lambda **_: changed.append("address"))
    attempt.commit("paged", 96, "15to35")
    assert changed == []


# --- one's own file -------------------------------------------------------------------------------------------------

DATA = b"prompt_tokens,output_tokens\n" + b"40,20\n100,60\n" * 3
OTHER = b"prompt_tokens;output_tokens\n400;20\n10;60\n"
DIGEST = read_file(DATA).workload.digest
MINE = f"own-{DIGEST}.true_length.70.under5"


def finish_all(at: AppTest, runner: SimulationRunner) -> AppTest:
    """Wait for what the session has asked for."""
    for ticket in session_of(at)["note.memory.tickets"].values():
        ticket.result(WAIT)
    return sound(at.run())


@pytest.fixture
def committed() -> AppTest:
    """A session that has predicted for its own file."""
    at = upload(opened(memory="own"), DATA)
    return predict(at)


@every_language
def test_nothing_is_predicted_before_there_is_a_file(language: Language) -> None:
    """It says what is missing, and asks nothing; a file that cannot be read is none."""
    say = get_translations(language)
    at = opened(language, memory="own")
    for data in (None, b"a,b,c\n1,2,3\n"):
        if data is not None:
            at = upload(at, data)
        else:
            assert say.text("memory.upload_first") in texts(at)
        assert "memory_commit" not in keys(at)
    at = upload(at, DATA)
    assert say.text("memory.upload_first") not in texts(at)
    assert in_view(predict(at)) == visit_of(f"{MINE}.own")


def test_a_prediction_names_its_file(committed: AppTest, short: SimulationRunner) -> None:
    """By a digest: the same lengths run under it, in whatever dialect they are written; others ask for a new one."""
    at = finish_all(press(committed, "memory_run"), short)
    assert session_of(at)[STORED] == saved(MINE, key="memory")
    assert "waiting" not in verdicts(at)
    at = upload(at, DATA.replace(b",", b";"))
    assert "waiting" not in verdicts(at)
    at = upload(at, OTHER)
    assert get_translations("en").text("memory.other_file") in texts(at)
    assert verdicts(at) == ["waiting"] * 3
    assert {"memory_run", "memory_csv_shares"} & keys(at) == set()
    at = sound(press(at, "memory_predict_file").run())
    assert in_view(at) == visit_of("own")
    at = predict(at)
    assert in_view(at) == visit_of(f"own-{read_file(OTHER).workload.digest}.true_length.70.under5.own")


def test_a_link_does_not_carry_the_file(short: SimulationRunner) -> None:
    """It says so; the file that was predicted for runs, another one does not, whoever has it."""
    say = get_translations("en")
    at = opened(memory=f"{MINE}.own.run16")
    assert say.text("memory.upload_first") in texts(at)
    assert "memory_run" not in keys(at)
    at = upload(at, OTHER)
    assert say.text("memory.other_file") in texts(at)
    assert {"memory_run", "memory_predict_file", "memory_csv_shares"} & keys(at) == set()
    assert "memory_own" in keys(at)  # their own prediction
    at = finish_all(upload(opened(memory=f"{MINE}.own.run16"), DATA), short)
    assert "memory_csv_shares" in keys(at)


@pytest.mark.thorough
def test_another_file_does_not_run_by_itself(short: SimulationRunner) -> None:
    """Under a prediction for other requests, where one may look at any file."""
    at = upload(opened(record={"memory": GUESS}, memory=f"{GUESS}.own"), DATA)
    at = finish_all(press(at, "memory_run"), short)
    assert "memory_csv_shares" in keys(at)
    at = upload(at, OTHER)
    assert (in_view(at), "memory_run" in keys(at)) == (visit_of(f"{GUESS}.own"), True)
    assert "memory_csv_shares" not in keys(at)
    assert not any(batch[0].workload == read_file(DATA).workload for batch in session_of(at)["note.memory.tickets"])


def test_a_file_that_is_taken_out_is_gone(committed: AppTest, short: SimulationRunner) -> None:
    """With all that was computed from it."""
    at = finish_all(press(committed, "memory_run"), short)
    at = upload(at, None)
    assert session_of(at)["note.memory.file"] is None
    assert session_of(at)["note.memory.tickets"] == {}
    assert get_translations("en").text("memory.upload_first") in texts(at)
    assert "memory_csv_shares" not in keys(at)


def test_turning_elsewhere_keeps_the_file(committed: AppTest) -> None:
    """The uploader is empty then, and the lengths are there."""
    at = sound(committed.selectbox(key="memory_workload").set_value("code").run())
    at = sound(at.selectbox(key="memory_workload").set_value("own").run())
    assert get_translations("en").text("memory.file_read", count="6") in texts(at)
    assert "memory_run" in keys(at)


def test_forget_me_drops_the_file_and_what_came_of_it(committed: AppTest, short: SimulationRunner) -> None:
    """At once: the lengths, the results, the hold on what runs, the uploader's copy."""
    at = finish_all(press(committed, "memory_run"), short)
    kept = weakref.ref(session_of(at)["note.memory.file"])
    assert kept() is not None
    at = press(at, "forget_yes")
    assert "note.memory.file" not in at.session_state
    assert not session_of(at)["note.memory.tickets"] if "note.memory.tickets" in session_of(at) else True
    assert "memory_csv_shares" not in keys(at)
    assert get_translations("en").text("memory.upload_first") in texts(at)
    assert at.file_uploader(key="memory_file_1").value is None
    gc.collect()
    assert kept() is None
    at = upload(at, OTHER, times=1)
    assert get_translations("en").text("memory.file_read", count="2") in texts(at)


def test_forget_me_lets_go_of_what_runs(stuck: SimulationRunner) -> None:
    """Nobody waits for it any more."""
    at = press(predict(upload(opened(memory="own"), DATA)), "memory_run")
    held = list(session_of(at)["note.memory.tickets"].values())
    assert len(held) == 3
    at = press(at, "forget_yes")
    assert not any(ticket._held for ticket in held)
    assert "memory_progress" not in keys(at)


@pytest.mark.thorough
def test_everybody_s_results_are_remembered_together(short: SimulationRunner) -> None:
    """After every workload and several files, another visitor waits for none of them; nor does this one."""
    presets = [name for name in WORKLOADS if name != OWN]
    asked = set()
    for name in presets:
        workload = jobs.get_workload(name, None)
        assert workload is not None
        asked |= {each for batch in jobs.list_batches(workload).values() for each in batch}
    assert len(asked) <= REMEMBERED
    for name in presets:
        finish(short, name)
    for rows in range(2, 5):
        at = upload(opened(record={"memory": GUESS}, memory=f"{GUESS}.own"), b"40,20\n" * rows)
        finish_all(press(at, "memory_run"), short)
    at = opened(record={"memory": GUESS}, memory=f"{GUESS}.sharegpt.run16")
    for name in presets * 2:
        at = go(at, lang="en", memory=f"{GUESS}.{name}.run16")
        assert "memory_csv_shares" in keys(at), name
        assert "memory_cancel" not in keys(at), name


@every_language
def test_requests_that_are_cut_are_told_in_the_open(language: Language, short: SimulationRunner) -> None:
    """How many of how many: of the file as soon as it is read, and of those that ran in each result."""
    say = get_translations(language)
    long = b"1000,1100\n40,20\n3000,5\n"
    at = upload(opened(language, record={"memory": GUESS}, memory=f"{GUESS}.own"), long)
    assert say.text("memory.file_cut", cut=2, count=3, most=f"{MAX_TOKENS:,}") in texts(at)
    at = finish_all(press(at, "memory_run"), short)
    run = max(session_of(at)["note.memory.tickets"].values(), key=lambda t: len(t.result())).result()[0]
    assert run.cut > 0
    for name in ("shares", "batch", "pool", "block_size", "prompt", "tradeoff"):
        at = go(at, lang=language, memory=f"{GUESS}.own.run16", at_memory=name)
        told = say.text(
            "memory.cut_prefix" if name == "prompt" else "memory.cut", policy="|", cut="|", admitted="|", most="2,048"
        )
        assert told.split("|")[-1] in texts(at), name
        named = say.text("memory.cut_at", policy="|", size="|").split("|")[1]  # which of the runs that differ by it
        assert (named in texts(at)) == (name in ("block_size", "tradeoff")), name
    at = upload(opened(language, record={"memory": GUESS}, memory=f"{GUESS}.own"), DATA)
    assert say.text("memory.file_cut", cut="|", count="|", most="|").split("|")[-1] not in texts(at)


# --- what is said of a file, and what is cut ------------------------------------------------------------------------

BURST = b"Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n"
FAILED = b"185,ChatGPT,1360,0,1360,Conversation log\n"


@every_language
def test_the_columns_and_what_was_left_out_are_told(language: Language) -> None:
    """With the names that the file has; where it has none, which is which."""
    say = get_translations(language)
    at = upload(opened(language, memory="own"), BURST + FAILED * 2)
    assert say.text("memory.file_read", count=1) in texts(at)
    assert say.text("memory.file_skipped", count=2) in texts(at)
    assert say.text("memory.file_columns", prompt="Request tokens", output="Response tokens") in texts(at)
    at = upload(at, DATA)
    assert say.text("memory.file_columns", prompt="prompt_tokens", output="output_tokens") in texts(at)
    assert say.text("memory.file_skipped", count="|").split("|")[0] not in texts(at)
    at = upload(at, b"7;2\n")
    assert say.text("memory.file_no_names") in texts(at)


@every_language
@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\x00", b'prompt_tokens,output_tokens\n1,2\n3,"4\n', gzip.compress(b"1,2\n")[:-3], FAILED],
    ids=["picture", "quote", "cut off", "no names"],
)
def test_what_was_read_before_is_gone_with_a_bad_file(language: Language, data: bytes) -> None:
    """Only the sentence about the new one stands there; nothing can be predicted or run."""
    say = get_translations(language)
    at = upload(opened(language, memory="own"), DATA)
    assert "memory_commit" in keys(at)
    at = upload(at, data)
    with pytest.raises(WorkloadError) as problem:
        read_file(data)
    assert [warning.value for warning in at.warning] == [format_error(problem.value, say)]
    assert say.text("memory.file_read", count=6) not in texts(at)
    assert "memory_commit" not in keys(at)


@pytest.mark.thorough
@every_language
def test_what_ended_early_is_told(language: Language, short: SimulationRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many runs of how many, and how far the shortest came; not where all ran to their end."""
    monkeypatch.setattr(studies, "FILE_BUDGET", 20_000)
    say = get_translations(language)
    at = upload(opened(language, record={"memory": GUESS}, memory=f"{GUESS}.own"), b"30,2\n")
    at = finish_all(press(at, "memory_run"), short)
    held = {len(batch): ticket.result() for batch, ticket in session_of(at)["note.memory.tickets"].items()}
    for section, batch in (("shares", 4), ("block_size", 9), ("prompt", 2)):
        at = go(at, lang=language, memory=f"{GUESS}.own.run16", at_memory=section)
        ended = [run for run in held[batch] if run.steps < run.settings.steps]
        assert ended
        run = min(ended, key=lambda each: each.steps)
        numbers = {"steps": run.steps, "of": run.settings.steps, "admitted": f"{run.admitted:,}"}
        assert say.text("memory.ended_early", ended=len(ended), runs=batch, **numbers) in texts(at)
    at = go(at, lang=language, memory=f"{GUESS}.sharegpt.run16")
    finish(short)
    at = sound(at.run())
    assert say.text("memory.ended_early", ended="|", runs=4, steps="", of="", admitted="").split("|")[0] not in texts(
        at
    )


@every_language
def test_why_fewer_requests_start_with_the_sizes_is_told(language: Language, short: SimulationRunner) -> None:
    """With the numbers of the two runs that are otherwise the same; not beside the policies themselves."""
    finish(short)
    say = get_translations(language)
    here = simulate(next(each for each in build_block_size_study(build_sharegpt(), 40) if each.block_size == 16))
    there = simulate(next(each for each in build_paper_settings(200) if each.policy is ServingPolicy.PAGED))
    values = {"runs": 9, "steps": 40, "more": 200, "size": 16, "admitted": here.admitted, "others": there.admitted}
    told = say.text("memory.fewer_steps", **values)
    for section in ("shares", "block_size"):
        at = opened(language, record={"memory": GUESS}, memory=RAN, at_memory=section)
        assert (told in texts(at)) == (section == "block_size")


@every_language
def test_files_say_where_they_are_from(language: Language) -> None:
    """Workload, policy, block_size and day: in the name, in the table's columns, in the line below the picture."""
    say = get_translations(language)
    policies = tuple(simulate(replace(each, steps=8)) for each in build_paper_settings(8))
    sizes = tuple(simulate(each) for each in build_block_size_study(build_sharegpt(), 8))
    chosen, day = say.text("memory.workload.sharegpt"), "2026-03-01"
    several = Origin("sharegpt", policies, day)
    assert several.build_file_name("shares") == "paged-kv-shares-sharegpt-block16-2026-03-01"
    table = several.add_to_table(draw_shares(policies, say).table, say)
    assert set(table[say.text("memory.column.workload")]) == {chosen}
    assert set(table[say.text("memory.column.day")]) == {day}
    assert set(table[say.text("memory.column.paged_size")]) == {"16"}
    assert list(table[say.text("memory.column.policy")]) == [
        say.text(f"memory.policy.{each}") for each in ServingPolicy
    ]
    one = Origin("sharegpt", policies[:1], day)
    assert one.build_file_name("pool") == "paged-kv-pool-sharegpt-maximum-2026-03-01"
    swept = Origin("sharegpt", sizes, day)
    assert swept.build_file_name("block-size") == "paged-kv-block-size-sharegpt-paged-2026-03-01"
    table = swept.add_to_table(draw_waste(sizes, 16, say).table, say)
    assert list(table["block_size"]) == [run.settings.block_size for run in sizes]
    assert set(table[say.text("memory.column.policy")]) == {say.text("memory.policy.paged")}
    mine = Origin("own", [simulate(replace(build_paper_settings(8)[-1], workload=read_file(DATA).workload))], day)
    assert mine.build_file_name("pool") == f"paged-kv-pool-own-{DIGEST}-paged-block16-2026-03-01"
    for fact in (DIGEST, say.text("memory.policy.paged"), "block_size", "16", day):
        assert fact in mine.format_caption(say)
    plain = draw_shares(policies, say).spec
    with_line = add_caption(plain, several.format_caption(say))["layout"]
    assert with_line["annotations"][-1]["text"] == several.format_caption(say)
    assert with_line["height"] - with_line["margin"]["b"] == plain["layout"]["height"] - plain["layout"]["margin"]["b"]
    assert plain["layout"]["xaxis"]["title"]["text"] == say.text("memory.shares.axis")
