"""What one operation changed, as a short phrase for a list. Read from the step's events."""

from __future__ import annotations

from lab.figures.phrases import count
from lab.trace.events import (
    AppendChecked,
    BlockFreed,
    BlockHashed,
    BlockShared,
    BlockTaken,
    Event,
    HashForgotten,
    KVWritten,
    PageHasRoom,
    ReferenceDropped,
    RequestArrived,
    TokenAppended,
)
from lab.trace.operations import Allocate
from lab.trace.timeline import Step
from lessons.text.sentences import format_event, format_list
from lessons.text.translations import Translations

# Blocks with the same change share one phrase, in this order. Some phrases are the memory picture's.
_PHRASES = {
    "shares": "player.change.shares",
    "revived": "figures.memory.revived",
    "taken": "figures.memory.taken",
    "forgotten": "player.change.forgotten",
    "hashed": "player.change.hashed",
    "still_used": "player.change.still_used",
    "returned_first": "figures.memory.returned_first",
    "returned": "figures.memory.returned",
}


def describe_change(step: Step, words: Translations) -> str:
    """What the step changed, why the engine refused it, or the answer of a check. Pure.

    Left out is what every allocation does: the prompt's KV is written, and full blocks can be found.
    """
    if step.refusal:
        return format_event(step.refusal, words)
    blocks = _describe_blocks(step, words)
    if sum(isinstance(event, KVWritten) for event in step.events) > 1:  # several operations that are one step
        return words.text("figures.semicolon").join(blocks or [words.text("sandbox.did_no_block")])
    phrases = [text for event in step.events if (text := _describe_single(event, step, words))]
    return words.text("figures.semicolon").join([*phrases, *blocks])


def _describe_single(event: Event, step: Step, words: Translations) -> str:
    """The phrase of an event that is not about blocks; empty for any other event."""
    written = any(isinstance(each, KVWritten) for each in step.events)
    match event:
        case RequestArrived():
            return count(words, "figures.tokens", event.num_tokens)
        case TokenAppended() if not written:
            values = {"before": event.len_before, "after": event.len_after, "token": words.token(event.token_id)}
            return words.text("player.change.waits", **values)
        case AppendChecked() if len(step.events) == 1:
            values = {"answer": event.answer, "needs": event.needs, "free": event.free}
            return words.text("player.change.answered", **values)
        case PageHasRoom() if not written:
            return words.text("player.change.idle")
        case KVWritten() if not isinstance(step.operation, Allocate):
            token = words.token(event.token_ids[-1])
            text = words.text("player.change.written", token=token, slot=event.slots[-1])
            has_room = any(isinstance(each, PageHasRoom) for each in step.events)
            return text + words.text("figures.semicolon") + words.text("player.change.room") if has_room else text
        case _:
            return ""


def _describe_blocks(step: Step, words: Translations) -> list[str]:
    """Phrases about blocks: one for all blocks with the same change and the same ref_counts."""
    by_change: dict[tuple[str, int, int], list[int]] = {}
    for event in step.events:
        match event:
            case BlockShared(was_free=True):
                change = ("revived", 0, 0)
            case BlockShared():
                change = ("shares", event.ref_before, event.ref_after)
            case BlockTaken():
                change = ("taken", 0, 0)
            case HashForgotten():
                change = ("forgotten", 0, 0)
            case BlockHashed() if not isinstance(step.operation, Allocate):
                change = ("hashed", 0, 0)
            case ReferenceDropped() if event.ref_after:
                change = ("still_used", event.ref_before, event.ref_after)
            case BlockFreed():
                change = ("returned_first" if event.first else "returned", 0, 0)
            case _:
                continue
        by_change.setdefault(change, []).append(event.block_id)
    order = list(_PHRASES)
    return [
        words.text(_PHRASES[name], blocks=format_list(blocks, words), before=before, after=after)
        for (name, before, after), blocks in sorted(by_change.items(), key=lambda item: order.index(item[0][0]))
    ]
