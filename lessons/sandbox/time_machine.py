"""Time travel in the sandbox: the list of all operations with their changes, and the controls to step and play."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import streamlit as st

from lab.activities.attempt import encode_cursor, parse_cursor
from lab.engine.errors import LabError
from lab.sandbox.scenario import Scenario
from lab.trace.timeline import Step
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxAttempt
from lessons.server.asset_files import read_assets
from lessons.state import notes, runs
from lessons.state.session import get_event
from lessons.text.event_phrases import describe_change
from lessons.text.sentences import format_operation
from lessons.text.translations import Translations

_KEY = "time_machine"
_PARTS = ("_places", "_keys", "_list", "_draw", "")
_mount = st.components.v2.component(
    "paged_kv_lab_time_machine",
    js=read_assets(
        "lib/colors.js",
        "lib/after_run.js",
        "lib/element.js",
        *(f"components/time_machine/time_machine{part}.js" for part in _PARTS),
    ),
    css=read_assets("components/time_machine/time_machine.css"),
    isolate_styles=False,
)
_WORDS = ("label", "first", "back", "play", "pause", "forward", "last", "speed", "list", "start", "ahead", "keys")
_POSITIONS = {  # sentence -> fields that the browser fills in, because it moves before Python answers
    "position_start": ("total",),
    "position": ("step", "total", "operation"),
    "position_event": ("step", "total", "operation", "event", "events"),
}
_SPEEDS = ("0.5", "1", "2", "4")  # operations per second


def draw_time_machine(
    attempt: SandboxAttempt,
    words: Translations,
    *,
    tells_ahead: bool = True,
    question_at: int | None = None,
    stops: Sequence[int] = (),
) -> None:
    """Draw the controls and the list of all operations.

    `tells_ahead`: whether the list shows what the operations after the cursor changed. Not while they are to be
    predicted. `question_at`: the operation, counted from 1, that the next question is about; those after it are not
    named. `stops`: where playing pauses, as counts of operations.
    """
    described = (
        len(attempt.scenario.operations) if tells_ahead else attempt.cursor.step - (attempt.cursor.event is not None)
    )
    _mount(
        key=_KEY,
        data={
            "at": encode_cursor(attempt.cursor),
            "log": _hash_log(attempt.scenario),
            "heard": notes.get_note("time_machine.heard"),
            "stops": list(stops),
            "rows": build_rows(attempt.timeline.steps, words, described, question_at),
            "words": _collect_texts(words),
            "speeds": [[speed, words.text("time_machine.speed_option", n=speed)] for speed in _SPEEDS],
        },
        on_go_change=lambda: _go(get_event(_KEY, "go")),
    )


def build_rows(
    steps: Sequence[Step], words: Translations, described: int, named: int | None = None
) -> list[dict[str, object]]:
    """Return a row for each operation: its name, whether it was refused, its number of events and what it changed.

    Only the first `described` operations show what they changed and whether they were refused: a repeated operation
    would give away that the first try was refused. Only the first `named` operations show their name; None: all.
    """
    return [
        {
            "name": format_operation(step.operation, words) if named is None or number <= named else "…",
            "what": describe_change(step, words) if number <= described else "",
            "refused": number <= described and step.refusal is not None,
            "events": len(step.events),
        }
        for number, step in enumerate(steps, 1)
    ]


def _collect_texts(words: Translations) -> dict[str, str]:
    texts = {name: words.text(f"time_machine.{name}") for name in _WORDS}
    texts |= {name: words.text(f"task.{name}") for name in ("event_back", "event_forward")}
    for name, fields in _POSITIONS.items():
        texts[name] = words.text(f"task.{name}", **{field: f"{{{field}}}" for field in fields})
    return texts


def _hash_log(scenario: Scenario) -> str:
    """Identify the scenario and its log, so that late messages about another one can be ignored."""
    return f"{crc32(repr(scenario).encode('utf-8', 'replace')):x}"


def _go(message: object) -> None:
    """Move to the cursor that the browser asks for. The message holds it, the log's hash, and a stamp to return.

    The message is untrusted: a cursor outside the log in view moves nothing.
    """
    if not isinstance(message, dict):
        return
    stamp = message.get("stamp")
    if not isinstance(stamp, int | float) or stamp == notes.get_note("time_machine.heard"):
        return  # the browser repeats a message until it is acknowledged
    notes.set_note("time_machine.heard", stamp)
    attempt = sandbox.read_url()
    if attempt.problem is not None or message.get("log") != _hash_log(attempt.scenario):
        return
    try:
        cursor = runs.normalize_cursor(
            parse_cursor(str(message.get("at")), attempt.scenario.operations), attempt.timeline.steps
        )
    except LabError:
        return
    sandbox.move(cursor)
