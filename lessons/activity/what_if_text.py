"""Texts that compare a wrong idea's run with the engine's. All facts are read from the two runs."""

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

# Events whose usual sentence gives the engine's reasons. For a wrong run there are sentences with the facts only.
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
    """The step in which the two runs diverge and what each did there, as lines; empty if they do not diverge."""
    divergence = run.parts_at
    if divergence is None:
        return []
    real, wrong = run.real_steps[divergence.step], run.wrong_steps[divergence.step]
    lead = words.text("my_way.parts", step=divergence.step + 1, operation=format_operation(real.operation, words))
    if divergence.event is None:
        return [lead, words.text("my_way.only_reading")]
    real_event, wrong_event = _get_event(real, divergence.event), _get_event(wrong, divergence.event)
    following = _get_event(wrong, divergence.event + 1)
    if isinstance(wrong_event, HashForgotten) and isinstance(following, BlockTaken):
        wrong_event = following  # the hash is forgotten because the block is taken
    nothing = words.text("my_way.nothing_more")
    engine_did = format_event(real_event, words) if real_event else nothing
    idea_did = _describe_wrong_event(wrong, wrong_event, real_event, words) if wrong_event else nothing
    return [
        lead,
        words.text("my_way.engine_did", event=engine_did.rstrip(".。")),
        words.text("my_way.you_did", event=idea_did.rstrip(".。")),
    ]


def _get_event(step: Step, index: int) -> Event | None:
    return step.events[index] if index < len(step.events) else None


def _describe_wrong_event(step: Step, event: Event, real_event: Event | None, words: Translations) -> str:
    """An event of the wrong run, without the engine's reasons. `real_event`: the engine's event at the same point."""
    if event.code not in FACTS:
        return format_event(event, words)
    values: dict[str, Any] = asdict(event)
    if isinstance(event, BlockTaken) and event.by == "allocate" and not isinstance(step.operation, Allocate):
        return words.text("my_way.did.taken_by_check", **values)
    if isinstance(event, BlockTaken) and real_event == HashForgotten(event.block_id):
        return words.text("my_way.did.taken_not_forgotten", **values)
    if isinstance(event, HashForgotten) and isinstance(step.operation, Release):
        return words.text("my_way.did.forgotten_at_release", **values)
    if isinstance(event, AppendChecked):
        values["answer"] = str(event.answer)
    return words.text(f"my_way.did.{event.code}", **values)


def list_moments(run: RunComparison) -> tuple[dict[str, int | None], str]:
    """The steps that the pictures can show, by name (None is the end), and the name of the one to show first.

    If the wrong run does harm, the pictures first show the harm, not the divergence before it.
    """
    parts, wrong, last = (run.parts_at.step if run.parts_at else 0), run.harm_at, len(run.wrong_steps) - 1
    if not run.harmful or (wrong is not None and wrong <= parts):
        return {"parting": parts, "end": None}, "parting"
    if wrong is None or wrong >= last:
        return {"parting": parts, "end": None}, "end"
    return {"parting": parts, "harm": wrong, "end": None}, "harm"


def get_divergent_states(run: RunComparison, at: int | None) -> tuple[Snapshot, Snapshot, Snapshot, Snapshot] | None:
    """The engine's state before and after step `at`, then the wrong run's; None if a run has no step.

    `at` None is the last step. If the runs diverge inside the step and agree again after it, the later states are
    those at the diverging event.
    """
    if not run.real_steps or not run.wrong_steps:
        return None
    parting = run.parts_at
    real, wrong = (steps[-1 if at is None else at] for steps in (run.real_steps, run.wrong_steps))
    if at is not None and parting is not None and at == parting.step and is_inside_step(run, parting):
        return real.before, parting.real, wrong.before, parting.wrong
    return real.before, real.after, wrong.before, wrong.after


def is_inside_step(run: RunComparison, parting: Divergence) -> bool:
    """Do the runs differ inside the step only, and agree again after it?"""
    return run.real_steps[parting.step].after == run.wrong_steps[parting.step].after and parting.real != parting.wrong


