"""A Timeline under a wrong idea: one part of the engine is replaced, on a tensor of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import cast

from lab.activities.ideas import NothingToTakeError, NotRunnableError, StuckError, find_idea
from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence
from lab.misconceptions import wrong_engine as engine
from lab.misconceptions import wrong_readers as readers
from lab.trace.kv_cache import KVCache
from lab.trace.recorder import RecordingBlockManager
from lab.trace.snapshot import SequenceView, Snapshot
from lab.trace.timeline import Timeline

Replaced = type[Sequence] | type[BlockManager] | type[KVCache]

# The class that replaces a part of the engine, by idea.
REPLACED: dict[str, Replaced] = {
    "floor_for_ceil": engine.FloorForCeil,
    "used_as_empty": readers.UsedAsEmpty,
    "whole_page_empty": engine.WholePageEmpty,
    "ids_consecutive": engine.IdsConsecutive,
    "id_is_index": engine.IdIsIndex,
    "full_page_reused": engine.FullPageReused,
    "check_allocates": engine.CheckAllocates,
    "check_before_append": engine.CheckBeforeAppend,
    "act_without_block": engine.ActWithoutBlock,
    "released_at_first": engine.ReleasedAtFirst,
    "partial_shared": engine.PartialShared,
    "identical_computes_nothing": engine.IdenticalComputesNothing,
    "release_erases": engine.ReleaseErases,
    "stale_hash": engine.StaleHash,
    "unchained_hash": engine.UnchainedHash,
    "tail_not_trimmed": readers.TailNotTrimmed,
    "pages_sorted": readers.PagesSorted,
}


@cache
def build_timeline_type(idea_id: str) -> type[Timeline]:
    """The Timeline class under that idea. Raises UnknownIdeaError, NotRunnableError."""
    replaced = REPLACED.get(find_idea(idea_id).id)
    if replaced is None:
        raise NotRunnableError(idea=idea_id)
    parts: dict[str, type] = {"manager_type": _record_manager(BlockManager)}
    if issubclass(replaced, BlockManager):
        parts["manager_type"] = _record_manager(replaced)
    elif issubclass(replaced, KVCache):
        parts["cache_type"] = replaced
    else:
        parts["sequence_type"] = replaced
    return cast(type[Timeline], type(f"{replaced.__name__}Timeline", (_WrongTimeline,), parts))


def reads_wrongly(idea_id: str) -> bool:
    """Does the idea leave the manager right and change only what attention reads?"""
    return issubclass(REPLACED.get(idea_id, object), KVCache)


class _WrongTimeline(Timeline):
    """Measures pages with the engine's own count, so that the idea does not judge the state that it led to."""

    def _snapshot(self, previous: Snapshot | None) -> Snapshot:
        snapshot = super()._snapshot(previous)
        views = tuple(map(_measure_view, snapshot.sequences))
        return snapshot if views == snapshot.sequences else replace(snapshot, sequences=views)


def _measure_view(view: SequenceView) -> SequenceView:
    plain = Sequence(view.seq_id, view.token_ids, view.block_size)
    return replace(view, num_blocks=plain.num_blocks, last_block_num_tokens=plain.last_block_num_tokens)


def _record_manager(manager: type[BlockManager]) -> type[RecordingBlockManager]:
    """That manager class with events; an exception inside it becomes a refusal."""
    bases = (_Caught,) if manager is BlockManager else (_Caught, manager)  # the recorder first, then the wrong class
    return cast(type[RecordingBlockManager], type(f"Recording{manager.__name__}", bases, {}))


@contextmanager
def _catch_contradiction() -> Iterator[None]:
    """Raise StuckError for the exceptions that a contradictory state causes: an empty queue, a missing id."""
    try:
        yield
    except StopIteration as error:
        raise NothingToTakeError(error=type(error).__name__) from error
    except LookupError as error:
        raise StuckError(error=type(error).__name__) from error


class _Caught(RecordingBlockManager):
    """The recorder, with every call from outside inside _catch_contradiction."""

    def can_allocate(self, seq: Sequence) -> bool:
        with _catch_contradiction():
            return super().can_allocate(seq)

    def allocate(self, seq: Sequence) -> None:
        with _catch_contradiction():
            super().allocate(seq)

    def hash_blocks(self, seq: Sequence) -> None:
        with _catch_contradiction():
            super().hash_blocks(seq)

    def can_append(self, seq: Sequence) -> bool:
        with _catch_contradiction():
            return super().can_append(seq)

    def may_append(self, seq: Sequence) -> int | None:
        with _catch_contradiction():
            return super().may_append(seq)

    def deallocate(self, seq: Sequence) -> None:
        with _catch_contradiction():
            super().deallocate(seq)
