"""The operations of the sandbox: for which request, which one; what is refused, and why."""

from __future__ import annotations

from lab.operations import operation_text, parse_operation
from lessons import sandbox_place
from lessons.operation_buttons import OperationButton, operation_buttons
from lessons.sandbox_place import SandboxPlace
from lessons.say import say_operation
from lessons.text import WordsOf


def operate(here: SandboxPlace, words: WordsOf) -> None:
    """Draw the operations."""
    offered = [parse_operation(f"{letter}{asked.seq_id}") for asked in here.scenario.requests for letter in "atr"]
    operation_buttons(
        [OperationButton(operation_text(each), say_operation(each, words)) for each in offered],
        index=here.cursor.step,
        key="sandbox_operations",
        on_press=lambda operation, index: sandbox_place.act(parse_operation(operation), index),
        label=words.text("sandbox.operations"),
    )
