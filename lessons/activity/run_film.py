"""The film of a run: a frame for each operation and each event, drawn from the engine's snapshots, and its player.

A picture is drawn once for everybody: the same operations on the same pool always give the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

from lab.activities.attempt import Cursor, encode_cursor
from lab.activities.cases.plan import compute_ahead
from lab.activities.run import Run
from lab.engine.errors import LabError
from lab.figures.memory.metrics import Detail
from lab.figures.picture import Picture
from lab.trace.operations import Operation, encode_operation
from lab.trace.timeline import Step, Timeline
from lessons.activity import run_panel
from lessons.activity.slot_marks import AskedSlots
from lessons.state import presenting, runs, viewport
from lessons.state.view import View
from lessons.text.event_phrases import describe_change
from lessons.text.sentences import format_operation
from lessons.text.translations import Translations
from lessons.widgets.film import SHARED_CHUNKS, Ahead, Chunk, Film, Frame, encode_chunk, split_figure
from lessons.widgets.player import PlayerLook, Seek, draw_player

PICTURE = "memory"  # the name of the figure, and the key of the player
UNDER = "under"  # the name of the figure below it
_FEWEST, _CELLS = 24, 8192  # frames to draw at once: as many as have so many cells of the pool, but not fewer
_MOST = 240  # frames to send
_ALL = 10_000
HIDDEN = "…"  # stands for the name of an operation that would give an answer away

AskSlots = Callable[[View, Timeline], AskedSlots | None]
DrawMore = Callable[[View, Timeline, Translations], Picture | None]


def ask_no_slots(_view: View, _timeline: Timeline) -> AskedSlots | None:
    """No question about a slot in the picture."""
    return None


@dataclass(frozen=True)
class OwnFrames:
    """Frames of another kind.

    key     names what they depend on, besides the operations so far, the words and the selection.
    titles  the figures' titles by their names.
    """

    key: Hashable
    draw: Callable[[Cursor], Frame]
    titles: Mapping[str, str]


@dataclass(frozen=True)
class FilmStyle:
    """How the frames are drawn.

    columns   blocks in a row.
    selected  the request whose connectors are strong; None: that of the last operation.
    refusals  a refused operation has the reason as its headline.
    asked     the question about slots at a place, if there is one.
    under     the figure below the memory picture; a pure function of the place.
    detail    how much of a state is drawn, instead of `columns` and `compact`.
    own       draws the frames instead, if they are more than the pictures of this run; they measure no columns.
    """

    columns: int
    compact: bool = False
    selected: str | None = None
    refusals: bool = True
    asked: AskSlots = ask_no_slots
    under: DrawMore | None = None
    detail: Detail | None = None
    own: OwnFrames | None = None


def list_places(timeline: Timeline, step: int) -> list[Cursor]:
    """Every moment of an operation in order, as the address writes it; 0 is the beginning. Pure.

    The last event of an operation is its end.
    """
    events = len(timeline.steps[step - 1].events) if step else 1
    return [*(Cursor(step, event) for event in range(1, events)), Cursor(step)]


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
            "name": format_operation(step.operation, words) if named is None or number <= named else HIDDEN,
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
    style: FilmStyle,
    *,
    last: int | None = None,
    whole: bool = False,
) -> Film:
    """The film around the cursor, or all of it if `whole`. Does not use the session.

    `last`: no frame after this many operations, because the learner is still to be asked about one of them.
    """
    cells = view.run.config.num_blocks * view.run.config.block_size
    to_draw, to_send = (_ALL, _ALL) if whole else (max(_FEWEST, _CELLS // cells), _MOST)
    end = len(timeline.steps)
    steps = range((end if last is None else min(last, end)) + 1)
    chunks: dict[int, Chunk] = {}
    more = False
    for step in sorted(steps, key=lambda step: abs(step - view.cursor.step)):
        drawing = _prepare(view, timeline, step, words, style)
        is_new, count = drawing.key not in SHARED_CHUNKS, len(drawing.moments)
        to_send -= count
        more = is_new and to_draw <= 0 <= to_send
        if chunks and (to_send < 0 or more):
            break
        to_draw -= count if is_new else 0
        chunks[step] = _draw(drawing, timeline, words, style)
    all_places = [encode_cursor(at) for step in range(len(timeline.steps) + 1) for at in list_places(timeline, step)]
    return Film(all_places, [chunks[step] for step in sorted(chunks)], more)


def look_ahead(
    view: View, words: Translations, style: FilmStyle, operation: Operation, rest: tuple[Operation, ...] = ()
) -> Ahead | None:
    """The frames of the operation after the end, computed ahead of its press; None if a limit refuses it.

    `rest`: the plan after it. It is run too, since whoever follows the plan then finds every operation's run done.
    Uses the session only if the style does.
    """
    run, done = view.run.then(operation), len(view.run.operations)
    after = compute_ahead(run.config, (*run.operations, *rest)) or compute_ahead(run.config, run.operations)
    if after is None:
        return None
    drawing = _prepare(View(run, view.cursor, None, view.track), after, len(run.operations), words, style)
    chunk = _draw(drawing, after, words, style)
    (row,) = build_rows(after.steps[done : done + 1], words)
    texts = [encode_cursor(moment.cursor) for moment in drawing.moments]
    logs = (hash_log(view.run), hash_log(run))
    return Ahead(encode_operation(operation), done, *logs, row, texts, chunk)


@dataclass(frozen=True)
class _Drawing:
    """The frames of an operation, not drawn yet. `key` names all that they depend on."""

    key: Hashable
    moments: Sequence[View]
    asked: Sequence[AskedSlots | None]


def _prepare(view: View, timeline: Timeline, step: int, words: Translations, style: FilmStyle) -> _Drawing:
    run = view.run
    moments = [replace(view, cursor=at) for at in list_places(timeline, step)]
    asked = [style.asked(moment, timeline) for moment in moments]
    slots = tuple((tuple(sorted(s.marks.items())), s.on_slot is not None, s.hide_tokens) if s else None for s in asked)
    # Streamlit makes the functions of a page anew in every run, so the key has the name.
    under = style.under and style.under.__qualname__
    done = (run.config, run.operations[:step], len(run.beginning.operations))
    own = style.own.key if style.own else None
    key = (
        done,
        words.identity,
        slots,
        style.columns,
        style.compact,
        style.detail,
        style.selected,
        style.refusals,
        under,
        own,
    )
    return _Drawing(key, moments, asked)


def _draw(drawing: _Drawing, timeline: Timeline, words: Translations, style: FilmStyle) -> Chunk:
    def draw() -> Chunk:
        both = zip(drawing.moments, drawing.asked, strict=True)
        return encode_chunk(_draw_frame(moment, timeline, words, style, slots) for moment, slots in both)

    return SHARED_CHUNKS.get(drawing.key, draw)


def _draw_frame(
    view: View, timeline: Timeline, words: Translations, style: FilmStyle, slots: AskedSlots | None
) -> Frame:
    """The frame at the view's cursor."""
    if style.own is not None:
        return style.own.draw(view.cursor)
    picture = run_panel.build_memory_picture(
        view,
        timeline,
        words,
        columns=style.columns,
        selected=style.selected,
        marks=slots.marks if slots else None,
        slots=slots is not None and slots.on_slot is not None,
        hide_tokens=slots is not None and slots.hide_tokens,
        compact=style.compact,
        detail=style.detail,
    )
    cursor = view.cursor
    headline = run_panel.describe_now(view, timeline, words) if style.refusals or cursor.event is not None else ""
    under = style.under(view, timeline, words) if style.under else None
    figures = {
        name: split_figure(each.spec, each.sentence) for name, each in ((PICTURE, picture), (UNDER, under)) if each
    }
    return Frame(encode_cursor(cursor), figures, picture.sentence, headline, still=cursor.event is None)


