"""An attempt as a value and as a text: there and back, ordered by prefix, only the canonical text, bounded work."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.activities.attempt import MAX_ANSWERS, MAX_NUMBERS, MAX_TEXT, Answer, Attempt, decode, encode
from lab.activities.question import LEVELS
from lab.engine.errors import InvalidLinkError, LabError, LimitError
from lab.trace.config import MAX_OPERATIONS
from lab.trace.operations import Allocate, Append, CanAppend, Release

ACTIVITIES = ["exact", "taken.2", "task.4.used", "resized.8.0-2-1", "quiz.s.88-17.8.easy.10", "sandbox.2.4.fresh_A.n1"]
NUMBERS = st.lists(st.integers(0, 1023), max_size=6).map(tuple)
ANSWERS = st.builds(Answer, NUMBERS, st.sampled_from([None, *LEVELS]))
OPERATIONS = st.sampled_from([Allocate("A"), Append("B"), CanAppend("A0"), Release("Z9")])
ATTEMPTS = st.builds(
    Attempt,
    st.sampled_from(ACTIVITIES),
    st.lists(ANSWERS, max_size=5).map(tuple),
    st.lists(OPERATIONS, max_size=12).map(tuple),
)
# Few values, so that attempts often continue each other.
CLOSE = [
    Attempt("exact", answers, operations)
    for answers in ((), (Answer((1,)),), (Answer((1,), "sure"),), (Answer((1,), "guess"), Answer(())), (Answer((2,)),))
    for operations in ((), (Append("B"),), (Append("B"), Append("B")))
]


@given(ATTEMPTS)
@example(Attempt("exact", (Answer(()), Answer((0, 1, 2, 0)), Answer((5, 4, 3), "guess")), (Append("B"),) * 200))
def test_an_attempt_survives_the_journey(attempt: Attempt) -> None:
    """Encoded and decoded it is the same attempt, and the text needs no escaping in an address."""
    text = encode(attempt)
    assert decode(text) == attempt
    assert all(c.isalnum() or c in "._~-" for c in text)
    assert text.isascii()


def test_extends_is_a_partial_order() -> None:
    """Reflexive, antisymmetric, transitive; over attempts close enough to each other that it often holds."""
    for a, b in product(CLOSE, repeat=2):
        assert a.extends(a)
        assert not (a.extends(b) and b.extends(a)) or a == b
        for c in CLOSE:
            assert not (a.extends(b) and b.extends(c)) or a.extends(c)
    assert sum(a.extends(b) for a, b in product(CLOSE, repeat=2)) > 3 * len(CLOSE)


@given(ATTEMPTS, st.integers(0, 5), st.integers(0, 12))
def test_what_was_added_extends_and_nothing_else_does(attempt: Attempt, answers: int, operations: int) -> None:
    """Each prefix is extended; not the attempt at another activity, nor one with another answer or operation."""
    prefix = Attempt(attempt.activity, attempt.answers[:answers], attempt.operations[:operations])
    assert attempt.extends(prefix)
    assert prefix.extends(attempt) is (prefix == attempt)
    assert not attempt.extends(Attempt("other", prefix.answers, prefix.operations))
    if prefix.answers:
        other = Answer((*prefix.answers[0].value, 7), prefix.answers[0].sure)
        assert not attempt.extends(Attempt(prefix.activity, (other, *prefix.answers[1:]), prefix.operations))
    if prefix.operations:
        operations_ = (Release("Q"), *prefix.operations[1:])
        assert not attempt.extends(Attempt(prefix.activity, prefix.answers, operations_))


def test_the_text_is_stable() -> None:
    """A link that is sent to a class today must open next year."""
    answers = (Answer((3,), "sure"), Answer((0, 2, 1), "guess"), Answer((28, 29, 30, 5)), Answer((), "think"))
    operations = (Allocate("A"), Append("B"), Append("B"), Release("A"))
    assert encode(Attempt("task.4.used", answers, operations)) == "2.task.4.used_3s.0-2-1g.28~30-5.-t_aA.tB-2.rA"
    assert encode(Attempt("exact")) == "2.exact__"


@pytest.mark.parametrize(
    "text",
    [
        *("", "2", "2.", "2.exact", "2.exact_", "2.__", "2._1_", "1.exact__", "3.exact__", "2.Exact__", "2.<b>__"),
        *("2.exact_1._", "2.exact_.1_", "2.exact_x_", "2.exact_1x_", "2.exact_1ss_", "2.exact_01_", "2.exact_+1_"),
        *("2.exact_s_", "2.exact_1--2_", "2.exact_1~_", "2.exact_2~1_", "2.exact_1~1_", "2.exact_1-2_", "2.exact_--_"),
        *("2.exact_1~2-3_", "2.exact_٣_", "2.exact__aA.", "2.exact__.aA", "2.exact__aA.aA", "2.exact__aA-1"),
        *("2.exact__aA-0", "2.exact__aA-02", "2.exact__x", "2.exact__\n"),
        *("2.exact__aA\n", "2.exact\x00__", "2.exact__ "),
        *(" 2.exact__", "2.exact_10000_", f"2.exact_0~{MAX_NUMBERS}_"),
        f"2.exact_{'.'.join('1' * (MAX_ANSWERS + 1))}_",
    ],
)  # fmt: skip
def test_only_the_canonical_text_is_accepted(text: str) -> None:
    """Any other is refused, and the error does not repeat it."""
    with pytest.raises(InvalidLinkError) as refused:
        decode(text)
    assert not set("<>\x00\u202e") & set(str(refused.value))


@given(st.text("0123456789-~.gts_aAtBrx2", max_size=40))
def test_any_text_is_an_attempt_or_refused(text: str) -> None:
    """Whatever is decoded encodes to the same text."""
    for candidate in (text, f"2.exact_{text}", f"2.exact_{text}_", f"2.exact__{text}", f"2.{text}__"):
        with suppress(LabError):
            assert encode(decode(candidate)) == candidate


def test_a_text_never_asks_for_unbounded_work() -> None:
    """Counts and ranges are not written out before their limit is checked; neither is a long text read."""
    longest = MAX_TEXT - len("2.exact__")
    texts = [
        "2.exact__" + "aA-9999."[: longest - 7] * 200,
        f"2.exact__aA-{MAX_OPERATIONS + 1}",
        "2.exact_" + ".".join(["0~9999"] * 30) + "_",
        "2.exact_" + "-".join(["0~1023"] * 250) + "_",
        "2.exact_" + "0" * 1_000_000 + "_",
        "x" * 1_000_000,
    ]
    start = process_time()
    for text in texts:
        with pytest.raises((InvalidLinkError, LimitError)):
            decode(text)
    assert process_time() - start < 0.1
