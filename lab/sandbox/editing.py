"""Edit the log of a scenario step by step. What unfolds into several operations is unfolded by a run of the engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lab.engine.errors import LimitError
from lab.sandbox.errors import NothingRunningError
from lab.sandbox.log import Group, Kind, LogStep
from lab.sandbox.request_specs import RequestSpec, find_next_name
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import AuthorPrompt, Script
from lab.trace.operations import Append, Operation, Release
from lab.trace.timeline import Timeline


@dataclass(frozen=True)
class Entry:
    """A step to be unfolded: an operation, for "decode" of any request; and what the author says about it."""

    operation: Operation
    kind: Kind | None = None
    times: int = 1
    prompt: AuthorPrompt | None = None


def list_entries(scenario: Scenario) -> list[Entry]:
    """The scenario's steps. Pure."""
    return [_read_entry(step, scenario.script) for step in scenario.steps]


def _read_entry(step: LogStep, script: Script) -> Entry:
    prompt = script.find(step.last)
    kind, times = (step.group.kind, step.group.times) if step.group else (None, 1)
    return Entry(step.operations[0], kind, times, prompt or None)


def unfold(scenario: Scenario, entries: Sequence[Entry]) -> Scenario:
    """The scenario with these steps instead of its own. Runs them.

    A step stops after its first refusal, and before a limit if some of it fits. A request that is preempted gets
    another one that begins like it, with all of its tokens so far, to come back as. Raises NothingRunningError, and
    what Scenario and Timeline.apply raise.
    """
    bare = replace(scenario, operations=(), groups=(), script=replace(scenario.script, prompts=()))
    timeline = Timeline(bare.config)
    groups: list[Group] = []
    prompts: list[AuthorPrompt] = []
    for number, entry in enumerate(entries, 1):
        first = len(timeline.steps) + 1
        if entry.kind == "preempt":
            grown = _add_return(bare, timeline, entry.operation.seq_id)
            if grown != bare:  # the same run, with one request more
                bare, timeline = grown, Timeline.replay(grown.config, timeline.operations)
        for operation in _list_operations(entry, timeline, number):
            try:
                refusal = timeline.apply(operation).refusal
            except LimitError:
                if len(timeline.steps) < first:
                    raise
                break  # what fits stays
            if refusal:
                break
        last = len(timeline.steps)
        if entry.kind:
            groups.append(Group(entry.kind, first, last - first + 1, entry.times))
        if entry.prompt:
            prompts.append(replace(entry.prompt, step=last))
    script = replace(scenario.script, prompts=tuple(prompts))
    return replace(bare, operations=timeline.operations, groups=tuple(groups), script=script)


def _list_operations(entry: Entry, timeline: Timeline, number: int) -> Iterator[Operation]:
    """The operations of a step, each asked for after the one before has run."""
    operation, seq_id = entry.operation, entry.operation.seq_id
    match entry.kind:
        case "append":
            yield from [Append(seq_id)] * entry.times
        case "fill":
            view = timeline.snapshot(len(timeline.steps)).sequence(seq_id)
            size = timeline.config.block_size
            yield from [Append(seq_id)] * (size - view.num_tokens % size if view else 1)
        case "decode":
            running = tuple(timeline.live)
            if not running:
                raise NothingRunningError(step=number)
            yield from [Append(name) for _ in range(entry.times) for name in running]
        case "preempt":
            yield Release(seq_id)
        case _:
            yield operation


def _add_return(scenario: Scenario, timeline: Timeline, seq_id: str) -> Scenario:
    """The scenario with the request as which a preempted one comes back, as long as it is now."""
    seq = timeline.live.get(seq_id)
    if seq is None:
        return scenario
    for i, spec in enumerate(scenario.requests):
        if (spec.same_as, spec.own, spec.then) == (seq_id, 0, ""):
            requests = (*scenario.requests[:i], replace(spec, same=seq.num_tokens), *scenario.requests[i + 1 :])
            return replace(scenario, requests=requests)
    names = [spec.seq_id for spec in scenario.requests]
    called = scenario.called[seq_id]
    taken = {name.casefold() for name in scenario.called.values()}
    stem = re.sub(r" \d+$", "", called)
    again = next(name for n in range(2, len(taken) + 3) if (name := f"{stem} {n}").casefold() not in taken)
    again = "" if called == seq_id else again
    new = RequestSpec(find_next_name(names, seq_id[0]), 0, seq_id, seq.num_tokens, called=again)
    return replace(scenario, requests=(*scenario.requests, new))


def find_index(scenario: Scenario, at: int) -> int:
    """The index of the step that the position after `at` operations ends or is inside of; -1 at the beginning. Pure."""
    return next((i for i, step in enumerate(scenario.steps) if step.first <= at <= step.last), -1)


def find_same_place(before: Scenario, at: int, now: Scenario) -> int:
    """The position in `now`, the same steps unfolded anew, of what was position `at` in the log before. Pure."""
    if before.operations == now.operations or at == 0:
        return min(at, len(now.operations))
    index = find_index(before, at)
    return now.steps[index].last if index < len(now.steps) else len(now.operations)


def insert(scenario: Scenario, at: int, *new: Entry) -> tuple[Scenario, int]:
    """The scenario with steps after position `at`, and the position after them. Raises what unfold raises."""
    entries, index = list_entries(scenario), find_index(scenario, at) + 1
    return _unfold_at(scenario, [*entries[:index], *new, *entries[index:]], index + len(new) - 1)


def delete(scenario: Scenario, at: int) -> tuple[Scenario, int]:
    """The scenario without the step at position `at`, and the position before it. Raises what unfold raises."""
    entries, index = list_entries(scenario), find_index(scenario, at)
    return _unfold_at(scenario, [*entries[:index], *entries[index + 1 :]], index - 1)


def move(scenario: Scenario, at: int, by: int) -> tuple[Scenario, int]:
    """The scenario with the step at `at` one earlier (-1) or later (1), and its new position. Raises as unfold does."""
    entries, index = list_entries(scenario), find_index(scenario, at)
    entries[index], entries[index + by] = entries[index + by], entries[index]
    return _unfold_at(scenario, entries, index + by)


def repeat(scenario: Scenario, at: int) -> tuple[Scenario, int]:
    """The scenario with the step at `at` once more, without its question. Raises what unfold raises."""
    entry = list_entries(scenario)[find_index(scenario, at)]
    return insert(scenario, at, replace(entry, prompt=None))


def _unfold_at(scenario: Scenario, entries: Sequence[Entry], index: int) -> tuple[Scenario, int]:
    changed = unfold(scenario, entries)
    return changed, changed.steps[index].last if index >= 0 else 0
