"""Edit the log as a list: delete, move and repeat the step in view. The list itself is the player's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lab.sandbox.editing import delete, find_index, move, repeat
from lab.sandbox.scenario import Scenario
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxAttempt
from lessons.sandbox.run_player import build_sandbox_seek
from lessons.sandbox.sentences import format_step
from lessons.text.translations import Translations
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons

_EDITS: dict[str, Callable[[Scenario, int], tuple[Scenario, int]]] = {
    "delete": delete,
    "earlier": partial(move, by=-1),
    "later": partial(move, by=1),
    "repeat": repeat,
}


def draw_editing(attempt: SandboxAttempt, words: Translations) -> None:
    """Draw the buttons that change the step in view; nothing at the beginning of the log."""
    steps, index = attempt.scenario.steps, find_index(attempt.scenario, attempt.cursor.step)
    if index < 0:
        return
    useless = {"earlier": index == 0, "later": index == len(steps) - 1}
    draw_operation_buttons(
        [
            OperationButton(name, words.text(f"authoring.edit.{name}"), disabled=useless.get(name, False))
            for name in _EDITS
        ],
        index=attempt.cursor.step,
        key="sandbox_editing",
        on_press=_press,
        label=words.text("authoring.edit_step", step=index + 1, name=format_step(steps[index], words)),
        seek=build_sandbox_seek(attempt),
        by_place=True,
    )


def _press(name: str, index: int) -> None:
    attempt = sandbox.read_url()
    at = find_index(attempt.scenario, index)
    if at < 0 or (name, at) in (("earlier", 0), ("later", len(attempt.scenario.steps) - 1)):
        return  # the page is older than the press
    sandbox.edit(_EDITS[name], index)
