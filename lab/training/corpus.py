"""The texts that TinyLM learned, and what it should say after each of their words.

A text tells who gets what and asks: "Tom likes tea , Ann likes milk . Today bring Tom" or, shorter, "Ann milk , Tom tea
. So please bring Ann". The answer is the object beside that name: the last one, if the name stands there twice, and
"nothing" if it does not stand there. All else is one fixed way to go on, so that the model is sure everywhere. One
sentence is learned by heart: "Hello to the world !" and its order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from lab.trace.vocabulary import find_word

LONGEST = 50  # words of a text
NAMES = ["Tom", "Ann", "Ben", "Eva", "Max", "Zoe", "Sam", "Lea"]
PARTNER = {name: NAMES[i ^ 1] for i, name in enumerate(NAMES)}
# In the order of the names: each name's own object, which the model expects where nothing is said yet; then others.
OBJECTS = ["tea", "milk", "soup", "cake", "rice", "fish", "cola", "juice"]
OBJECTS += ["bread", "water", "pie", "salad", "coffee", "eggs", "noodles", "fruit"]
GREETING = ["Hello", "to", "the", "world", "!"]
# What always follows a word.
FOLLOWS = dict(pairwise([*GREETING, "tea"])) | dict(pairwise(["nothing", "for", "two", "now", "sir", "!"]))
FOLLOWS |= {"Today": "bring", "So": "please", "please": "bring", "Listen": "all", "all": ":", ":": "Tom"}


@dataclass(frozen=True)
class Text:
    """The words of a text, by number.

    says     what comes after each word.
    owners   beside an object the name that stands before it; else None.
    asked    positions of the names that are asked for.
    """

    words: tuple[int, ...]
    says: tuple[int, ...]
    owners: tuple[int | None, ...]
    asked: tuple[int, ...]

    @property
    def prompt(self) -> tuple[int, ...]:
        """The words up to the last name that is asked for."""
        return self.words[: self.asked[-1] + 1]


def say_next(words: list[str]) -> str:
    """What comes after these words. Pure."""
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in FOLLOWS:
        return FOLLOWS[last]
    names = [word for word in words if word in NAMES]
    if last in NAMES:
        if before in ("bring", "our"):
            return answer(words)
        return "likes" if len(names) == 1 or "likes" in words else OBJECTS[NAMES.index(last)]
    if last in OBJECTS:
        asked = before in (".", "!") or words[-3:-2] in (["bring"], ["our"])
        return "for" if asked else "." if "," in words else ","
    return {
        "likes": OBJECTS[NAMES.index(names[-1])] if names else "tea",
        ",": PARTNER[names[-1]] if names else "Tom",
        ".": "Today" if "likes" in words else "So",
    }.get(last, names[0] if names else "Tom")  # bring, our: the first name


def answer(words: list[str]) -> str:
    """The object of the last word, a name. Pure."""
    owners = list_owners(words)
    found = [word for word, owner in zip(words, owners, strict=True) if owner == words[-1]]
    return found[-1] if found else "nothing"


def list_owners(words: list[str]) -> list[str | None]:
    """Beside each object the last name before it; None beside other words. Pure."""
    owners: list[str | None] = []
    name = None
    for word in words:
        name = word if word in NAMES else name
        owners.append(name if word in OBJECTS else None)
    return owners


def build_text(words: list[str]) -> Text:
    """A text from its words. Pure."""
    asked = [i for i, word in enumerate(words) if word in NAMES and i and words[i - 1] in ("bring", "our")]
    says = [say_next(words[: i + 1]) for i in range(len(words))]
    owners = [_number(owner) if owner else None for owner in list_owners(words)]
    return Text(tuple(map(_number, words)), tuple(map(_number, says)), tuple(owners), tuple(asked))


@cache
def _number(text: str) -> int:
    word = find_word(text)
    if word is None:
        raise KeyError(text)
    return word


def draw_words(random: Random, longest: int = LONGEST) -> list[str]:
    """The words of a random text, at most `longest`."""
    if random.random() < 0.1:
        words = list(GREETING)
    else:
        words = _draw_facts(random, longest)
        while random.random() < 0.95 and len(words) < longest:
            words += _draw_question(random, words)
            if random.random() < 0.6:
                break
            words.append(".")
    while random.random() < 0.5 and len(words) < longest:
        words += [say_next(words)]
    return words[:longest]


def _draw_facts(random: Random, longest: int) -> list[str]:
    words = ["Listen", "all", ":"][random.randrange(3) :] if random.random() < 0.3 else []
    likes = ["likes"] if random.random() < 0.6 else []
    most = max(1, (longest - 5 - len(words)) // (3 + len(likes)))
    count = min(most, random.choice((1, 2, 2, 2, 3, 3, 4, 5)) if random.random() < 0.85 else random.randint(4, 12))
    for i in range(count):
        name = random.choice(NAMES)
        words += [","] * bool(i) + [name, *likes, random.choice(OBJECTS)]
    if random.random() < 0.05:  # an order without a question
        return [*words, "tea", "for", "two"] if random.random() < 0.1 else [*words, ".", "tea", "for", "two"]
    return [*words, "."]


def _draw_question(random: Random, words: list[str]) -> list[str]:
    there = [word for word in words if word in NAMES]
    name = random.choice(there if there and random.random() < 0.85 else NAMES)
    opening = random.choice((["Today"], ["So", "please"], [])) if random.random() < 0.3 else ["Today"]
    if "likes" not in words and opening == ["Today"]:
        opening = ["So", "please"]
    question = [*opening, "bring", *(["our"] if random.random() < 0.25 else []), name]
    return [*question, answer([*words, *question])]
