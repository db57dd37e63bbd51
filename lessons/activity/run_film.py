"""The film of a run: a frame for each operation and each event, drawn from the engine's snapshots, and its player.

A picture is drawn once for everybody: the same operations on the same pool always give the same.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from zlib import crc32

from lab.activities.attempt import Cursor, Run, encode_cursor, parse_cursor
from lab.engine.errors import LabError
from lab.figures.picture import Picture
from lab.trace.config import Config
from lab.trace.operations import Operation, encode_operation
from lab.trace.timeline import Step, Timeline
from lessons.activity import run_panel
from lessons.activity.slot_marks import AskedSlots
from lessons.state import attempts, notes, viewport
from lessons.state.view import Track, View
from lessons.text.event_phrases import describe_change
from lessons.text.sentences import format_operation
from lessons.text.translations import Translations
from lessons.widgets.player import Ahead, Figure, Frame, Look, Seek, draw_player, encode_film, split_figure

PICTURE = "memory"  # the name of the figure, and the key of the player
_MOST_KEPT = 2000  # pictures
_FEWEST, _MOST = 24, 64  # frames in a film: as many as 8,192 cells of the pool, but not more or less than these
_CELLS = 8192

AskSlots = Callable[[View, Timeline], AskedSlots | None]


def ask_no_slots(_view: View, _timeline: Timeline) -> AskedSlots | None:
    """No question about a slot in the picture."""
    return None


@dataclass(frozen=True)
class FilmStyle:
    """How the frames are drawn.

    compact   as many columns as the browser has measured.
    refusals  a refused operation has the reason as its headline.
    asked     the question about slots at a place, if there is one.
    """

    compact: bool = False
    refusals: bool = True
    asked: AskSlots = ask_no_slots


def list_places(timeline: Timeline) -> list[Cursor]:
    """Every moment of a run in order, as the address writes it: a step's last event is the end of the step. Pure."""
    places = [Cursor(0)]
    for number, step in enumerate(timeline.steps, 1):
        places += [Cursor(number, event) for event in range(1, len(step.events))]
        places.append(Cursor(number))
    return places


def hash_log(run: Run) -> str:
    """Identify the pool, the requests and the operations, so that late messages about others can be ignored. Pure."""
    return f"{crc32(repr((run.config, run.operations)).encode('utf-8', 'replace')):x}"


def build_rows(
    steps: Sequence[Step], words: Translations, described: int = 0, named: int | None = None
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


def build_run_film(
    view: View,
    timeline: Timeline,
    words: Translations,
    style: FilmStyle = FilmStyle(),
    *,
    last: int | None = None,
    suggested: Operation | None = None,
) -> str:
    """The film around the cursor.

    last       no frame after this many operations, because the learner is still to be asked about one of them.
    suggested  the operation whose frames come along, computed ahead of its press.
    """
    places = list_places(timeline)
    cells = view.run.config.num_blocks * view.run.config.block_size
    room = max(_FEWEST, min(_MOST, _CELLS // cells))
    open_ = [place for place in places if last is None or place.step <= last]
    chosen = {view.cursor, *sorted(open_, key=partial(_measure_distance, view.cursor))[:room]}
    frames = [_draw_frame(replace(view, cursor=at), timeline, words, style) for at in places if at in chosen]
    ahead = _look_ahead(view, timeline, words, style, suggested) if suggested else None
    return encode_film(frames, [encode_cursor(at) for at in places], ahead)


def _measure_distance(here: Cursor, place: Cursor) -> int:
    """In operations; the places inside operations count as farther."""
    return abs(place.step - here.step) * (1 if place.event is None else 3)


def _look_ahead(
    view: View, timeline: Timeline, words: Translations, style: FilmStyle, operation: Operation
) -> Ahead | None:
    """The frames of the operation after the end; None if a limit refuses it."""
    run = view.run.then(operation)
    after = compute_ahead(run.config, run.operations)
    if after is None:
        return None
    new = [at for at in list_places(after) if at.step > len(timeline.steps)]
    frames = [_draw_frame(View(run, at, None, view.track), after, words, style) for at in new]
    (row,) = build_rows(after.steps[-1:], words)
    return Ahead(encode_operation(operation), len(timeline.steps), hash_log(run), row, frames)


@lru_cache(maxsize=64)
def compute_ahead(config: Config, operations: tuple[Operation, ...]) -> Timeline | None:
    """Run these operations on an engine of their own, which nobody changes; None if a limit refuses one."""
    try:
        return Timeline.replay(config, operations)
    except LabError:
        return None


def _draw_frame(view: View, timeline: Timeline, words: Translations, style: FilmStyle) -> Frame:
    """The frame at the view's cursor."""
    slots, cursor = style.asked(view, timeline), view.cursor
    columns = viewport.get_measured_columns() if style.compact else viewport.get_columns()
    selected = notes.get_note("selected")
    asked = (tuple(sorted(slots.marks.items())), slots.on_slot is not None, slots.hide_tokens) if slots else None
    done = (view.run.config, view.run.operations[: cursor.step], cursor, len(view.run.beginning.operations))
    figure = _draw_once(
        (done, words.identity, style.compact, columns, selected, asked),
        lambda: run_panel.build_memory_picture(
            view,
            timeline,
            words,
            marks=slots.marks if slots else None,
            slots=slots is not None and slots.on_slot is not None,
            hide_tokens=slots is not None and slots.hide_tokens,
            compact=style.compact,
        ),
    )
    headline = run_panel.describe_now(view, timeline, words) if style.refusals or cursor.event is not None else ""
    return Frame(encode_cursor(cursor), {PICTURE: figure}, figure.label, headline, still=cursor.event is None)


_kept: OrderedDict[Hashable, Figure] = OrderedDict()
_lock = threading.Lock()


def _draw_once(key: Hashable, draw: Callable[[], Picture]) -> Figure:
    """The figure with this key; drawn if nobody has seen it for a while."""
    with _lock:
        if (figure := _kept.get(key)) is not None:
            _kept.move_to_end(key)
            return figure
    picture = draw()
    figure = split_figure(picture.spec, picture.sentence)
    with _lock:
        _kept[key] = figure
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return figure


def build_track_seek(view: View) -> Seek:
    """Where the browser's reports about the run in view lead."""
    return Seek(hash_log(view.run), partial(_seek_place, view.track))


def _seek_place(track: Track, text: str) -> None:
    """In a callback: move the cursor to a place that the browser names. One outside the run moves nothing."""
    view = attempts.get_view(track)
    try:
        cursor = attempts.normalize_cursor(parse_cursor(text, view.run), attempts.get_timeline(view.run, track).steps)
    except LabError:
        return
    attempts.seek(track, None if cursor == Cursor(len(view.run.operations)) else cursor)


def draw_run_player(
    view: View,
    film: str,
    look: Look,
    words: Translations,
    *,
    rows: Sequence[dict[str, object]],
    seek: Seek,
    stops: Sequence[int] = (),
    on_click: Callable[[str], None] = run_panel.select,
    columns: int,
) -> None:
    """Draw the player of a run."""
    draw_player(
        film,
        look,
        key=PICTURE,
        at=encode_cursor(view.cursor),
        seek=seek,
        words=words,
        rows=rows,
        stops=[str(stop) for stop in stops],
        on_click=on_click,
        on_columns=viewport.set_columns,
        columns=columns,
    )
