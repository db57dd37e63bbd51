"""Wrong reads: attention of the asked name over slots that are not all its own, and what the slots then say.

The model is trained on these too. A model that has only seen right reads may say anything after a wrong one; this one
says what stands in the slots that it was given, so that a learner can predict its word from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from lab.trace.vocabulary import find_word
from lab.training.corpus import Text

Slot = tuple[int, int]  # the number of a text, and a position in it


@dataclass(frozen=True)
class WrongRead:
    """The asked name's `word` and `position`, the `slots` that it reads before itself, and what the model `says`."""

    word: int
    position: int
    slots: tuple[Slot, ...]
    says: int


def draw_wrong_read(random: Random, texts: Sequence[Text], text: Text) -> WrongRead | None:
    """One asked name of this text reads a block of another text, a foreign slot, a stale tail, or has a gap.

    None if two of the slots disagree about the answer at one position.
    """
    own, position = texts.index(text), random.choice(text.asked)
    slots: list[Slot] = [(own, at) for at in range(position)]
    size = random.choice((1, 2, 3, 4, 4, 4, 8))
    first = random.randrange(0, max(1, position), size)
    last = min(first + size, position)
    other = random.randrange(len(texts))
    length = len(texts[other].words)
    begin = random.randrange(0, length, size)
    foreign: list[Slot] = [(other, at) for at in range(begin, min(begin + size, length))]
    match random.choice(("block", "block", "block", "slot", "tail", "gap", "right")):
        case "block":
            slots[first:last] = foreign[: last - first]
        case "slot":
            slots[random.randrange(position)] = random.choice(foreign)
        case "tail":
            slots += foreign[: random.randint(1, size)]
        case "gap":
            del slots[first:last]
    says = find_answer(texts, text.words[position], slots)
    return None if says is None else WrongRead(text.words[position], position, tuple(slots), says)


def find_answer(texts: Sequence[Text], name: int, slots: Sequence[Slot]) -> int | None:
    """What these slots say about a name: its object at the latest position; "nothing" without one.

    An object's slot knows the name that stood before it when it was written. None if two objects share that position.
    """
    found = [(at, texts[t].words[at]) for t, at in slots if texts[t].owners[at] == name]
    if not found:
        return find_word("nothing")
    latest = {word for at, word in found if at == max(found)[0]}
    return latest.pop() if len(latest) == 1 else None
