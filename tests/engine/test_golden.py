"""180 random histories recorded from nano-vLLM's own BlockManager (commit bb823b3) replay exactly."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lab.engine.block_manager import BlockManager
from lab.engine.errors import NoFreeBlocksError
from lab.engine.sequence import Sequence

PATH = Path(__file__).parent.parent / "data" / "block_manager_traces.jsonl"
TRACES: list[dict[str, Any]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def allocate(manager: BlockManager, seq: Sequence) -> bool:
    """Admit a request as the scheduler does. A refusal must come from both can_allocate and allocate."""
    admitted = manager.can_allocate(seq)
    if admitted:
        manager.allocate(seq)
        manager.hash_blocks(seq)
    else:
        with pytest.raises(NoFreeBlocksError):
            manager.allocate(seq)
    return admitted


def append(manager: BlockManager, seq: Sequence, token_id: int) -> bool:
    """One decoded token. A refusal must come from both can_append and may_append; the token is not kept."""
    seq.append_token(token_id)
    possible = manager.can_append(seq)
    if possible:
        manager.may_append(seq)
        manager.hash_blocks(seq)
    else:
        with pytest.raises(NoFreeBlocksError):
            manager.may_append(seq)
        seq.withdraw_token()
    return possible


def replay_exactly(manager: BlockManager, trace: dict[str, Any], history: int) -> None:
    """Replay a trace. After each step, tables, queue order, ref counts, cached tokens and refusals must agree."""
    live: dict[str, Sequence] = {}
    for number, step in enumerate(trace["steps"]):
        name = step["seq_id"]
        where = f"history {history}, step {number}: {step['op']} {name}"
        ok = True
        if step["op"] == "allocate":
            seq = Sequence(name, step["token_ids"], trace["block_size"])
            ok = allocate(manager, seq)
            if ok:
                live[name] = seq
                assert seq.num_cached_tokens == step["num_cached_tokens"], where
            assert seq.block_table == step.get("block_table", []), where
        elif step["op"] == "append":
            seq = live[name]
            ok = append(manager, seq, step["token_id"])
            assert seq.block_table == step["block_table"], where
        else:
            manager.deallocate(live.pop(name))
        assert ok is step["ok"], where
        assert list(manager.free_block_ids) == step["free_block_ids"], where
        counts = {str(block.block_id): block.ref_count for block in manager.blocks if block.ref_count}
        assert counts == step["ref_counts"], where
        manager.check(live.values())


def test_recorded_histories_replay_exactly() -> None:
    """Every step of every history leaves the recorded state."""
    for number, trace in enumerate(TRACES):
        replay_exactly(BlockManager(trace["num_blocks"], trace["block_size"], trace["free_block_ids"]), trace, number)


def test_the_recording_is_whole_and_has_every_kind_of_step() -> None:
    """A truncated or trivial file would make the replay pass too easily."""
    steps = [step for trace in TRACES for step in trace["steps"]]
    assert len(TRACES) == 180
    assert Counter((step["op"], step["ok"]) for step in steps) == {
        ("allocate", True): 1933,
        ("allocate", False): 649,
        ("append", True): 1703,
        ("append", False): 126,
        ("free", True): 1274,
    }
    assert any(step.get("num_cached_tokens", 0) > 0 for step in steps)
    assert any(count > 1 for step in steps for count in step["ref_counts"].values())
