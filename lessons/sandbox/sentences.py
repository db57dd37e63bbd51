"""Sentences about operations: what they did, why one was refused and what to do, what undo takes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from lab.engine.errors import LabError
from lab.sandbox.history import History
from lab.sandbox.resize import describe_ending
from lab.sandbox.scenario import Scenario, State
from lab.trace.operations import CanAppend, Operation, Release
from lab.trace.timeline import Step
from lessons.text.scenario_texts import format_step, format_times
from lessons.text.sentences import format_error, format_list, format_reason
from lessons.text.translations import Translations

SHOWN = 8  # operations, or repetitions of one, listed before the rest is only counted


def format_count(noun: str, number: int, words: Translations) -> str:
    """`1 token`, `3 tokens`."""
    return words.text(f"figures.{noun}.{'one' if number == 1 else 'many'}", n=number)


def format_operations(operations: Iterable[Operation], words: Translations) -> str:
    """List operations in order, with repetitions counted. A long list ends with how many more there are."""
    runs = [(operation, len(list(run))) for operation, run in groupby(operations)]
    parts = [format_times(operation, count, words) for operation, count in runs[:SHOWN]]
    if rest := sum(count for _, count in runs[SHOWN:]):
        parts.append(words.text("sandbox.more_operations", count=rest))
    return words.text("figures.semicolon").join(parts)


def format_refused(error: LabError, words: Translations) -> str:
    """Say why an operation was refused, with advice if there is any."""
    return _add_advice(format_error(error, words), error.code, dict(error.numbers), words)


def format_steps(steps: Sequence[Step], words: Translations, name: str | None = None) -> str:
    """Say in one sentence what operations of one step did, or why it was refused. Read from the events.

    `name`: the step's; None: of the operations, which are then the same.
    """
    name = name or format_operations([step.operation for step in steps], words)
    one_request = len({step.operation.seq_id for step in steps}) == 1
    return words.text("sandbox.did", operation=name, effects=format_ending(steps, words, full=one_request))


def format_untried(untried: int, times: int, words: Translations) -> str:
    """Say that `untried` of a press's `times` tokens were not tried. Empty if all were. Follows format_steps."""
    return words.text("sandbox.untried", left=untried, times=times) if untried else ""


def format_ending(steps: Sequence[Step], words: Translations, *, full: bool = False) -> str:
    """As format_steps, without the name of the operation. Only `full` includes the number of tokens and advice."""
    refusal = steps[-1].refusal
    effects = list(_describe_effects([step for step in steps if not step.refusal], words, tokens=full))
    if refusal:
        reason = format_reason(refusal, words)
        if full:
            reason = _add_advice(reason, refusal.reason, dict(refusal.numbers), words)
        effects.append(words.text("sandbox.did_refused", reason=reason))
        return words.text("figures.semicolon").join(effects)
    return words.text("sandbox.sentence", text=words.text("figures.semicolon").join(effects))


def _describe_effects(steps: Sequence[Step], words: Translations, *, tokens: bool) -> Iterator[str]:
    if not steps:
        return
    last, ends = steps[-1], [describe_ending(step) for step in steps]
    taken, shared, returned = (
        tuple(block for end in ends for block in getattr(end, name)) for name in ("taken", "shared", "returned")
    )
    if isinstance(last.operation, CanAppend):
        yield words.text("sandbox.did_answer_yes" if ends[-1].answer else "sandbox.did_answer_no")
        return
    seq = last.after.sequence(last.operation.seq_id)
    if seq is not None and tokens:
        yield words.text("sandbox.did_tokens", tokens=format_count("tokens", seq.num_tokens, words))
    if shared:
        yield words.text("sandbox.did_shared", ids=format_list(shared, words))
    if taken:
        yield words.text("sandbox.did_taken", ids=format_list(taken, words))
    if isinstance(last.operation, Release):
        key = "sandbox.did_returned" if returned else "sandbox.did_returned_none"
        yield words.text(key, ids=format_list(returned, words))
    elif seq is not None and seq.waiting:
        yield words.text("sandbox.did_waits")
    elif not taken and not shared:
        yield words.text("sandbox.did_no_block")


def _add_advice(reason: str, code: str, numbers: dict[str, int | str], words: Translations) -> str:
    kind = f"{code}_{numbers['name']}" if code == "limit" else code
    key = f"sandbox.advice.{kind}"
    return words.text("sandbox.told", reason=reason, advice=words.text(key, **numbers)) if words.has(key) else reason


def format_undo(history: History, words: Translations) -> str:
    """Say what undo takes back; empty if there is nothing."""
    if not history.can_undo:
        return ""
    before, now = history.before[-1], history.scenario
    if now.operations == before.scenario.operations and now.script != before.scenario.script:
        return words.text("authoring.undo")
    return _format_undo_run(before, now, words)


def _format_undo_run(before: State, now: Scenario, words: Translations) -> str:
    changes_setup = (get_pool(before.scenario), before.scenario.requests) != (get_pool(now), now.requests)
    if changes_setup and not _count_preempted(before.scenario) < _count_preempted(now):
        if before.scenario.requests == now.requests:
            return words.text("sandbox.undo_pool")
        return words.text(
            "sandbox.undo_requests" if get_pool(before.scenario) == get_pool(now) else "sandbox.undo_both"
        )
    before_it = before.scenario.operations[: before.at]
    added, cut = now.operations[len(before_it) :], before.scenario.operations[before.at :]
    if now.operations[: len(before_it)] != before_it:
        return words.text("sandbox.undo_log", count=len(before.scenario.operations))
    if not added:
        return words.text("sandbox.undo_log", count=len(cut))
    if cut and now.operations[-len(cut) :] == cut and len(added) > len(cut):  # inserted: nothing was cut off
        added, cut = added[: -len(cut)], ()
    key = "sandbox.undo_cut" if cut else "sandbox.undo_added"
    first, last = len(before_it) + 1, len(before_it) + len(added)
    unfolded = [step for step in now.steps if step.group and (step.first, step.last) == (first, last)]
    names = format_step(unfolded[0], words) if unfolded else format_operations(added, words)
    return words.text(key, operations=names, count=len(cut))


def _count_preempted(scenario: Scenario) -> int:
    """How many of its steps preempt a request, which adds one to come back as."""
    return sum(group.kind == "preempt" for group in scenario.groups)


def get_pool(scenario: Scenario) -> tuple[object, ...]:
    """Return what defines the pool."""
    return scenario.num_blocks, scenario.block_size, scenario.queue
