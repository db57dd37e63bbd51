"""Run a wrong idea beside the engine: the same operations on both, and where, how and why the two runs differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from lab.activities.ideas import WAITS, Idea, find_idea
from lab.engine.errors import LabError
from lab.engine.invariants import Finding
from lab.engine.sequence import Sequence
from lab.misconceptions.reading import Read, ReadSlots, build_refusal, collect_read_slots, read
from lab.misconceptions.wrong_timeline import build_timeline_type, reads_wrongly
from lab.trace.config import Config
from lab.trace.events import Refused
from lab.trace.operations import Operation
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline
from lab.trace.tiny_lm import TinyLM


@dataclass(frozen=True)
class Divergence:
    """The first moment at which the two runs differ.

    step    index of the operation.
    event   index of its first event that differs or leads to another state; None: the states are equal, and what
            attention reads after the operation differs.
    real, wrong   the two states there.
    """

    step: int
    event: int | None
    real: Snapshot
    wrong: Snapshot


@dataclass(frozen=True)
class RunComparison:
    """One idea beside the engine. Everything is read from the two runs, at their end unless stated otherwise.

    parts_at   the divergence; None if nothing differs: in this scenario the idea does no harm.
    broken     name -> what disagrees, for each invariant that the wrong run breaks; "kv": attention through a table is
               wrong, see `reads`.
    refusal    the first refusal of the wrong run that the engine does not make, or makes for another reason.
    reads      what each live request of the wrong run reads now, except requests whose last token waits for its KV.
    harm_at    index of the first operation after which something is wrong: a refusal that the engine does not make, an
               invariant broken, KV read in the wrong place. None if there is none.
    """

    idea: Idea
    real_steps: tuple[Step, ...]
    wrong_steps: tuple[Step, ...]
    parts_at: Divergence | None
    broken: dict[str, tuple[Finding, ...]]
    refusal: Refused | None
    reads: tuple[Read, ...]
    harm_at: int | None = None

    @property
    def waits(self) -> bool:
        """Does nothing go wrong except that a request waits while the engine goes on?"""
        return not self.broken and self.refusal is not None and self.refusal.reason in WAITS

    @property
    def harmful(self) -> bool:
        """Did something go wrong, rather than take another way to the same answers?

        For an idea that only finds less or more in the cache, a refusal means only that blocks are used differently.
        """
        refused = self.refusal is not None and not (self.idea.status == "harmless" and self.refusal.reason in _ROOM)
        return bool(self.broken) or refused

    @property
    def missing(self) -> tuple[str, ...]:
        """Requests that the engine has at the end and the wrong run does not."""
        if not self.real_steps or not self.wrong_steps:
            return ()
        there = {view.seq_id for view in self.wrong_steps[-1].after.sequences}
        return tuple(view.seq_id for view in self.real_steps[-1].after.sequences if view.seq_id not in there)


# Refusals of a request that did not fit, or had fitted, and the refusals that follow from these.
_ROOM = frozenset({"no_free_blocks", "not_allocated", "already_allocated", "limit"})


def play(idea_id: str, config: Config, operations: Iterable[Operation], model: TinyLM | None = None) -> RunComparison:
    """Run the operations on the engine and, beside it, on the engine under the wrong idea. Pure.

    Raises UnknownIdeaError, NotRunnableError, and what Timeline.apply raises for the real run.
    """
    idea = find_idea(idea_id)
    real, wrong = Timeline(config, model), build_timeline_type(idea_id)(config, model)
    divergence, refusal, harm_at = None, None, None
    for operation in operations:
        real_step = real.apply(operation)
        if len(wrong.steps) < real_step.index:  # the wrong run has stopped
            continue
        try:
            wrong_step = wrong.apply(operation)
        except LabError as error:  # a limit that only the wrong run meets ends it here
            refusal = refusal or build_refusal(operation.seq_id, error)
            continue
        divergence = divergence or _find_divergence(real_step, wrong_step)
        if divergence is None and reads_wrongly(idea_id) and _reads_elsewhere(real, wrong):
            divergence = Divergence(real_step.index, None, real_step.after, wrong_step.after)
        refusal = refusal or _find_refusal(real_step, wrong_step)
        if harm_at is None and (refusal or _went_wrong(wrong)):
            harm_at = real_step.index
    reads = tuple(read(wrong.cache, seq) for seq in _list_readable(wrong))
    broken = _find_broken(wrong.snapshot(len(wrong.steps)), reads)
    return RunComparison(idea, tuple(real.steps), tuple(wrong.steps), divergence, broken, refusal, reads, harm_at)


def _find_divergence(real: Step, wrong: Step) -> Divergence | None:
    """Where two runs of the same operation, begun in the same state, differ."""
    there, here = zip(real.events, real.snapshots, strict=True), zip(wrong.events, wrong.snapshots, strict=True)
    for i, (one, other) in enumerate(zip_longest(there, here)):
        if one != other:
            last = (real.after, wrong.after)
            return Divergence(real.index, i, one[1] if one else last[0], other[1] if other else last[1])
    return None


def _find_refusal(real: Step, wrong: Step) -> Refused | None:
    theirs, ours = wrong.refusal, real.refusal
    return theirs if theirs and (ours is None or ours.reason != theirs.reason) else None


def _reads_elsewhere(real: Timeline, wrong: Timeline) -> bool:
    """Does attention read other slots of the tensor, although the states are equal?"""
    return collect_read_slots(real.cache, _list_readable(real)) != collect_read_slots(
        wrong.cache, _list_readable(wrong)
    )


def _went_wrong(wrong: Timeline) -> bool:
    """Is an invariant broken now, or KV read in the wrong place? Computes no attention."""
    elsewhere = collect_read_slots(wrong.cache, _list_readable(wrong)).values()
    return bool(_find_broken(wrong.snapshot(len(wrong.steps)), ())) or any(slots != ReadSlots() for slots in elsewhere)


def _list_readable(timeline: Timeline) -> list[Sequence]:
    """The live requests, except those whose last token waits for its KV."""
    waiting = timeline.snapshot(len(timeline.steps)).waiting
    return [seq for seq in timeline.live.values() if seq.seq_id not in waiting]


def _find_broken(state: Snapshot, reads: tuple[Read, ...]) -> dict[str, tuple[Finding, ...]]:
    """What disagrees, except a table in progress: the engine's own table is not complete then either."""
    broken = state.findings()
    if state.tables_in_progress:
        broken.pop("table_length", None)
    wrong = tuple(Finding("kv", (("seq_id", read.seq_id),)) for read in reads if not read.right)
    return broken | ({"kv": wrong} if wrong else {})
