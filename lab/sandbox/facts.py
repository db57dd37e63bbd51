"""The numbers in a prepared scenario's texts, each read from the scenario's own run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from lab.engine.words import format_share
from lab.sandbox.library import LIBRARY, Prepared, Prompt, resize_prepared
from lab.sandbox.scenario import Scenario
from lab.trace.config import Engine
from lab.trace.events import (
    AllocateChecked,
    AppendChecked,
    BlockFreed,
    BlockShared,
    BlockTaken,
    HashForgotten,
    KVWritten,
    ReferenceDropped,
    Refused,
)
from lab.trace.snapshot import SequenceView, Snapshot
from lab.trace.timeline import Step, Timeline

Facts = dict[str, int | str | tuple[object, ...]]  # a tuple keeps its order; each language joins it with its own comma


def run(key: str, engine: Engine = "nano_vllm") -> Timeline:
    """The library's scenario of that id, run to its end. Shared: do not change it. KeyError for an unknown id."""
    return run_scenario(LIBRARY[key].scenario, engine)


@lru_cache(maxsize=2 * len(LIBRARY))
def run_scenario(scenario: Scenario, engine: Engine = "nano_vllm") -> Timeline:
    """A scenario, run to its end. Shared: do not change it. Raises LimitError."""
    return Timeline.replay(scenario.config.run_by(engine), scenario.operations)


def collect_settings(prepared: Prepared) -> Facts:
    """The values for a title: `block_size`, `num_blocks`, `sizes`."""
    scenario = prepared.scenario
    return {
        "block_size": scenario.block_size,
        "num_blocks": scenario.num_blocks,
        "sizes": prepared.sizes,
    }


def collect_values(prompt: Prompt) -> Facts:
    """The values for the library's question and point of a key step, by name. Pure. Ids are tuples, in order.

    The state after the step, and the state before it with `was_` before the names: `free`, `used` (blocks), `queue`,
    `head`. Each request that has arrived, as it was last live, by its name in lower case: `a_tokens`, `a_table`,
    `a_blocks`, `a_slots`, `a_last` (tokens of the last page), `a_empty` (slots), `a_cached` (tokens found by allocate).

    The step: `taken`, `shared`, `revived` (shared, and free before), `returned`, `forgotten` (hashes), `kept` (dropped,
    and still used): ids; `taken_count`, ...: how many; `ref`: ref_counts of the shared or kept blocks, in that order;
    `written` (tokens whose KV was computed); `wants` (blocks) and `answer` of a check; the numbers of a refusal
    (`needed` and `free_then` blocks). `difference`: after the step, the largest difference between attention through
    block_table and over contiguous KV.

    If another engine runs beside, its values have the same names with `vllm_` before them: `vllm_queue`,
    `vllm_was_queue`, `vllm_taken`. If the scenario has sizes, at its end: `sizes`, `blocks_by_size`, `slots_by_size`,
    `empty_by_size` (slots), `percent_by_size` (empty slots among those held), and `tokens` of all requests.
    """
    timeline = run(prompt.prepared.id)
    values = collect_settings(prompt.prepared) | _collect_by_run(timeline, prompt.step)
    if prompt.prepared.beside:
        other = _collect_by_run(run(prompt.prepared.id, prompt.prepared.beside), prompt.step)
        values |= {f"vllm_{name}": value for name, value in other.items()}
    proofs = timeline.proofs(prompt.step)
    values["difference"] = f"{max((proof.difference for proof in proofs), default=0.0):g}"
    return values | (_collect_by_size(prompt.prepared) if prompt.prepared.sizes else {})


def _collect_by_run(timeline: Timeline, number: int) -> Facts:
    """The states around one operation, counted from 1, and what it did."""
    step = timeline.steps[number - 1]
    before = _state(timeline.steps[: number - 1], step.before)
    values: Facts = {f"was_{name}": value for name, value in before.items()}
    return values | _state(timeline.steps[:number], step.after) | _step(step)


def _state(steps: Iterable[Step], after: Snapshot) -> Facts:
    """The pool, and every request as it was last live between two operations."""
    views = {view.seq_id: view for step in steps for state in (step.before, step.after) for view in state.sequences}
    queue = after.free_block_ids
    values: Facts = {
        "free": len(queue),
        "used": len(after.used_block_ids),
        "queue": queue,
        "head": queue[0] if queue else "",
    }
    for name, view in views.items():
        values |= {f"{name.lower()}_{what}": value for what, value in _describe_request(view).items()}
    return values


def _describe_request(view: SequenceView) -> Facts:
    return {
        "tokens": view.num_tokens,
        "table": view.block_table,
        "blocks": len(view.block_table),
        "slots": view.num_slots,
        "last": view.last_block_num_tokens,
        "empty": view.empty_slots,
        "cached": view.num_cached_tokens,
    }


def _step(step: Step) -> Facts:
    """What one operation did, from its events."""
    ids: dict[str, list[int]] = {name: [] for name in ("taken", "shared", "revived", "returned", "forgotten", "kept")}
    refs: list[int] = []
    values: Facts = {"written": 0}
    for event in step.events:
        match event:
            case BlockTaken(block_id=block_id):
                ids["taken"].append(block_id)
            case BlockShared(block_id=block_id, ref_after=ref, was_free=was_free):
                ids["shared"].append(block_id)
                refs.append(ref)
                if was_free:
                    ids["revived"].append(block_id)
            case BlockFreed(block_id=block_id):
                ids["returned"].append(block_id)
            case HashForgotten(block_id=block_id):
                ids["forgotten"].append(block_id)
            case ReferenceDropped(block_id=block_id, ref_after=ref) if ref:
                ids["kept"].append(block_id)
                refs.append(ref)
            case KVWritten(positions=positions):
                values["written"] = len(positions)
            case AllocateChecked(needs=needs, answer=answer) | AppendChecked(needs=needs, answer=answer):
                values |= {"wants": needs, "answer": str(answer)}
            case Refused(numbers=numbers):
                values |= {("free_then" if name == "free" else name): value for name, value in numbers}
            case _:
                pass
    counts = {f"{name}_count": len(blocks) for name, blocks in ids.items()}
    return values | {name: tuple(blocks) for name, blocks in ids.items()} | counts | {"ref": tuple(refs)}


def _collect_by_size(prepared: Prepared) -> Facts:
    """The requests of the whole log at each size, added up, in the order of `sizes`."""
    rows: dict[str, list[object]] = {"blocks": [], "slots": [], "empty": [], "percent": []}
    tokens = 0
    for size in prepared.sizes:
        scenario = resize_prepared(prepared, size)
        views = Timeline.replay(scenario.config, scenario.operations).snapshot(len(scenario.operations)).sequences
        slots, empty = sum(view.num_slots for view in views), sum(view.empty_slots for view in views)
        tokens = sum(view.num_tokens for view in views)
        rows["blocks"].append(sum(len(view.block_table) for view in views))
        rows["slots"].append(slots)
        rows["empty"].append(empty)
        rows["percent"].append(f"{format_share(empty, slots)}%")
    values: Facts = {f"{name}_by_size": tuple(row) for name, row in rows.items()}
    return values | {"tokens": tokens}
