"""The component that keeps the learner's record in localStorage, and sets the page's language, title and styles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lessons.server.components import declare_component
from lessons.state.session import get_event, get_session

_mount = declare_component(
    "browser_store",
    "lib/colors.js",
    "lib/after_run.js",
    "lib/tables.js",
    "components/browser_store/merge_record.js",
    "components/browser_store/history_guard.js",
    "components/browser_store/browser_store.js",
)

KEY = "browser_store"
_RECORD, _LOSES = f"{KEY}.record", f"{KEY}.loses"
_WRITE, _REPORTED, _BASED, _LINEAGE, _DRAWN = (
    f"{KEY}.{name}" for name in ("write_id", "reported_at", "based_on", "lineage", "drawn")
)
_MOST_ANCESTORS = 8


def mount_store(
    *,
    lang: str,
    write: dict[str, Any] | None,
    write_id: str,
    title: str = "",
    address: Mapping[str, str] | None = None,
    mangled: str = "",
) -> dict[str, Any] | None:
    """Mount the component and return the browser's record: None until it is known, {} if there is none.

    Call it in the shell, so that it survives a change of page.
    write      replaces the stored record ({} empties it), once for each ``write_id``; passing it again changes nothing.
    lang       the document's language; ``title``, if given, is its title.
    address    the parameters of the page being drawn. After Back the page ignores presses until it is drawn for them.
    mangled    the damaged query string that the browser has instead of these parameters; the browser replaces it.
    The browser reports its record with one rerun after the first run, and whenever another tab changes it; writes need
    no rerun. Simultaneous writes of two tabs are merged. A browser without storage keeps the record until the page is
    left, and reports that: see `is_lossy`. After a reconnect the script runs once.
    """
    session = get_session()

    def on_report() -> None:
        report = get_event(KEY, "report")
        if not isinstance(report, dict) or not isinstance(report.get("record"), dict):
            return
        session[_LOSES] = report.get("loses") is True
        if session.get(_WRITE, "") not in ("", report.get("handled")):
            return  # a write is on its way to the browser, which merges both and reports again
        # After st.switch_page Streamlit calls back with an old report, from before later writes: ignore it.
        if report.get("at") != session.get(_REPORTED):
            session.update({_REPORTED: report.get("at"), _RECORD: report["record"]})
            add_ancestor(str(report.get("at"))[:40])

    def add_ancestor(name: str) -> None:
        """Note the origin of the current record: the time of a report, or the id of a write."""
        session[_LINEAGE] = [*session.get(_LINEAGE, []), name][-_MOST_ANCESTORS:]

    if write is not None and session.get(_WRITE) != write_id:
        session.update({_WRITE: write_id, _RECORD: write, _BASED: session.get(_LINEAGE, [])})
        add_ancestor(write_id)
    record = get_last_known()
    session[_DRAWN] = session.get(_DRAWN, 0) + 1
    _mount(
        key=KEY,
        data={
            "lang": lang,
            "title": title,
            "address": dict(address or {}),
            "mangled": mangled,
            "write": None if write is None else json.dumps(write, ensure_ascii=False, separators=(",", ":")),
            "write_id": write_id,
            "based_on": session.get(_BASED, []),  # the records that the write was made from, the newest last
            "has_record": record is not None,
            "drawn": session[_DRAWN],  # changes with every run, so that the component is called
        },
        on_report_change=on_report,
        on_line_change=lambda: None,
    )
    return record


def get_last_known() -> dict[str, Any] | None:
    """The record as the browser last reported it or was last told to store it; None until then."""
    record: dict[str, Any] | None = get_session().get(_RECORD)
    return record


def is_lossy() -> bool:
    """Has the browser reported that it will lose the record with the page, because its storage is blocked or full?"""
    return bool(get_session().get(_LOSES))
