"""The frames of the first lesson's film: figures from lab.figures with translated captions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from lab.activities.intuition.progress import SCENES
from lab.activities.intuition.storyboard import StoryFrame, Value, build_scenes
from lab.figures.contiguous import draw_contiguous
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.picture import Picture
from lab.trace.contiguous import ContiguousSnapshot
from lab.trace.snapshot import compare_snapshots
from lessons.text.sentences import format_ranges
from lessons.text.sentences import format_values as say
from lessons.text.translations import Language, Translations
from lessons.text.translations import get_translations as words_of
from lessons.widgets.film import Chunk, Film, Frame, encode_chunk, split_figure
from lessons.widgets.player import Jump

PICTURE = "film"


def build_film(language: Language, columns: int, last_scene: int) -> Film:
    """Return the film up to that scene, without pictures of later ones."""
    scenes = range(1, last_scene + 1)
    places = [f"{number}.{i}" for number in scenes for i in range(1, len(build_scenes()[number - 1]) + 1)]
    return Film(places, [_build_scene(language, columns, number) for number in scenes])


@cache
def _build_scene(language: Language, columns: int, number: int) -> Chunk:
    """The frames of a scene. The same for all, so cached."""
    words = words_of(language)
    return encode_chunk(
        Frame(
            f"{number}.{i}",
            {PICTURE: split_figure(drawn.spec, drawn.sentence)},
            format_caption(frame, words),
            title=format_scene_name(number, words),
            still=frame.still,
        )
        for i, frame in enumerate(build_scenes()[number - 1], 1)
        for drawn in (draw_frame(frame, words, columns),)
    )


def list_jumps(last_scene: int, words: Translations) -> list[Jump]:
    """Return a button for each scene. Later scenes have no name yet."""
    return [
        Jump(str(number), format_scene_name(number, words), f"{number}.1")
        if number <= last_scene
        else Jump(str(number), words.text("intuition.play.locked", scene=number), "")
        for number in range(1, SCENES + 1)
    ]


def draw_frame(frame: StoryFrame, words: Translations, columns: int) -> Picture:
    """Draw one frame and mark what changed since the previous one. Pure."""
    if isinstance(frame.state, ContiguousSnapshot):
        return draw_contiguous(frame.state, words, columns=columns, compact=True)
    changed = compare_snapshots(frame.before, frame.state) if frame.before else None
    return draw_memory(frame.state, words, changed=changed, columns=columns, compact=True, clickable=())


def format_caption(frame: StoryFrame, words: Translations) -> str:
    """Return the caption with the run's numbers."""
    return words.text(f"intuition.caption.{frame.caption}", **format_values(frame.numbers, words))


def format_values(numbers: Mapping[str, Value], words: Translations) -> dict[str, object]:
    """Format numbers: ids as a list, slots as ranges."""
    slots = numbers.get("slots")
    return say(numbers, words) | ({"slots": format_ranges(slots, words)} if isinstance(slots, tuple) else {})


def format_scene_name(number: int, words: Translations) -> str:
    """Return a title like `Scene 2: …`."""
    return words.text("intuition.play.scene", scene=number, title=words.text(f"intuition.scene.{number}"))
