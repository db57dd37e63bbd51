"""The memory picture in words: a sentence and a table with the same content."""

from __future__ import annotations

from lab.engine.words import Words
from lab.figures.memory.marks import (
    Answered,
    Marks,
    describe_answer,
    describe_marks,
    format_answer_of_block,
    format_marks_of_block,
)
from lab.figures.phrases import (
    count,
    describe_queue_changes,
    find_in_between,
    format_ids,
    format_list,
    format_owner,
    is_releasing,
)
from lab.trace.late_imports import pandas as pd
from lab.trace.snapshot import BlockView, Difference, SequenceView, Snapshot

MANY = 4  # above this, pages or blocks are summed up


def describe_memory(
    snapshot: Snapshot, words: Words, change: Difference, marks: Marks, answered: Answered | None = None
) -> str:
    """The marks, the live requests and their blocks, the empty slots, the free blocks, and the changes."""
    parts = [_request(words, view, is_releasing(change, view.seq_id)) for view in snapshot.sequences]
    parts = describe_marks(marks, words, snapshot.block_size) + (parts or [words.text("figures.sentence.no_requests")])
    if answered is not None:
        parts = describe_answer(answered, words) + parts
    free = snapshot.free_block_ids
    parts.append(
        words.text("figures.sentence.queue", free=len(free), total=snapshot.num_blocks, head=free[0])
        if free
        else words.text("figures.sentence.queue_empty", total=snapshot.num_blocks)
    )
    parts += [words.text("figures.sentence.null", block=block) for block in range(snapshot.first_id)]
    shared = [block for block in snapshot.blocks if len(snapshot.owners(block.block_id)) > 1]
    parts += _describe_shared(snapshot, words, shared)
    between = find_in_between(snapshot)
    parts += [words.text("figures.sentence.between", block=block) for block in sorted(between)]
    free_blocks = (block for block in snapshot.blocks if not block.ref_count and block.block_id not in between)
    findable = [block.block_id for block in free_blocks if block.findable]
    if findable:
        parts.append(words.text("figures.sentence.findable", blocks=format_ids(words, findable)))
    changes = _describe_changes(snapshot, words, change)
    if changes:
        parts.append(words.text("figures.sentence.changed", changes=words.text("figures.semicolon").join(changes)))
    return words.text("figures.gap").join(parts)


def _request(words: Words, view: SequenceView, ending: bool) -> str:
    tokens = count(words, "figures.tokens", view.num_tokens)
    if not view.block_table:
        return words.text(f"figures.sentence.{'released' if ending else 'waiting'}", seq=view.seq_id, tokens=tokens)
    one = "one" if len(view.block_table) == 1 else "many"
    unplaced = view.num_tokens - view.used_slots
    text = words.text(
        f"figures.sentence.{'part' if unplaced else 'request'}_{one}",
        seq=view.seq_id,
        used=view.used_slots,
        tokens=tokens,
        blocks=format_ids(words, view.block_table),
        empty=count(words, "figures.empty_slots", view.empty_slots),
    )
    if unplaced:
        key = f"{'let_go' if ending else 'unplaced'}_{'one' if unplaced == 1 else 'many'}"
        tokens = count(words, "figures.tokens", unplaced)
        text += words.text("figures.gap") + words.text(f"figures.sentence.{key}", seq=view.seq_id, tokens=tokens)
    return text


def _describe_shared(snapshot: Snapshot, words: Words, shared: list[BlockView]) -> list[str]:
    """Which requests share which blocks; for many blocks, only the requests, because the table has the pages."""
    sentences: list[str] = []
    by_requests: dict[tuple[tuple[str, ...], int], list[int]] = {}
    for block in shared:
        owners = snapshot.owners(block.block_id)
        pages = format_list(words, (format_owner(*entry) for entry in owners))
        sentences.append(words.text("figures.sentence.shared", block=block.block_id, owners=pages, ref=block.ref_count))
        key = tuple(dict.fromkeys(seq_id for seq_id, _ in owners)), block.ref_count
        by_requests.setdefault(key, []).append(block.block_id)
    if len(shared) <= MANY:
        return sentences
    return [
        words.text(
            "figures.sentence.shared_many",
            blocks=format_ids(words, blocks),
            owners=format_list(words, requests),
            ref=ref,
        )
        for (requests, ref), blocks in by_requests.items()
    ]


