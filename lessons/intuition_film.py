"""The scenes of the first lesson as the browser draws them: figures from lab.figures, captions in a language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from lab.contiguous import ContiguousSnapshot
from lab.figures.contiguous import contiguous_picture
from lab.figures.memory import memory_picture
from lab.figures.picture import Picture
from lab.intuition.scenes import Frame, Value, scenes
from lab.intuition.visit import SCENES
from lab.snapshot import difference
from lessons.animation import SceneName, Shot, film
from lessons.say import ranges
from lessons.say import said as say
from lessons.text import Language, WordsOf
from lessons.text import words as words_of


@cache
def reel(language: Language, columns: int, last_scene: int) -> str:
    """The film up to that scene: of later ones neither a picture nor a name. The same for everybody, so made once."""
    words = words_of(language)
    shots = [
        Shot(f"{number}.{i}", caption(frame, words), drawn.sentence, drawn.spec, frame.still)
        for number, scene in enumerate(scenes()[:last_scene], 1)
        for i, frame in enumerate(scene, 1)
        for drawn in (picture(frame, words, columns),)
    ]
    names = [
        SceneName(scene_name(number, words), True)
        if number <= last_scene
        else SceneName(words.text("intuition.play.locked", scene=number), False)
        for number in range(1, SCENES + 1)
    ]
    return film(shots, names)


def picture(frame: Frame, words: WordsOf, columns: int) -> Picture:
    """Draw one frame; what changed since the one before is marked. Pure."""
    if isinstance(frame.state, ContiguousSnapshot):
        return contiguous_picture(frame.state, words, columns=columns, compact=True)
    changed = difference(frame.before, frame.state) if frame.before else None
    return memory_picture(frame.state, words, changed=changed, columns=columns, compact=True, clickable=())


def caption(frame: Frame, words: WordsOf) -> str:
    """One or two sentences with the run's numbers."""
    return words.text(f"intuition.caption.{frame.caption}", **said(frame.numbers, words))


def said(numbers: Mapping[str, Value], words: WordsOf) -> dict[str, object]:
    """Numbers as text: ids one after another, slots in ranges."""
    slots = numbers.get("slots")
    return say(numbers, words) | ({"slots": ranges(slots, words)} if isinstance(slots, tuple) else {})


def scene_name(number: int, words: WordsOf) -> str:
    """`Scene 2: …`."""
    return words.text("intuition.play.scene", scene=number, title=words.text(f"intuition.scene.{number}"))
