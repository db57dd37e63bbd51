"""The sandbox's run in the player: the picture, all operations with their changes, the buttons to step and play."""

from __future__ import annotations

from lab.sandbox.library import get_prompt_after
from lab.trace.timeline import join_steps
from lessons.activity.run_film import HIDDEN, FilmStyle, build_rows, build_run_film, build_seek, draw_run_player
from lessons.activity.run_panel import build_memory_picture, get_selected
from lessons.presenter.detail import find_detail
from lessons.sandbox import attempt as sandbox
from lessons.sandbox import beside
from lessons.sandbox.attempt import SandboxView
from lessons.sandbox.prompts import find_next_prompt, list_stops
from lessons.state import presenting, viewport
from lessons.text.event_phrases import describe_change
from lessons.text.scenario_texts import format_step
from lessons.text.translations import Translations
from lessons.widgets.picture_files import draw_picture_files
from lessons.widgets.picture_panel import draw_tables
from lessons.widgets.player import STEPPING, PlayerLook, Seek

_PARTS = ("stage", "controls", "headline", "sentence", "list", "keys", "story")
_PRESENTED_PARTS = ("headline", "stage", "controls", "sentence", "list", "keys", "story")  # what is above moves nothing
_CONTROLS = (*STEPPING, "speed", "list", "keys")


def draw_run(view: SandboxView, words: Translations) -> None:
    """Draw the picture with its player and its table.

    While a question is still to come, the browser gets neither the frames after its operation nor their names.
    """
    timeline, is_presented = view.timeline, presenting.is_on()
    prompt = find_next_prompt(view)
    tells_ahead = not (is_presented or prompt)
    described = len(timeline.steps) if tells_ahead else view.cursor.step - (view.cursor.event is not None)
    pair = beside.find_pair(view, words)
    # If not presented, the reason of a refusal stands beside the picture.
    own = pair.frames if pair else None
    detail, tallest = (pair.detail, pair.tallest) if own and pair else find_detail(words, timeline)
    style = FilmStyle(viewport.get_columns(), selected=get_selected(), refusals=is_presented, detail=detail, own=own)
    rows = build_rows(timeline.steps, words, described, prompt.step if prompt else None)
    _mark_steps(rows, view, words, described)
    if pair and pair.parted_at and pair.parted_at <= described:
        row = rows[pair.parted_at - 1]
        row["what"] = f"{row['what']}{words.text('figures.semicolon')}{words.text('beside.part_mark')}"
    has_log = bool(timeline.steps)
    draw_run_player(
        view,
        build_run_film(view, timeline, words, style, last=_find_last(view)),
        PlayerLook(
            _PRESENTED_PARTS if is_presented else _PARTS,
            controls=_CONTROLS if has_log else _CONTROLS[: len(STEPPING)],
            list=has_log,
            tells_ahead=tells_ahead,
            tallest=tallest,
        ),
        words,
        rows=rows,
        seek=build_sandbox_seek(view),
        stops=() if tells_ahead else list_stops(view),
        style=style,
    )
    files = f"paged-kv-{view.scenario.key or 'scenario'}"
    draw_tables(
        "memory_table",
        words,
        pair.build_tables
        if own and pair
        else lambda: [("", build_memory_picture(view, timeline, words, columns=style.columns))],
        "task.table_and_files",
        lambda: draw_picture_files(files, words),
    )
    beside.draw_choice(view, pair, words, tells_ahead=tells_ahead)


def _mark_steps(rows: list[dict[str, object]], view: SandboxView, words: Translations, described: int) -> None:
    """Let the last row of each step that has several operations speak for all of them, as far as rows may speak."""
    for step in view.scenario.steps:
        if step.group is None:
            continue
        for number in range(step.first, step.last):
            rows[number - 1]["inside"] = True
        row, done = rows[step.last - 1], view.timeline.steps[step.first - 1 : step.last]
        if row["name"] != HIDDEN:
            row["name"] = format_step(step, words)
        if step.last <= described:
            row["what"] = describe_change(join_steps(done), words)


def _find_last(view: SandboxView) -> int | None:
    """After how many operations the frames end: at the point that is covered, or at the next question's operation."""
    cursor = view.cursor
    at_point = cursor.event is None and get_prompt_after(view.scenario, cursor.step) is not None
    if at_point and presenting.is_hidden():
        return cursor.step
    prompt = find_next_prompt(view)
    return prompt.step if prompt else None


def build_sandbox_seek(view: SandboxView) -> Seek:
    """Where the browser's reports about the log in view lead."""
    return build_seek(view, sandbox.get_view)
