"""The title, the questions, the points and the notes of a scenario: the library's texts, or its author's.

Where an author has written nothing, the engine's run gives the words. An author's texts are untrusted.
"""

from __future__ import annotations

from lab.sandbox.editing import Entry
from lab.sandbox.facts import collect_settings, collect_values
from lab.sandbox.key_questions import get_about, get_step
from lab.sandbox.library import LIBRARY, Prompt, find_prepared, get_title_key
from lab.sandbox.log import Kind, LogStep
from lab.sandbox.scenario import Scenario
from lab.sandbox.step_questions import find_asked_block
from lab.trace.operations import Operation
from lessons.text.event_phrases import describe_change
from lessons.text.sentences import format_operation, format_values
from lessons.text.translations import Translations


def format_library_title(key: str, words: Translations) -> str:
    """The title of a library scenario. Raises KeyError for an unknown id."""
    return words.text(get_title_key(key), **format_values(collect_settings(LIBRARY[key]), words))


def format_title(scenario: Scenario, words: Translations) -> str:
    """The title: the library's, its author's, or a default for an author's. Empty if nobody has prepared it."""
    prepared = find_prepared(scenario)
    if prepared is None:
        return ""
    if prepared.id:
        return format_library_title(prepared.id, words)
    return scenario.script.title.get(words.language) or words.text("authoring.untitled")


def format_origin(scenario: Scenario, words: Translations) -> str:
    """Which library scenario an author's own was edited from; empty if none."""
    prepared = find_prepared(scenario)
    if prepared is None or prepared.id or scenario.key not in LIBRARY:
        return ""
    return words.text("authoring.edited_from", title=format_library_title(scenario.key, words))


def format_ask(prompt: Prompt, words: Translations) -> str:
    """The question before the step; empty if there is none."""
    own = prompt.own
    if own is None:
        return _format_library(prompt.ask, prompt, words)
    return own.ask.get(words.language) or format_bound_ask(prompt, words)


def format_bound_ask(prompt: Prompt, words: Translations) -> str:
    """The question that the engine answers, in the lab's words; empty if it answers none."""
    about = get_about(prompt)
    if about is None:
        return ""
    step = get_step(prompt)
    operation, seq_id = _name_key_step(prompt, words), step.operation.seq_id
    block = find_asked_block(step) if about == "owner" else None
    return words.text(f"classroom.key_ask.{about}", operation=operation, seq_id=seq_id, block=block)


def format_point(prompt: Prompt, words: Translations) -> str:
    """The point after the step. Where the author has made none: what the engine did."""
    own = prompt.own
    if own is None:
        return _format_library(prompt.point, prompt, words)
    step = get_step(prompt)
    operation, what = _name_key_step(prompt, words), describe_change(step, words)
    return own.point.get(words.language) or words.text("authoring.did", operation=operation, what=what)


def format_entry(entry: Entry, words: Translations) -> str:
    """The name of a step that has not been made."""
    return _name_step(entry.kind, entry.operation, entry.times, words)


def format_step(step: LogStep, words: Translations) -> str:
    """The name of a step of the log."""
    group = step.group
    times = 1 if group is None else group.times if group.kind == "decode" else group.count
    return _name_step(group.kind if group else None, step.operations[0], times, words)


def _name_step(kind: Kind | None, operation: Operation, times: int, words: Translations) -> str:
    if kind in (None, "append"):
        return format_times(operation, times, words)
    name = words.text(f"authoring.{kind}", seq_id=operation.seq_id)
    return name if times == 1 else words.text("sandbox.times", operation=name, count=times)


def format_times(operation: Operation, count: int, words: Translations) -> str:
    """The name of an operation, with how often it is done."""
    name = format_operation(operation, words)
    return name if count == 1 else words.text("sandbox.times", operation=name, count=count)


def _name_key_step(prompt: Prompt, words: Translations) -> str:
    return format_step(next(each for each in prompt.prepared.scenario.steps if each.last == prompt.step), words)


def _format_library(key: str, prompt: Prompt, words: Translations) -> str:
    """A text of the library with the numbers of its run."""
    return words.text(key, **format_values(collect_values(prompt), words))
