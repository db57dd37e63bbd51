"""The link to a state of the sandbox: the same address for copying and for the QR code, and why one cannot be read."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

import segno

from lab.activities.attempt import Cursor, cursor_text
from lab.engine.errors import InvalidLinkError, LabError
from lab.sandbox.library import note_after
from lab.sandbox.link import scenario_text
from lessons.presenter import presenter
from lessons.sandbox.attempt import TRACK, SandboxPlace
from lessons.state import attempts
from lessons.text.sentences import say_error
from lessons.text.translations import WordsOf

LONG = 700  # characters; the code of a longer address has so many squares that phones may fail to read it
MOST = 2900  # bytes; a QR code holds 2,953 at its lowest error level
_QUIET = 4  # modules of white around the code, as ISO/IEC 18004 wants it

STYLE = """
<style>
.kv-qr { text-align: center; margin: 0; }
.kv-qr img { width: min(100%, 68vh, 44rem); height: auto; background: #fff; image-rendering: pixelated;
  border-radius: .4rem; }
.kv-qr figcaption { overflow-wrap: anywhere; font-size: .9rem; margin-top: .6rem; text-align: left; }
</style>
"""


def passed_on(here: SandboxPlace) -> Cursor:
    """The place that a link leads to: the one in view; while its point is covered, the one where its question is."""
    note = note_after(here.scenario, here.cursor.step) if here.cursor.event is None else None
    return Cursor(note.step - 1) if note is not None and presenter.hidden() else here.cursor


def parameters(here: SandboxPlace) -> dict[str, str]:
    """What a link to this state holds: scenario, log, place, language; nothing about who sends it.

    Raises LinkTooLongError.
    """
    found = {TRACK.run: scenario_text(here.scenario)}
    cursor = passed_on(here)
    if cursor != Cursor(len(here.scenario.operations)):
        found[TRACK.at] = cursor_text(cursor)
    return {**found, "lang": attempts.language()}


def address(page: str, params: dict[str, str]) -> str:
    """The page's address with these parameters and no others. Pure."""
    parts = urlsplit(page)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(params, quote_via=quote), ""))


def qr_code(link: str) -> segno.QRCode | None:
    """The link as a QR code, a long one at the lowest error level; None where no code could hold it. Pure."""
    if len(link.encode()) > MOST:
        return None
    return segno.make_qr(link, error="l" if len(link) > LONG else "m", encoding="utf-8")


def qr_html(code: segno.QRCode, link: str, alt: str) -> str:
    """The code as a picture, dark on white in any theme, with the link as text under it. Pure."""
    picture = code.svg_data_uri(border=_QUIET, dark="#000", light="#fff", omitsize=True)
    return (
        f'<figure class="kv-qr"><img src="{escape(picture)}" alt="{escape(alt)}">'
        f"<figcaption>{escape(link)}</figcaption></figure>"
    )


def problem_said(problem: LabError, words: WordsOf) -> str:
    """Why a link to the sandbox could not be opened, and what one can do. Plain text."""
    if not isinstance(problem, InvalidLinkError):
        return words.text("scenarios.link_problem", reason=say_error(problem, words))
    part = problem.numbers["part"]
    reason = words.text(f"scenarios.link_part.{part}")
    return words.text("scenarios.link_kept" if part == "kept" else "scenarios.link_broken", reason=reason)
