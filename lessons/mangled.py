"""Addresses as they arrive after a mail program, a course site or a hand has been at them. Pure.

Repaired is only what can mean one thing: no key and no value that the lab writes holds `&`, `=`, blanks, quotes or
brackets (they are letters, digits and `.-_~@`). What is cut off or changed inside stays as it is: whoever reads it says
so. A full stop at the end stays too: the link may have been cut there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from lab.cases import LESSONS
from lessons.text import LANGUAGES

# Each run with the key of the place in it.
_PLACES = {
    **{"run": "at", "run8": "at8"},
    **{name: f"at_{name}" for name in (*LESSONS, "sandbox", "quiz", "memory")},
}
_KNOWN = {"lang", "part", "present", "question", "intuition", *_PLACES, *_PLACES.values()}
_CHOICES = {"lang", "part", "present"}  # written small
_AND = re.compile(r"&(?:amp;|#0*38;|#x0*26;)*", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:amp;|#0*38;|#x0*26;)+", re.IGNORECASE)
# Blanks, and what nobody sees: soft hyphens, marks of width zero or direction.
_UNSEEN = re.compile(r"[\s\u00ad\u200b-\u200f\u2060\ufeff]+")
_AROUND = "<>()[]{}\"'`*,;:!?|\\“”‘’«»。，；：！？、（）《》「」『』【】〉〈…"


def repaired(sent: Mapping[str, str]) -> dict[str, str]:
    """The parameters as they were meant. What nobody here knows passes unchanged."""
    found = {key: text for key, value in sent.items() for name, text in _parts(key, value) if name == key}
    for key, value in sent.items():
        for name, text in _parts(key, value):
            found.setdefault(name, text)
    return _placed(found)


def _parts(key: str, value: str) -> list[tuple[str, str]]:
    """What one parameter was meant to be: several, where the signs between them came as text."""
    whole = f"{key}={value}" if value or "=" not in unquote(key) else key
    first, *more = _AND.split(unquote(whole) if "%" in whole else whole)
    pairs = [each.partition("=") for each in (first, *more)]
    if any(_name(name) not in _KNOWN for name, _, _ in pairs):
        return [(key, value)]
    return [(_name(name), _value(_name(name), text)) for name, _, text in pairs]


def _name(text: str) -> str:
    return _UNSEEN.sub("", _BEFORE.sub("", text)).lower()


def _value(name: str, text: str) -> str:
    text = _UNSEEN.sub("", text).strip(_AROUND)
    text = text.removeprefix("3D")  # `=3D`: a mail's own way to write `=`
    if name in _CHOICES:
        text = text.lower()
    if name == "lang":
        language = re.split(r"[-_.]", text)[0]  # `zh-CN`
        return language if language in LANGUAGES else text
    return text


def _placed(found: dict[str, str]) -> dict[str, str]:
    """`at` beside a single other run, and none of its own, is the place in that one."""
    others = [run for run in found if run in _PLACES and run != "run" and _PLACES[run] not in found]
    if "at" in found and "run" not in found and len(others) == 1:
        found[_PLACES[others[0]]] = found.pop("at")
    return found
