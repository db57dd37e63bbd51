"""The link to a state of the sandbox, and why a link cannot be read."""

from __future__ import annotations

from dataclasses import replace

from lab.activities.attempt import Cursor, encode_cursor
from lab.engine.errors import InvalidLinkError, LabError
from lab.sandbox.library import get_prompt_after
from lab.sandbox.link import encode_scenario
from lab.sandbox.scenario import Scenario
from lessons.sandbox.attempt import SandboxView
from lessons.state import attempts, presenting
from lessons.state.slots import SANDBOX
from lessons.text.sentences import format_error
from lessons.text.translations import Translations


def choose_shared_cursor(view: SandboxView) -> Cursor:
    """Return the cursor for a link: the one in view, but before the step while its point is hidden."""
    note = get_prompt_after(view.scenario, view.cursor.step) if view.cursor.event is None else None
    return Cursor(note.start - 1) if note is not None and presenting.is_hidden() else view.cursor


def remove_remarks(scenario: Scenario) -> Scenario:
    """Return the scenario without its author's notes for oneself."""
    return replace(scenario, script=scenario.script.without_remarks())


def build_parameters(view: SandboxView) -> dict[str, str]:
    """Return the parameters of a link to this state: scenario, log, cursor and language, nothing about the sender.

    Raises LinkTooLongError.
    """
    found = {SANDBOX.key: encode_scenario(remove_remarks(view.scenario))}
    cursor = choose_shared_cursor(view)
    if cursor != Cursor(len(view.scenario.operations)):
        found[SANDBOX.at] = encode_cursor(cursor)
    return {**found, "lang": attempts.get_language()}


def format_problem(problem: LabError, words: Translations) -> str:
    """Say why a link to the sandbox could not be opened, and what to do. Plain text."""
    if not isinstance(problem, InvalidLinkError):
        return words.text("scenarios.link_problem", reason=format_error(problem, words))
    part = problem.numbers["part"]
    reason = words.text(f"scenarios.link_part.{part}")
    return words.text("scenarios.link_kept" if part == "kept" else "scenarios.link_broken", reason=reason)
