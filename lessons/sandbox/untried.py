"""The tokens of a long step that were left out, because a limit or the engine stopped it."""

from __future__ import annotations

from lab.engine.errors import LabError
from lab.sandbox.editing import Entry
from lab.sandbox.history import History
from lab.sandbox.scenario import Scenario
from lab.trace.timeline import Timeline
from lessons.state import notes, runs
from lessons.state.slots import SANDBOX


def count(scenario: Scenario) -> tuple[int, int]:
    """Return how many operations of the last press were left out, and how many it had in all.

    (0, 0) if that press did not make this scenario's log.
    """
    untried, times = notes.get_note_about(scenario, "sandbox.untried", (0, 0))
    return untried, times


def note(history: History, entry: Entry) -> None:
    """In a callback: note how many tokens this step has left out, and show the limit if one has stopped it."""
    step = next(step for step in history.scenario.steps if step.last == history.at)
    untried = entry.times - len(step.operations) if entry.kind == "append" else 0
    notes.set_note_about(history.scenario, "sandbox.untried", (untried, entry.times))
    if untried and not _run(history.scenario).steps[history.at - 1].refusal:
        try:
            _run(history.scenario.up_to(history.at).then(entry.operation))
        except LabError as limit:
            notes.flash(limit)


def _run(scenario: Scenario) -> Timeline:
    return runs.run_on_engine(SANDBOX, scenario.config, scenario.operations)
