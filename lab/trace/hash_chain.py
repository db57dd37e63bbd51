"""The pages of requests as a chain of hashes, and which blocks can be found by them now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.trace.snapshot import Snapshot

Blocks = tuple[int, ...]  # ids
Owners = tuple[tuple[str, int], ...]  # (request, page)


@dataclass(frozen=True)
class ChainLink:
    """One page of a request.

    before   hash that the page's own hash is chained to; None for page 0, and if no hash is known.
    hash     None for a page that is not full, and for a request that has not arrived.
    state    "found" or "took": how the live request got its block. After its end: "held" by another request, "free" if
             its block still is as it left it, "free_of" if another request wrote the hash anew and ended too, or "gone"
             if no block can be found by this hash. Else "".
    blocks   its block, while the request is live; else every block that can be found by its hash.
    holders  of an ended request: the pages of other requests that hold such a block, or held it last.
    """

    seq_id: str
    page: int
    tokens: tuple[int, ...]
    before: int | None
    hash: int | None
    state: str
    blocks: Blocks
    holders: Owners = ()


def build_chain(prompts: Mapping[str, Sequence[int]], states: Sequence[Snapshot]) -> tuple[ChainLink, ...]:
    """The pages of these requests in the last of `states`; an ended request keeps the hashes that it had. Pure.

    Raises IndexError without a state.
    """
    now = states[-1]
    links: list[ChainLink] = []
    for name, prompt in prompts.items():
        last = next((view for state in reversed(states) if (view := state.sequence(name))), None)
        tokens = last.token_ids if last else tuple(prompt)
        size = now.block_size
        for page in range((len(tokens) + size - 1) // size):
            hashes = last.hashes if last else ()
            own = hashes[page] if page < len(hashes) else None
            before = hashes[page - 1] if page and own is not None else None
            held = tokens[page * size : (page + 1) * size]
            links.append(ChainLink(name, page, held, before, own, *_find_blocks(states, name, page, own)))
    return tuple(links)


def _find_blocks(states: Sequence[Snapshot], name: str, page: int, own: int | None) -> tuple[str, Blocks, Owners]:
    """The state, the blocks and the holders of a link."""
    now = states[-1]
    if view := now.sequence(name):
        if page >= len(view.block_table):
            return "", (), ()
        cached = (page + 1) * view.block_size <= view.num_cached_tokens
        return ("found" if cached else "took"), (view.block_table[page],), ()
    if own is None:
        return "", (), ()
    found = [block for block in now.blocks if block.hash == own]
    blocks = tuple(block.block_id for block in found)
    if not blocks:
        return "gone", (), ()
    held = tuple(block.block_id for block in found if block.ref_count)
    kept = tuple(block_id for block_id in blocks if _is_kept(states, name, page, block_id))
    if kept and not held:
        return "free", kept, ()
    holders = dict.fromkeys(owner for block_id in held or blocks for owner in _find_last_owners(states, block_id))
    return ("held" if held else "free_of"), held or blocks, tuple(holders)


def _is_kept(states: Sequence[Snapshot], name: str, page: int, block_id: int) -> bool:
    """Did the ended request hold this block for this page, and has its hash stayed the same since?"""
    own = states[-1].blocks[block_id].hash
    for state in reversed(states):
        if (name, page) in state.owners(block_id):
            return True
        if state.blocks[block_id].hash != own:
            return False
    return False


def _find_last_owners(states: Sequence[Snapshot], block_id: int) -> Owners:
    """The pages that hold the block, or held it last."""
    return next((owners for state in reversed(states) if (owners := state.owners(block_id))), ())
