"""A wrong idea's run beside the engine's, in words. Everything told is read from the two runs."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from lab.misconceptions.play import Divergence, RunComparison
from lab.misconceptions.reading import Read
from lab.misconceptions.telling import Span, find_spans
from lab.trace.events import AppendChecked, BlockTaken, Event, HashForgotten, Refused
from lab.trace.operations import Allocate, Release
from lab.trace.snapshot import Difference, Snapshot, compare_snapshots
from lab.trace.timeline import Step
from lessons.text.findings import format_findings
from lessons.text.sentences import format_event, format_list, format_operation, format_ranges, format_reason
from lessons.text.translations import Translations

# Events whose usual sentence tells what the engine means by them; of a wrong run only the facts are told.
FACTS = (
    "request_arrived",
    "allocate_checked",
    "block_shared",
    "hash_forgotten",
    "block_taken",
    "append_checked",
    "page_has_room",
    "reference_dropped",
    "block_freed",
)


def describe_divergence(run: RunComparison, words: Translations) -> list[str]:
    """In which step the two part, then what each did there; empty where they do not."""
    parting = run.parts_at
    if parting is None:
        return []
    real, wrong = run.real_steps[parting.step], run.wrong_steps[parting.step]
    lead = words.text("my_way.parts", step=parting.step + 1, operation=format_operation(real.operation, words))
    if parting.event is None:
        return [lead, words.text("my_way.only_reading")]
    theirs, ours = _get_event(real, parting.event), _get_event(wrong, parting.event)
    if isinstance(ours, HashForgotten) and isinstance(following := _get_event(wrong, parting.event + 1), BlockTaken):
        ours = following  # forgotten because it is taken
    said = format_event(theirs, words) if theirs else words.text("my_way.nothing_more")
    did = _did(wrong, ours, theirs, words) if ours else words.text("my_way.nothing_more")
    return [
        lead,
        words.text("my_way.engine_did", event=said.rstrip(".。")),
        words.text("my_way.you_did", event=did.rstrip(".。")),
    ]


def _get_event(step: Step, index: int) -> Event | None:
    return step.events[index] if index < len(step.events) else None


def _did(step: Step, event: Event, theirs: Event | None, words: Translations) -> str:
    """What happened in the wrong run, without what the engine would mean by it. `theirs`: the engine's event."""
    if event.code not in FACTS:
        return format_event(event, words)
    values: dict[str, Any] = asdict(event)
    if isinstance(event, BlockTaken) and event.by == "allocate" and not isinstance(step.operation, Allocate):
        return words.text("my_way.did.taken_by_check", **values)
    if isinstance(event, BlockTaken) and theirs == HashForgotten(event.block_id):
        return words.text("my_way.did.taken_not_forgotten", **values)
    if isinstance(event, HashForgotten) and isinstance(step.operation, Release):
        return words.text("my_way.did.forgotten_at_release", **values)
    if isinstance(event, AppendChecked):
        values["answer"] = str(event.answer)
    return words.text(f"my_way.did.{event.code}", **values)


def list_moments(run: RunComparison) -> tuple[dict[str, int | None], str]:
    """What the pictures may show, by name: the index of a step, None for the end; and the one to look at first.

    Where something goes wrong, that is the moment to look at: two ways that only part there say nothing of it.
    """
    parts, wrong, last = (run.parts_at.step if run.parts_at else 0), run.harm_at, len(run.wrong_steps) - 1
    if not run.harmful or (wrong is not None and wrong <= parts):
        return {"parting": parts, "end": None}, "parting"
    if wrong is None or wrong >= last:
        return {"parting": parts, "end": None}, "end"
    return {"parting": parts, "harm": wrong, "end": None}, "harm"


def get_divergent_states(run: RunComparison, at: int | None) -> tuple[Snapshot, Snapshot, Snapshot, Snapshot] | None:
    """The engine's state and the wrong run's, each after the one before it in its run; None if none was reached.

    At the end (`at` None) or after that step; where the two part, but are alike after the step, at the event.
    """
    if not run.real_steps or not run.wrong_steps:
        return None
    parting = run.parts_at
    real, wrong = (steps[-1 if at is None else at] for steps in (run.real_steps, run.wrong_steps))
    if at is not None and parting is not None and at == parting.step and is_inside_step(run, parting):
        return real.before, parting.real, wrong.before, parting.wrong
    return real.before, real.after, wrong.before, wrong.after


def is_inside_step(run: RunComparison, parting: Divergence) -> bool:
    """Do the two differ within the step alone, and not any more after it?"""
    return run.real_steps[parting.step].after == run.wrong_steps[parting.step].after and parting.real != parting.wrong


