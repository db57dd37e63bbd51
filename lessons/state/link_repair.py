"""Repairs addresses that a mail program, a course site or a typist has damaged. Pure.

Only damage with one possible meaning is repaired: the lab's keys and values consist of letters, digits and `.-_~@`,
without `&`, `=`, blanks, quotes or brackets. A value that is cut off or changed inside stays as it is, and its reader
reports it. A full stop at the end stays too: the link may have been cut there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from lessons.state.slots import ACTIVITIES, SANDBOX, SLOTS
from lessons.text.translations import LANGUAGES

# The key of each attempt, with the key of its cursor.
_CURSORS = {slot.key: slot.at for slot in (*SLOTS, SANDBOX)} | {"memory": "at_memory"}
_OTHERS = {"lang", "part", "present", "question", "start", "class", "window", ACTIVITIES["memory"].at, "beside"}
_KNOWN = {*_OTHERS, *_CURSORS, *_CURSORS.values()}
_CHOICES = {"lang", "part", "present", "beside"}  # values in lower case
_AND = re.compile(r"&(?:amp;|#0*38;|#x0*26;)*", re.IGNORECASE)
_BEFORE = re.compile(r"^(?:amp;|#0*38;|#x0*26;)+", re.IGNORECASE)
# Blanks and invisible characters: soft hyphens, zero-width characters, direction marks.
_UNSEEN = re.compile(r"[\s\u00ad\u200b-\u200f\u2060\ufeff]+")
_AROUND = "<>()[]{}\"'`*,;:!?|\\“”‘’«»。，；：！？、（）《》「」『』【】〉〈…"


def repair_parameters(sent: Mapping[str, str]) -> dict[str, str]:
    """Return the repaired parameters. Unknown keys pass unchanged."""
    found = {key: text for key, value in sent.items() for name, text in _split_parts(key, value) if name == key}
    for key, value in sent.items():
        for name, text in _split_parts(key, value):
            found.setdefault(name, text)
    return _place_cursors(found)


def _split_parts(key: str, value: str) -> list[tuple[str, str]]:
    """Split one parameter into those that it was meant to be: an escaped `&` or `=` may have joined several."""
    whole = f"{key}={value}" if value or "=" not in unquote(key) else key
    first, *more = _AND.split(unquote(whole) if "%" in whole else whole)
    pairs = [each.partition("=") for each in (first, *more)]
    if any(_repair_name(name) not in _KNOWN for name, _, _ in pairs):
        return [(key, value)]
    return [(_repair_name(name), _repair_value(_repair_name(name), text)) for name, _, text in pairs]


def _repair_name(text: str) -> str:
    return _UNSEEN.sub("", _BEFORE.sub("", text)).lower()


def _repair_value(name: str, text: str) -> str:
    text = _UNSEEN.sub("", text).strip(_AROUND)
    text = text.removeprefix("3D")  # mail encodes `=` as `=3D`
    if name in _CHOICES:
        text = text.lower()
    if name == "lang":
        language = re.split(r"[-_.]", text)[0]  # `zh-CN`
        return language if language in LANGUAGES else text
    return text


def _place_cursors(found: dict[str, str]) -> dict[str, str]:
    """`at` without `run` is the cursor of the only other run, if that has none."""
    others = [run for run in found if run in _CURSORS and run != "run" and _CURSORS[run] not in found]
    if "at" in found and "run" not in found and len(others) == 1:
        found[_CURSORS[others[0]]] = found.pop("at")
    return found
