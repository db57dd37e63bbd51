"""The player: steps through, plays or scrubs a run in the browser, which gets the frames once and reports its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.figures.theme import get_dark_colors
from lessons.server.components import declare_component
from lessons.state import attempts
from lessons.state.session import get_event, get_session
from lessons.state.slots import Slot
from lessons.text.translations import Translations
from lessons.widgets.film import Ahead, Film, describe_ahead, describe_film
from lessons.widgets.live_figure import OnClick, OnColumns, build_figure_data, build_figure_handlers

LIBRARIES = ("colors", "after_run", "element", "figure", "live_figure", "delivery", "turns")
PARTS = ("places", "keys", "list", "film", "story", "draw", "report", "play")
FILES = (
    *(f"lib/{name}.js" for name in LIBRARIES),
    *(f"components/player/player_{part}.js" for part in PARTS),
    "components/player/player.js",
)
_mount = declare_component("player", *FILES)
_mount_ahead = declare_component("ahead", "components/player/ahead.js")

STEPPING = ("first", "back", "event_back", "play", "event_forward", "forward", "last", "slider")
_SPEEDS = ("0.5", "1", "2", "4")  # operations a second
_WORDS = ("label", "play", "pause", "speed", "slider", "list", "start", "ahead", "keys", "story")
_POSITIONS = {  # sentence -> fields that the browser fills in
    "position_start": ("total",),
    "position": ("step", "total", "operation"),
    "position_event": ("step", "total", "operation", "event", "events"),
}
_MAX_PLACE = 12  # characters
_HAVE = "player.have"
_MOST_CHUNKS = 200  # that the browser keeps, see player_film.js


@dataclass(frozen=True)
class Seek:
    """Where a report of the browser leads. `log` names the run: a report about another one is ignored.

    slot   where the address holds what is in view; None: nowhere.
    """

    log: str
    go: Callable[[str], None]
    slot: Slot | None = None

    def read(self) -> tuple[str, ...]:
        """What the address says is in view."""
        return (attempts.get_value(self.slot.key), attempts.get_value(self.slot.at)) if self.slot else ()

    def handle(self, message: object) -> bool:
        """Go to the place in an untrusted message. Returns whether it was one about this run."""
        at = message.get("at") if isinstance(message, dict) and message.get("log") == self.log else None
        if not isinstance(at, str) or len(at) > _MAX_PLACE:
            return False
        self.go(at)
        return True


@dataclass(frozen=True)
class Jump:
    """A button that leads to a place; empty while the place is still closed."""

    name: str
    label: str
    at: str


@dataclass(frozen=True)
class PlayerLook:
    """What a player shows, and how.

    parts     the order from top to bottom.
    controls  which buttons there are.
    keys      "all" takes every key on the page, "arrows" leaves those that scroll, "" only keys pressed in the player.
    by_event  a place like `3.2` is inside an operation; in a film it is a picture like any other.
    stacked   several figures stand below each other, even where there is room beside each other.
    tallest   the height of the highest figure, before a projector enlarges it; 0: of those that were sent.
    opened    the storyboard on the screen begins with this scene; it is unfolded if `story_open`. On paper too it ends
              with the picture in view, unless it `tells_ahead`.
    """

    parts: tuple[str, ...]
    controls: tuple[str, ...] = STEPPING
    keys: str = "all"
    by_event: bool = True
    list: bool = False
    stacked: bool = False
    opened: int = 0
    story_open: bool = False
    tells_ahead: bool = True
    tallest: float = 0


def remember_chunks(message: Mapping[str, Any]) -> None:
    """In a callback: note which chunks the browser has, as its message says."""
    have = message.get("have")
    if isinstance(have, list) and len(have) <= _MOST_CHUNKS and all(isinstance(each, str) for each in have):
        get_session()[_HAVE] = frozenset(have)


def draw_player(
    film: Film,
    look: PlayerLook,
    *,
    key: str,
    at: str,
    seek: Seek,
    words: Translations,
    rows: Sequence[Mapping[str, object]] = (),
    stops: Sequence[str] = (),
    jumps: Sequence[Jump] = (),
    own_words: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    on_click: OnClick = None,
    on_columns: OnColumns = None,
    columns: int = 8,
    ahead: str = "",
) -> None:
    """Draw the player. It never starts by itself.

    film        the frame at `at` must be in it.
    at          the place in the address. The browser goes there, unless it is about to report another one.
    rows        the operations, each with its name and number of events; see `lessons.activity.run_film.build_rows`.
    stops       places where playing pauses.
    own_words   texts that differ from the usual ones, and `cue`, shown at the last picture.
    titles      the title of each figure by its name.
    on_click    called with the customdata of the clicked marker.
    on_columns  called with 8 or 4 if the figures have room for another number of columns than `columns`.
    ahead       the address of an operation's frames, without its id; see `lessons.server.ahead`. Empty: there is none.
    """
    heard, drawn = f"{key}.heard", seek.read()

    def handle_seek() -> None:
        message = get_event(key, "seek")
        if isinstance(message, dict):
            serial = message.get("serial")
            get_session()[heard] = serial if type(serial) is int else None
            remember_chunks(message)
            # A button that was pressed right after the report may have led elsewhere: if both reach the server in one
            # run, Streamlit calls the button's callback first.
            if seek.read() == drawn:
                seek.handle(message)

    def handle_lost() -> None:
        get_session().pop(_HAVE, None)

    _mount(
        key=key,
        data={
            "film": describe_film(film, get_session().get(_HAVE, ())),
            "at": at,
            "log": seek.log,
            "heard": get_session().get(heard),
            "rows": list(rows),
            "stops": list(stops),
            "jumps": [vars(jump) for jump in jumps],
            "words": {**collect_texts(words), **(own_words or {})},
            "titles": dict(titles or {}),
            "ahead": ahead,
            **describe_look(look, words),
            **build_figure_data(on_click, on_columns, columns),
        },
        on_seek_change=handle_seek,
        on_lost_change=handle_lost,
        **build_figure_handlers(key, on_click, on_columns),
    )


def mount_ahead(ahead: Ahead) -> None:
    """Send the frames of an operation ahead of its press: the player draws them as soon as its button is pressed.

    Comes last on a page, so that nothing that can be seen waits for them.
    """
    _mount_ahead(key="ahead", data=describe_ahead(ahead, get_session().get(_HAVE, ())))


def describe_look(look: PlayerLook, words: Translations) -> dict[str, Any]:
    """The look as data for the browser."""
    names = ("0.5", "1", "1.5", "2") if not look.by_event else _SPEEDS
    speeds = [[n, words.text("player.speed_option", n=n) if look.by_event else f"{n}×"] for n in names]
    return {**vars(look), "speeds": speeds, "dark_colors": get_dark_colors()}


def collect_texts(words: Translations) -> dict[str, str]:
    """The texts of a player of operations; positions with fields that the browser fills in."""
    texts = {name: words.text(f"player.{name}") for name in (*_WORDS, *STEPPING[:3], *STEPPING[4:7])}
    for name, fields in _POSITIONS.items():
        texts[name] = words.text(f"task.{name}", **{name: f"{{{name}}}" for name in fields})
    return texts
