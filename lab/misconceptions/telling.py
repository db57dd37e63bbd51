"""The moment at which a wrong idea's run shows most, and whose tokens its attention reads there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from lab.misconceptions.play import RunComparison, play
from lab.misconceptions.reading import Misread, Read, WordSource, list_prefixes
from lab.trace.config import Config
from lab.trace.events import KVWritten
from lab.trace.operations import Operation, Release
from lab.trace.timeline import Step
from lab.trace.tiny_lm import TinyLM

MOST_MOMENTS = 6


@dataclass(frozen=True)
class WhatIf:
    """A comparison, and the number of operations after which it was made."""

    comparison: RunComparison
    operations: int


@dataclass(frozen=True)
class Span:
    """Neighbouring positions at which attention read the wrong KV.

    owner      the request whose tokens' KV is there; None: never written.
    token_ids  those tokens, in the order in which they are read; empty without an owner.
    from_positions  the positions of those tokens in their own request.
    behind     are the positions after the reader's last token?
    """

    owner: str | None
    positions: tuple[int, ...]
    token_ids: tuple[int, ...]
    from_positions: tuple[int, ...]
    behind: bool


def play_what_if(idea_id: str, config: Config, operations: Iterable[Operation], model: TinyLM | None = None) -> WhatIf:
    """Run the idea beside the engine and compare where it shows most, because a release removes traces.

    Compares at the end, and right before each of the last MOST_MOMENTS releases after the divergence. Returns the
    comparison with harm, most outputs wrong or missing, most invariants broken, most outputs to look at; of equal ones
    the latest. Pure. Raises what play raises.
    """
    return _play_what_if(idea_id, config, tuple(operations), model)


@lru_cache(maxsize=32)
def _play_what_if(idea_id: str, config: Config, done: tuple[Operation, ...], model: TinyLM | None) -> WhatIf:
    candidates = [WhatIf(play(idea_id, config, done, model), len(done))]
    divergence = candidates[0].comparison.parts_at
    if divergence is not None:
        ends = [i for i in range(divergence.step + 1, len(done)) if isinstance(done[i], Release)][-MOST_MOMENTS:]
        candidates += [WhatIf(play(idea_id, config, done[:end], model), end) for end in ends]
    return max(candidates, key=_weigh)


def _weigh(what_if: WhatIf) -> tuple[bool, int, int, int, int]:
    run = what_if.comparison
    wrong = sum(not read.right for read in run.reads) + len(run.missing)
    return run.harmful, wrong, len(run.broken), len(run.reads), what_if.operations


def find_spans(comparison: RunComparison, read: Read) -> tuple[Span, ...]:
    """What this request's attention reads in the wrong place; neighbours of the same kind are joined. Pure."""
    length = len(read.errors)

    def kind(misread: Misread) -> tuple[str | None, bool]:
        return find_owner(comparison.wrong_steps, read.seq_id, misread), misread.position >= length

    runs: list[tuple[tuple[str | None, bool], list[Misread]]] = []
    for key, group in groupby(read.misreads, key=kind):
        for misread in group:
            if runs and runs[-1][0] == key and runs[-1][1][-1].position + 1 == misread.position:
                runs[-1][1].append(misread)
            else:
                runs.append((key, [misread]))
    return tuple(
        Span(
            owner,
            tuple(m.position for m in group),
            tuple(m.token_id for m in group if m.token_id is not None),
            tuple(m.token_position for m in group if m.token_position is not None),
            behind,
        )
        for (owner, behind), group in runs
    )


def find_owner(steps: tuple[Step, ...], reader: str, content: Misread | WordSource) -> str | None:
    """Whose KV is in this slot: the reader's, if it was computed after the reader's own tokens; else the last writer's.

    None if the slot was never written.
    """
    view = steps[-1].after.sequence(reader)
    if content.prefix is None:
        return None
    if view and content.prefix in list_prefixes(view.token_ids):
        return reader
    events = (event for step in reversed(steps) for event in reversed(step.events))
    return next(event.seq_id for event in events if isinstance(event, KVWritten) and content.slot in event.slots)