def compare_states(before: Snapshot, after: Snapshot) -> Difference:
    """The changes to outline. Only blocks taken from the head of the free queue count as taken."""
    change = compare_snapshots(before, after)
    head = before.free_block_ids[: len(change.taken)]
    return change if set(change.taken) == set(head) else replace(change, taken=())


def describe_damage(run: RunComparison, words: Translations) -> list[str]:
    """Where the wrong run cannot go on and which invariants it breaks, as lines; empty if it does no harm."""
    lines = []
    if run.refusal and run.harmful:  # first, since broken invariants often follow from it
        lines.append(_describe_stop(run, run.refusal, words))
    wrong = format_list((read.seq_id for read in run.reads if not read.right), words)
    for name, found in run.broken.items():
        # For the KV only the requests are named: the table of reads has the details.
        detail = wrong if name == "kv" else format_findings(found, words)
        lines.append(words.text("my_way.breaks", invariant=words.text(f"task.invariants.{name}"), detail=detail))
    return lines


def describe_room(run: RunComparison, words: Translations) -> str:
    """Where the wrong run refuses an operation without doing harm; empty if it does not."""
    if run.refusal is None or run.harmful:
        return ""
    return f"{_describe_stop(run, run.refusal, words)}{words.text('figures.gap')}{words.text('my_way.room')}"


def _describe_stop(run: RunComparison, refusal: Refused, words: Translations) -> str:
    """The operation that the wrong run refuses, and what the engine did there."""
    step = next((step for step in run.wrong_steps if step.refusal == refusal), None)
    index = (
        step.index if step else len(run.wrong_steps)
    )  # without a step: a limit refused the operation, which is not recorded
    real = run.real_steps[index]
    key = "my_way.stopped_both" if real.refusal else "my_way.stopped"
    engine = format_reason(real.refusal, words) if real.refusal else ""
    return words.text(
        key,
        step=index + 1,
        operation=format_operation(real.operation, words),
        reason=format_reason(refusal, words),
        engine=engine,
    )


def read_said(run: RunComparison, read: Read, words: Translations) -> str:
    """What one request's attention reads in the wrong run."""
    if read.refusal:
        return words.text("my_way.read.refused", reason=format_reason(read.refusal, words))
    parts = [_format_span(span, read.seq_id, words) for span in find_spans(run, read)]
    if read.slots.after_others:
        positions = _format_positions(read.slots.after_others, words)
        parts.append(words.text("my_way.read.after_others", positions=positions))
    if read.unread:
        parts.append(words.text("my_way.read.left_out", positions=_format_positions(read.unread, words)))
    return words.text("figures.semicolon").join(parts) if parts else words.text("my_way.read.own")


def _format_span(span: Span, reader: str, words: Translations) -> str:
    place = "behind" if span.behind else "at"
    owner = "nobody" if span.owner is None else "self" if span.owner == reader else "other"
    return words.text(
        f"my_way.read.{place}_{owner}",
        positions=_format_positions(span.positions, words),
        owner=span.owner,
        tokens=" ".join(words.token(token_id) for token_id in span.token_ids),
        places=_format_positions(span.from_positions, words),
    )


def _format_positions(positions: tuple[int, ...], words: Translations) -> str:
    key = "my_way.position" if len(positions) == 1 else "my_way.positions"
    return words.text(key, positions=format_ranges(positions, words))


def describe_output(read: Read, words: Translations) -> str:
    """How far the request's output is from the right one."""
    if read.refusal:
        return words.text("my_way.output.none")
    if read.nan:
        return words.text("my_way.output.nan")
    if read.right:
        return words.text("my_way.output.right")
    return words.text("my_way.output.off", error=f"{read.error:.2g}")


def describe_reads(run: RunComparison, words: Translations) -> str:
    """One sentence about all requests that the wrong run has, and one about those that it lacks."""
    if run.missing:
        missing = words.text("my_way.reads_missing", seq_ids=format_list(run.missing, words))
        rest = "" if not run.reads else _describe_reads_there(run, words)
        return words.text("figures.gap").join(filter(None, (missing, rest)))
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
