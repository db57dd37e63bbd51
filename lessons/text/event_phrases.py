"""What one operation changed, as one short phrase of a list: read from the step's events."""

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

# What happens to several blocks is told in one phrase, in this order. Those that the memory picture has are its own.
_PHRASES = {
    "shares": "time_machine.change.shares",
    "revived": "figures.memory.revived",
    "taken": "figures.memory.taken",
    "forgotten": "time_machine.change.forgotten",
    "hashed": "time_machine.change.hashed",
    "still_used": "time_machine.change.still_used",
    "returned": "figures.memory.returned",
}


def describe_change(step: Step, words: Translations) -> str:
    """Why the engine refused, or what is not as it was before; of a check, its answer. Pure.

    What every allocation does (its prompt's KV is written, its full blocks can be found) is left out.
    """
    if step.refusal:
        return format_event(step.refusal, words)
    told = [text for event in step.events if (text := _describe_alone(event, step, words))]
    return words.text("figures.semicolon").join([*told, *_describe_blocks(step, words)])


def _describe_alone(event: Event, step: Step, words: Translations) -> str:
    """The phrase of an event that stands for itself; empty for any other."""
    written = any(isinstance(each, KVWritten) for each in step.events)
    match event:
        case RequestArrived():
            return count(words, "figures.tokens", event.num_tokens)
        case TokenAppended() if not written:
            values = {"before": event.len_before, "after": event.len_after, "token": words.token(event.token_id)}
            return words.text("time_machine.change.waits", **values)
        case AppendChecked() if len(step.events) == 1:
            values = {"answer": event.answer, "needs": event.needs, "free": event.free}
            return words.text("time_machine.change.answered", **values)
        case PageHasRoom() if not written:
            return words.text("time_machine.change.idle")
        case KVWritten() if not isinstance(step.operation, Allocate):
            token = words.token(event.token_ids[-1])
            told = words.text("time_machine.change.written", token=token, slot=event.slots[-1])
            room = any(isinstance(each, PageHasRoom) for each in step.events)
            return told + words.text("figures.semicolon") + words.text("time_machine.change.room") if room else told
        case _:
            return ""


def _describe_blocks(step: Step, words: Translations) -> list[str]:
    """What happened to blocks, those with the same fate and the same numbers together."""
    found: dict[tuple[str, int, int], list[int]] = {}
    for event in step.events:
        match event:
            case BlockShared(was_free=True):
                fate = ("revived", 0, 0)
            case BlockShared():
                fate = ("shares", event.ref_before, event.ref_after)
            case BlockTaken():
                fate = ("taken", 0, 0)
            case HashForgotten():
                fate = ("forgotten", 0, 0)
            case BlockHashed() if not isinstance(step.operation, Allocate):
                fate = ("hashed", 0, 0)
            case ReferenceDropped() if event.ref_after:
                fate = ("still_used", event.ref_before, event.ref_after)
            case BlockFreed():
                fate = ("returned", 0, 0)
            case _:
                continue
        found.setdefault(fate, []).append(event.block_id)
    order = list(_PHRASES)
    return [
        words.text(_PHRASES[name], blocks=format_list(blocks, words), before=before, after=after)
        for (name, before, after), blocks in sorted(found.items(), key=lambda item: order.index(item[0][0]))
    ]
