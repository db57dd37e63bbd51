"""Small phrases that several pictures share."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from lab.engine.words import Words, format_share
from lab.trace.snapshot import Difference, SequenceView, Snapshot


def count(words: Words, key: str, number: int) -> str:
    """A counted noun: the string `key`.one or `key`.many with its number."""
    return words.text(f"{key}.{'one' if number == 1 else 'many'}", n=number)


def format_list(words: Words, items: Iterable[object]) -> str:
    """A list with the language's comma."""
    return words.text("figures.comma").join(str(item) for item in items)


def format_ids(words: Words, ids: Iterable[int]) -> str:
    """Ids in order, with the language's comma; four or more consecutive ids become a range: `3, 0–7, 12`."""
    runs: list[list[int]] = []
    for number in ids:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return format_list(words, (text for run in runs for text in ([f"{run[0]}–{run[-1]}"] if len(run) > 3 else run)))


def format_owner(seq_id: str, page: int) -> str:
    """Short name of a logical page: A0 is page 0 of request A (A1·0 of request A1)."""
    return f"{seq_id}{page}" if len(seq_id) == 1 else f"{seq_id}·{page}"


def locate_token(
    snapshot: Snapshot, seq_id: str, position: int, words: Words
) -> tuple[SequenceView, dict[str, object]]:
    """The request, and the template values for the place of one of its tokens. Raises ValueError if it has no slot."""
    view = snapshot.sequence(seq_id)
    if view is None or not 0 <= position < view.used_slots:
        raise ValueError(f"{seq_id} has no token with a slot at position {position}")
    page, offset = divmod(position, view.block_size)
    return view, {
        "seq": seq_id,
        "token": words.token(view.token_ids[position]),
        "page": page,
        "offset": offset,
        "block": view.block_table[page],
        "size": view.block_size,
        "slot": view.slots[position],
        "owner": format_owner(seq_id, page),
    }


def format_percent(part: int, whole: int) -> str:
    """A share in percent; a dash if the whole is 0."""
    return f"{format_share(part, whole)}%" if whole else "–"


def find_revived(snapshot: Snapshot, change: Difference) -> frozenset[int]:
    """Blocks that left the free queue because their content was found, not as its head."""
    shared = set()
    for seq_id, page in change.pages:
        view = snapshot.sequence(seq_id)
        if view is not None and (page + 1) * view.block_size <= view.num_cached_tokens:
            shared.add(view.block_table[page])
    return frozenset(shared & set(change.taken))


def describe_queue_changes(snapshot: Snapshot, words: Words, change: Difference, most: int = 64) -> list[str]:
    """What left the free queue, from its head or found by content, what joined it; `most` limits each list."""
    revived = find_revived(snapshot, change)
    groups = (
        ("taken", [b for b in change.taken if b not in revived]),
        ("revived", [b for b in change.taken if b in revived]),
        ("returned_first", list(first := find_returned_first(snapshot, change))),
        ("returned", [b for b in change.returned if b not in first]),
    )
    parts = []
    for key, blocks in groups:
        ids = format_list(words, blocks[:most]) + (f" … ({len(blocks)})" if len(blocks) > most else "")
        if blocks:
            parts.append(words.text(f"figures.memory.{key}", blocks=ids))
    return parts


def find_returned_first(snapshot: Snapshot, change: Difference) -> tuple[int, ...]:
    """Blocks that joined the free queue before those that were there, as vLLM's may. Empty if none was there."""
    first = tuple(takewhile(set(change.returned).__contains__, snapshot.free_block_ids))
    return first if len(first) < len(snapshot.free_block_ids) else ()


def find_in_between(snapshot: Snapshot) -> frozenset[int]:
    """Blocks inside deallocate with ref_count 0 that have not joined the free queue yet."""
    out = {*snapshot.free_block_ids, *range(snapshot.first_id)}
    return frozenset(b.block_id for b in snapshot.blocks if not b.ref_count and b.block_id not in out)


def is_releasing(change: Difference, seq_id: str) -> bool:
    """Is this request inside deallocate, with some of its last pages dropped already?"""
    dropped = bool(change.returned) or any(after < before for before, after in change.ref_counts.values())
    return dropped and all(s != seq_id for s, _ in change.tokens)
