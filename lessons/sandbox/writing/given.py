"""Who wrote the scenario in view: this browser's author, or somebody who sent a link?

A link that students open has the questions and points of its author. They are not open for writing, with the answers
beside them, until one asks for a copy. What was written here is known again after a reload: the record has a digest of
each text.
"""

from __future__ import annotations

from hashlib import sha256

from lab.activities.record import Record
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import Script
from lessons.sandbox import oversized_links, saved_scenarios
from lessons.state import notes, record
from lessons.state.attempts import WRITTEN

MAX_WRITTEN = 100  # texts in the record; the newest stay
_DIGITS = 10  # of a digest

_GIVEN = "authoring.given"  # a note: the texts that came with the link


def remember(script: Script) -> None:
    """Remember what a link brought.

    Notes for oneself are in no link for students, and an address that is too long for a link is this browser's own.
    """
    is_own = oversized_links.is_in_view() or any(prompt.remark for prompt in script.prompts)
    notes.set_note(_GIVEN, frozenset() if is_own else _list_texts(script))


def is_given(scenario: Scenario) -> bool:
    """Does everything that is said about it come from a link, and was neither written nor saved in this browser?"""
    texts = _list_texts(scenario.script)
    if not texts or not texts <= notes.get_note(_GIVEN, frozenset()):
        return False
    if {_digest(each) for each in texts} <= set(map(str, record.read().get_list(WRITTEN))):
        return False
    return not any(_list_texts(each.state.scenario.script) >= texts for each in saved_scenarios.get_saved())


def keep(script: Script) -> None:
    """In a callback: take what is said as one's own, also after a reload."""
    notes.set_note(_GIVEN, frozenset())
    new = sorted(map(_digest, _list_texts(script)))

    def change(saved: Record) -> Record:
        known = saved.get_list(WRITTEN)
        if set(new) <= set(map(str, known)):
            return saved
        return saved.having(**{WRITTEN: [*(each for each in known if each not in new), *new][-MAX_WRITTEN:]})

    record.update(change)


def _digest(text: object) -> str:
    return sha256(repr(text).encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def _list_texts(script: Script) -> frozenset[object]:
    """What is said, at whatever step."""
    said = {(each.about, each.ask, each.point, each.remark) for each in script.prompts}
    return frozenset({*said, *filter(None, (script.title, script.sentence))})
