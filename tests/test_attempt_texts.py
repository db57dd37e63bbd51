"""What a link holds of an attempt, whichever activity's: there and back, and any other text is read or refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lab.activities import old_links
from lab.activities.attempt import MAX_TEXT, Answer, Attempt, Cursor, encode, encode_cursor, parse_cursor
from lab.activities.intuition.progress import KIND, LAST_SCENE, QUESTIONS, IntuitionView
from lab.activities.question import LEVELS, MAX_NUMBER
from lab.activities.question import QUESTIONS as PREDICTED
from lab.activities.run import Run
from lab.engine.errors import InvalidLinkError, LabError
from lab.quiz.question import DIFFICULTIES, MAX_SEED
from lab.quiz.round import MAX_LENGTH, Round, play_turns
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.link import build_attempt, encode_scenario, read_attempt
from lab.serving.guess import OWN, WORKLOADS, MemoryView, name_activity
from lab.serving.guess import QUESTIONS as GUESSED
from lab.serving.studies import BLOCK_SIZES
from lab.trace.config import MAX_BLOCKS, MAX_OPERATIONS
from lab.trace.operations import Allocate, Append, AppendToken, CanAppend, MayAppend, Operation, Release
from lab.trace.presets import USED_QUEUE, build_fresh_queue, build_task_config
from tests.links import predict
from tests.sample import examples
from tests.sandbox.sandbox_cases import scenarios, spoilt

NAMES = st.sampled_from(["A", "B", "C", "Z", "A0", "B7", "Z9"])
OPERATIONS = st.one_of(
    *(st.builds(kind, NAMES) for kind in (Allocate, Append, AppendToken, CanAppend, MayAppend, Release))
)
QUEUES = st.one_of(
    st.just(USED_QUEUE),
    st.just(build_fresh_queue()),
    st.integers(1, 16).flatmap(lambda n: st.permutations(range(n))).map(tuple),
)
ANSWERS = st.tuples(*(st.integers(0, 1 if q.form == "yes_no" else MAX_NUMBER) for q in PREDICTED))
BEGINNINGS = st.builds(Run.of_task, st.builds(build_task_config, st.integers(1, 16), QUEUES))
RUNS = st.builds(
    Run.at,
    BEGINNINGS
    | st.builds(lambda run, values, sure: predict(run, values, sure=sure), BEGINNINGS, ANSWERS, st.booleans()),
    st.lists(OPERATIONS, max_size=MAX_OPERATIONS).map(tuple),
)
LONGEST = predict(
    Run.of_task(build_task_config(16, tuple(reversed(range(MAX_BLOCKS))))), (999, 999, 1, 1, 999, 999), sure=True
).at((Allocate("Z9"),) * MAX_OPERATIONS)


@st.composite
def visits(draw: st.DrawFn) -> IntuitionView:
    """The first lesson, at any frame that may be open."""
    count = draw(st.integers(0, len(QUESTIONS)))
    options = [draw(st.integers(0, question.largest)) for question in QUESTIONS[:count]]
    attempt = Attempt(KIND, tuple(Answer((option,), draw(st.sampled_from(LEVELS))) for option in options))
    if not options:
        return IntuitionView(attempt)
    return IntuitionView(attempt, draw(st.integers(1, LAST_SCENE[count])), draw(st.integers(1, 99)))


@st.composite
def guesses(draw: st.DrawFn) -> MemoryView:
    """The lesson on memory, with any prediction and anything in view."""
    predicted, workload = draw(st.sampled_from(WORKLOADS)), draw(st.sampled_from(WORKLOADS))
    answers = tuple(Answer((draw(st.integers(0, question.largest)),)) for question in GUESSED)
    attempt = Attempt(name_activity(predicted, "0123abcd" if predicted == OWN else ""), answers)
    return MemoryView(attempt, workload, draw(st.booleans()), draw(st.sampled_from(BLOCK_SIZES)))


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    """A round with right and wrong answers of every form."""
    seeds, length = st.integers(0, MAX_SEED), draw(st.integers(1, MAX_LENGTH))
    seed, kinds_of = draw(seeds), draw(st.none() | seeds)
    level = draw(st.sampled_from(DIFFICULTIES))
    kinds_of = None if kinds_of == seed else kinds_of
    played = Round(seed, draw(st.integers(1, 16)), level, length, kinds_of=kinds_of)
    for _ in range(draw(st.integers(0, length))):
        question = play_turns(played)[-1].question
        values = [question.answer, *(wrong.value for wrong in question.wrong)]
        played = played.answered(draw(st.sampled_from(values)), draw(st.sampled_from([None, *LEVELS])))
    return played


@dataclass(frozen=True)
class Kind:
    """The texts of an activity.

    read    from an attempt and the place in view.
    values  anything that a link can hold.
    write   inverse of `read`.
    whole   texts that can be read; `places`: texts with a `*` where anything may stand.
    """

    key: str
    read: Callable[[Attempt, str], Any]
    values: st.SearchStrategy[Any]
    write: Callable[[Any], tuple[Attempt, str]]
    whole: list[str]
    places: list[str]

    def parse(self, text: str, place: str = "") -> Any:
        """What a link with this text opens. Raises LabError."""
        attempt, seen = old_links.read(text, self.key)
        return self.read(attempt, place or seen)


def see(value: Any) -> tuple[Attempt, str]:
    """The attempt of a view, and its place."""
    return value.attempt, value.place


KINDS = [
    Kind(
        "run",
        lambda attempt, _: Run.read(attempt),
        RUNS,
        lambda run: (run.attempt, ""),
        ["4.used_P3-1-1-0-1-7-110000_aA.aB.tB", "8.fresh__", "1.2-0-1__rB.aA.tZ9", encode(LONGEST.attempt)],
        ["4.*__", "4.used_P*_", "4.used__*", "2.task.*__", "2.task.4.used_*_", "2.exact_*_aA"],
    ),
    Kind(
        "intuition",
        IntuitionView.read,
        visits(),
        see,
        ["11_1.1", "11-20_3.1", "2.intuition_1s.2t.0t_"],
        ["*_1.1", "11_*", "11-*_1.1", "11_1.*", "2.intuition_*_", "2.intuition_1s.*_"],
    ),
    Kind(
        "memory",
        MemoryView.read,
        guesses(),
        see,
        ["code", "sharegpt.paged.90.5to15.alpaca.run16", "2.memory.own-0123abcd_3.90.1_"],
        ["*.paged.90.5to15", "sharegpt.*.5to15", "sharegpt.paged.90.5to15.*", "2.memory.*_3.90.1_"],
    ),
    Kind(
        "quiz",
        lambda attempt, _: Round.read(attempt),
        rounds(),
        lambda played: (played.attempt, ""),
        ["r.17.4.easy.10", "s.17.4.easy.10_3.0", "2.quiz.t.88-17.8.easy.10_3s_"],
        ["r.*.4.easy.10", "s.17.4.easy.10_*", "2.quiz.*_0_", "2.quiz.t.17.4.easy.10_*_"],
    ),
    Kind(
        "sandbox",
        lambda attempt, _: read_attempt(attempt),
        scenarios(),
        lambda scenario: (build_attempt(scenario), ""),
        ["1.16.4.used.task_A.n11_B.sA-8.w5L2g5aW9.t77yB_aA.aB.tB-3.rA", "2.sandbox.3.1.2-0-1__"],
        ["1.16.4.*_", "1.16.4.used_A.*_", "1.16.4.used_A.n1_*", "2.sandbox.*__"],
    ),
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)


@every_kind
@given(st.data())
@settings(max_examples=examples(60))
def test_it_survives_the_journey(kind: Kind, data: st.DataObject) -> None:
    """What a link opens is what was sent, with nothing that an address has to escape."""
    value = data.draw(kind.values)
    if kind.key == "sandbox":
        try:
            encode_scenario(value)
        except LinkTooLongError:
            assume(False)
    attempt, place = kind.write(value)
    text = encode(attempt)
    assert kind.parse(text, place) == value
    assert set(text + place) <= set(ascii_letters + digits + "._~-")
    assert len(text) <= MAX_TEXT


@every_kind
@given(st.text(max_size=60) | st.text("0123456789-~.gts_aAtBrx", max_size=20))
def test_any_text_is_read_or_refused(kind: Kind, text: str) -> None:
    """As a whole and in every place; never another exception."""
    for candidate in (text, *(place.replace("*", text) for place in kind.places)):
        with suppress(LabError):
            kind.parse(candidate)


@every_kind
def test_random_and_spoilt_texts(kind: Kind) -> None:
    """They are read or refused; what is read is written as a text that opens the same."""
    rng, read = random.Random(20260426), 0
    for _ in range(3000):
        try:
            value = kind.parse(spoilt(rng.choice(kind.whole), rng))
        except LabError:
            continue
        read += 1
        attempt, place = kind.write(value)
        assert kind.parse(encode(attempt), place) == value
    assert read > 30  # else the test would cover one branch only


@given(st.lists(OPERATIONS, max_size=MAX_OPERATIONS), st.data())
def test_a_cursor_survives_the_journey(operations: list[Operation], data: st.DataObject) -> None:
    """Every position in a run can be encoded and parsed; a position past its end cannot be parsed."""
    total = len(operations)
    step = data.draw(st.integers(0, total))
    event = data.draw(st.none() | st.integers(1, 60)) if step else None
    assert parse_cursor(encode_cursor(Cursor(step, event)), operations) == Cursor(step, event)
    with pytest.raises(InvalidLinkError):
        parse_cursor(encode_cursor(Cursor(total + 1, event)), operations)