def build_seek(view: View, get_view: Callable[[], View]) -> Seek:
    """Where the browser's reports about the run in view lead. `get_view` reads it again when one is there."""
    return Seek(hash_log(view.run), partial(_seek_place, get_view), view.track)


def build_track_seek(view: View) -> Seek:
    """The same for a run of a track."""
    return build_seek(view, partial(runs.get_view, view.track))


def _seek_place(get_view: Callable[[], View], text: str) -> None:
    """In a callback: move the cursor to a place that the browser names. One outside the run moves nothing."""
    view = get_view()
    try:
        cursor = runs.read_cursor(text, view.run, view.track)
    except LabError:
        return
    # Without a place in the address a run that is presented is at its beginning.
    is_default = cursor == Cursor(len(view.run.operations)) and not presenting.is_on()
    runs.seek(view.track, None if is_default else cursor)


def draw_run_player(
    view: View,
    film: Film,
    look: PlayerLook,
    words: Translations,
    *,
    rows: Sequence[dict[str, object]],
    seek: Seek,
    stops: Sequence[int] = (),
    style: FilmStyle,
    on_click: Callable[[str], None] = run_panel.select,
    ahead: str = "",
) -> None:
    """Draw the player of a run. `ahead`: see `draw_player`."""
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
        on_columns=None if style.own else viewport.set_columns,
        titles=style.own.titles if style.own else None,
        columns=style.columns,
        ahead=ahead,
    )