def _describe_changes(snapshot: Snapshot, words: Words, change: Difference) -> list[str]:
    text = words.text
    result = []
    for view in snapshot.sequences:
        pages = sorted(page for seq_id, page in change.pages if seq_id == view.seq_id)
        blocks = [view.block_table[page] for page in pages]
        if len(pages) > MANY:  # new pages are the last ones
            first, last = pages[0], pages[-1]
            phrase = text(
                "figures.sentence.new_pages", seq=view.seq_id, first=first, last=last, blocks=format_ids(words, blocks)
            )
            result.append(phrase)
            continue
        for page, block in zip(pages, blocks, strict=True):
            result.append(text("figures.sentence.new_page", seq=view.seq_id, page=page, block=block))
    for seq_id in dict.fromkeys(s for s, _ in sorted(change.tokens)):
        new = sum(1 for s, _ in change.tokens if s == seq_id)
        result.append(text("figures.sentence.new_tokens", seq=seq_id, tokens=count(words, "figures.tokens", new)))
    counts: dict[tuple[int, int], list[int]] = {}
    for block, count_change in change.ref_counts.items():
        counts.setdefault(count_change, []).append(block)
    for (before, after), blocks in counts.items():
        values = {"block": blocks[0], "blocks": format_ids(words, blocks), "before": before, "after": after}
        result.append(text(f"figures.sentence.{'refs' if len(blocks) > 1 else 'ref'}", **values))
    if change.slots:
        result.append(text("figures.sentence.written", slots=count(words, "figures.slots", len(change.slots))))
    result += describe_queue_changes(snapshot, words, change)
    result += [text("figures.sentence.ended", seq=seq_id) for seq_id in change.ended]
    return result


def tabulate_memory(
    snapshot: Snapshot, words: Words, marks: Marks, *, hide_tokens: bool = False, answered: Answered | None = None
) -> pd.DataFrame:
    """A row for each block that is used, was ever written or has a marked slot. `hide_tokens`: without live tokens."""
    names = ("block", "state", "ref", "owners", "tokens", "empty")
    marked = {slot // snapshot.block_size for slot in marks}
    marked |= answered.blocks(snapshot.block_size) if answered else set()
    rows, between = [], find_in_between(snapshot)
    for block in snapshot.blocks:
        if not block.ref_count and not block.written and block.block_id not in marked:
            continue
        owners = snapshot.owners(block.block_id)
        token_ids = [slot[0] for slot in block.slots if slot is not None]
        empty: int | str = ""
        if owners:
            seq_id, page = owners[0]
            view = snapshot.sequence(seq_id)
            held = view.page(page) if view is not None else ()
            empty = snapshot.block_size - len(held)
            token_ids = [] if hide_tokens else list(held)
        rows.append(
            (
                block.block_id,
                words.text(f"figures.table.{_state(block, len(owners), block.block_id in between)}"),
                block.ref_count,
                format_list(words, (format_owner(*entry) for entry in owners)),
                " ".join(words.token(token) for token in token_ids),
                str(empty),
            )
        )
    table = pd.DataFrame(rows, columns=[words.text(f"figures.table.{name}") for name in names])
    if marks:
        table[words.text("slots.marked")] = [
            format_marks_of_block(marks, words, row[0], snapshot.block_size) for row in rows
        ]
    if answered is not None and answered.marks:
        cells = [format_answer_of_block(answered, words, row[0], snapshot.block_size) for row in rows]
        table[words.text("slots.marked")] = cells
    return table


def _state(block: BlockView, owners: int, between: bool) -> str:
    if between:
        return "between"
    if block.ref_count:
        return "shared" if owners > 1 else "used"
    if not block.written:
        return "free_unwritten"
    return "free_findable" if block.findable else "free_stale"
