"""The sandbox's run in the player: the picture, all operations with their changes, the buttons to step and play."""

from __future__ import annotations

from lab.engine.errors import LabError
from lab.sandbox.library import get_prompt_after
from lab.sandbox.link import parse_cursor
from lessons.activity.run_film import FilmStyle, build_rows, build_run_film, draw_run_player, hash_log
from lessons.activity.run_panel import build_memory_picture
from lessons.sandbox import attempt as sandbox
from lessons.sandbox.attempt import SandboxAttempt
from lessons.sandbox.prompts import find_next_prompt, list_stops
from lessons.state import attempts, presenting, viewport
from lessons.text.translations import Translations
from lessons.widgets.picture_panel import draw_tables
from lessons.widgets.player import STEPPING, Look, Seek

_PARTS = ("stage", "controls", "headline", "sentence", "list", "keys", "story")
_CONTROLS = (*STEPPING, "speed", "list", "keys")


def draw_run(attempt: SandboxAttempt, words: Translations) -> None:
    """Draw the picture with its player and its table.

    While a question is still to come, the browser gets neither the frames after its operation nor their names.
    """
    view, timeline, is_presented = attempt.view, attempt.timeline, presenting.is_on()
    prompt = find_next_prompt(attempt)
    tells_ahead = not (is_presented or prompt)
    described = len(timeline.steps) if tells_ahead else view.cursor.step - (view.cursor.event is not None)
    style = FilmStyle(refusals=is_presented)  # else the reason stands beside the picture
    has_log = bool(timeline.steps)
    draw_run_player(
        view,
        build_run_film(view, timeline, words, style, last=_find_last(attempt)),
        Look(_PARTS, controls=_CONTROLS if has_log else _CONTROLS[: len(STEPPING)], list=has_log),
        words,
        rows=build_rows(timeline.steps, words, described, prompt.step if prompt else None),
        seek=build_sandbox_seek(attempt),
        stops=() if tells_ahead else list_stops(attempt),
        columns=viewport.get_columns(),
    )
    draw_tables("memory_table", words, lambda: [("", build_memory_picture(view, timeline, words))])


def _find_last(attempt: SandboxAttempt) -> int | None:
    """After how many operations the frames end: at the point that is covered, or at the next question's operation."""
    cursor = attempt.cursor
    at_point = cursor.event is None and get_prompt_after(attempt.scenario, cursor.step) is not None
    if at_point and presenting.is_hidden():
        return cursor.step
    prompt = find_next_prompt(attempt)
    return prompt.step if prompt else None


def build_sandbox_seek(attempt: SandboxAttempt) -> Seek:
    """Where the browser's reports about the log in view lead."""
    return Seek(hash_log(attempt.run), _seek_place)


def _seek_place(text: str) -> None:
    """In a callback: move the cursor to a place that the browser names. One outside the log moves nothing."""
    attempt = sandbox.read_url()
    if attempt.problem is not None:
        return
    try:
        cursor = attempts.normalize_cursor(parse_cursor(text, attempt.scenario), attempt.timeline.steps)
    except LabError:
        return
    sandbox.move(cursor)