def compare_states(before: Snapshot, after: Snapshot) -> Difference:
    """What to outline. Blocks that a wrong idea takes from elsewhere are not said to come from the queue's head."""
    change = compare_snapshots(before, after)
    head = before.free_block_ids[: len(change.taken)]
    return change if set(change.taken) == set(head) else replace(change, taken=())


def describe_damage(run: RunComparison, words: Translations) -> list[str]:
    """What the wrong run breaks, and where it cannot go on; empty where it does no harm."""
    said = []
    if run.refusal and run.harmful:  # first: what is broken then often follows from it
        said.append(_describe_stop(run, run.refusal, words))
    wrong = format_list((read.seq_id for read in run.reads if not read.right), words)
    for name, found in run.broken.items():
        told = (
            wrong if name == "kv" else format_findings(found, words)
        )  # of the KV, the table of what is read says more
        said.append(words.text("my_way.breaks", invariant=words.text(f"task.invariants.{name}"), detail=told))
    return said


def describe_room(run: RunComparison, words: Translations) -> str:
    """Where the wrong run refuses and the engine does not, without harm; empty where that does not happen."""
    if run.refusal is None or run.harmful:
        return ""
    return f"{_describe_stop(run, run.refusal, words)}{words.text('figures.gap')}{words.text('my_way.room')}"


def _describe_stop(run: RunComparison, refusal: Refused, words: Translations) -> str:
    """Where the wrong run refuses or gets stuck, and what the engine did there."""
    step = next((step for step in run.wrong_steps if step.refusal == refusal), None)
    index = step.index if step else len(run.wrong_steps)  # a limit: the operation that was not recorded
    real = run.real_steps[index]
    key = "my_way.stopped_both" if real.refusal else "my_way.stopped"
    theirs = format_reason(real.refusal, words) if real.refusal else ""
    return words.text(
        key,
        step=index + 1,
        operation=format_operation(real.operation, words),
        reason=format_reason(refusal, words),
        engine=theirs,
    )


def read_said(run: RunComparison, read: Read, words: Translations) -> str:
    """What one request's attention reads now."""
    if read.refusal:
        return words.text("my_way.read.refused", reason=format_reason(read.refusal, words))
    parts = [_format_span(stretch, read.seq_id, words) for stretch in find_spans(run, read)]
    if read.unread:
        parts.append(words.text("my_way.read.left_out", positions=_format_positions(read.unread, words)))
    return words.text("figures.semicolon").join(parts) if parts else words.text("my_way.read.own")


def _format_span(stretch: Span, reader: str, words: Translations) -> str:
    place = "behind" if stretch.behind else "at"
    whose = "nobody" if stretch.owner is None else "self" if stretch.owner == reader else "other"
    return words.text(
        f"my_way.read.{place}_{whose}",
        positions=_format_positions(stretch.positions, words),
        owner=stretch.owner,
        tokens=" ".join(words.token(token_id) for token_id in stretch.token_ids),
        places=_format_positions(stretch.from_positions, words),
    )


def _format_positions(positions: tuple[int, ...], words: Translations) -> str:
    key = "my_way.position" if len(positions) == 1 else "my_way.positions"
    return words.text(key, positions=format_ranges(positions, words))


def describe_output(read: Read, words: Translations) -> str:
    """How far its output is from the right one."""
    if read.refusal:
        return words.text("my_way.output.none")
    if read.nan:
        return words.text("my_way.output.nan")
    if read.right:
        return words.text("my_way.output.right")
    return words.text("my_way.output.off", error=f"{read.error:.2g}")


def describe_reads(run: RunComparison, words: Translations) -> str:
    """One sentence on all requests together, and one on those that the wrong run has not."""
    if run.missing:
        gone = words.text("my_way.reads_missing", seq_ids=format_list(run.missing, words))
        rest = "" if not run.reads else _describe_reads_there(run, words)
        return words.text("figures.gap").join(filter(None, (gone, rest)))
    return _describe_reads_there(run, words)


def _describe_reads_there(run: RunComparison, words: Translations) -> str:
    wrong = [read for read in run.reads if not read.right]
    waiting = run.wrong_steps[-1].after.waiting if run.wrong_steps else ()
    if not run.reads:
        return words.text(
            "my_way.reads_waiting" if waiting else "my_way.reads_nobody", seq_ids=format_list(waiting, words)
        )
    if not wrong:
        return words.text("my_way.reads_rest_right" if run.missing else "my_way.reads_right")
    nan = [read.seq_id for read in wrong if read.nan]
    off = [read for read in wrong if not read.nan and not read.refusal]
    parts = [words.text("my_way.reads_off", seq_id=read.seq_id, error=f"{read.error:.2g}") for read in off]
    if nan:
        parts.append(words.text("my_way.reads_nan", seq_ids=format_list(nan, words)))
    parts += [words.text("my_way.reads_refused", seq_id=read.seq_id) for read in wrong if read.refusal]
    return words.text("figures.gap").join(parts)
