"""Scenarios for the sandbox's tests: strategies for Hypothesis, and random damage to a text."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import get_args

from hypothesis import strategies as st

from lab.sandbox.errors import LogGroupsError
from lab.sandbox.log import KINDS, Group, LogStep, check_groups, list_steps
from lab.sandbox.queue import Queue
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.sandbox.script import AuthorPrompt, BilingualText, Script, list_kinds
from lab.sandbox.tokens import tokenize
from lab.trace.operations import Operation

NAMES = ("A", "B", "C", "Z9", "A1")
PIECES = [*"0123456789ABZansrtkcmwx._-~ ", "used", "fresh", "__", "aA", ".s", ".n", ".w", ".t", "-2", "9" * 30, ""]
PIECES += ["_x.", "_q1.", ".teu", ".azw", ".ktable", ".c"]
PIECES += ["\x00", "\n", "\u202e", "<b>", "%00", "+", "/", "=", "٣", "４", "²", "½", "é", "汉", "🙂", "\ud800", "{"]
TYPED = [
    "",
    "你好，世界",
    "Hello to the world!",
    "it’s",
    "👩‍👩‍👧 🇨🇳🇫🇷",
    "e\u0301a\u0301",
    "a\u202eb",
    "<b>x</b>",
    "$x$ *y*",
]

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(TYPED)


said = st.builds(BilingualText, texts, texts)
CALLED = ("", "system", "Alice", "小明")


@st.composite
def groups(draw: st.DrawFn, operations: tuple[Operation, ...]) -> tuple[Group, ...]:
    """Some operations as one step, as far as they can be."""
    found: list[Group] = []
    for kind in draw(st.lists(st.sampled_from(KINDS), max_size=3)):
        first, count = found[-1].last + 1 if found else draw(st.integers(1, 3)), draw(st.integers(1, 3))
        more = (*found, Group(kind, first, count, draw(st.integers(1, 999))))
        with suppress(LogGroupsError):
            check_groups(more, operations)
            found = list(more)
    return tuple(found)


@st.composite
def scripts(draw: st.DrawFn, log: tuple[LogStep, ...]) -> Script:
    """Any words of an author that fit the steps."""
    steps = draw(st.lists(st.sampled_from(log), unique=True, max_size=3)) if log else []
    prompts = [
        AuthorPrompt(step.last, draw(st.sampled_from(("", *list_kinds(step)))), draw(said), draw(said), draw(said))
        for step in steps
    ]
    return Script(draw(said), draw(said), tuple(prompts))


@st.composite
def scenarios(draw: st.DrawFn, most_operations: int = 12) -> Scenario:
    """Any valid scenario: beginnings shared with earlier requests, typed text, typed queues."""
    blocks = draw(st.integers(1, 64))
    fresh, typed = draw(st.booleans()), draw(st.booleans())
    queue: Queue = tuple(draw(st.permutations(range(blocks)))) if typed else "fresh" if fresh else "used"
    requests: list[RequestSpec] = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=4)):
        same = draw(st.integers(0, 20)) if requests else 0
        text = draw(texts)
        own = text if bool(tokenize(text)) and draw(st.booleans()) else draw(st.integers(0 if same else 1, 20))
        other = draw(st.sampled_from(requests)).seq_id if same else ""
        taken = {spec.called for spec in requests} - {""}
        called = draw(st.sampled_from([each for each in CALLED if each not in taken]))
        requests.append(RequestSpec(name, own, other, same, draw(texts), called))
    names = [request.seq_id for request in requests]
    named = st.sampled_from(names or [""])
    kinds = st.builds(lambda kind, name: kind(name), st.sampled_from(get_args(Operation)), named)
    operations = tuple(draw(st.lists(kinds, max_size=most_operations))) if names else ()
    together = draw(groups(operations))
    return Scenario(
        blocks,
        draw(st.integers(1, 16)),
        queue,
        tuple(requests),
        operations,
        draw(st.sampled_from(["", "task", "unknown"])),
        draw(scripts(list_steps(operations, together))),
        together,
    )


@st.composite
def states(draw: st.DrawFn) -> State:
    """Any scenario at any position."""
    scenario = draw(scenarios())
    return State(scenario, draw(st.integers(0, len(scenario.operations))))


def spoilt(text: str, rng: random.Random) -> str:
    """Up to four random changes: insert, remove, replace, double or swap."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        middle = rng.choice((rng.choice(PIECES), "", text[i:j] * 2, text[i:j][::-1], text[i:j] + rng.choice(PIECES)))
        text = text[:i] + middle + text[j:] if rng.random() < 0.5 else text[:i] + rng.choice(PIECES) + text[i + 1 :]
    return text


def crowded() -> str:
    """The slowest link to parse: as many requests as fit, each with as many tokens as allowed."""
    names = [f"{letter}{digit}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for digit in "0123456789"]
    return "_".join(["1.64.16.used_A.n128", *(f"{name}.sA-128" for name in names[:170]), ""])
