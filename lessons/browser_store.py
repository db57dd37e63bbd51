"""The learner's record in the browser's localStorage; with it the language and the styles of the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from lessons.component import asset, event
from lessons.session import session

_mount = st.components.v2.component(
    "paged_kv_lab_browser_store",
    js=asset("colors.js", "after_run.js", "tables.js", "merge_record.js", "turning.js", "browser_store.js"),
    css=asset("page.css"),  # it is on every page, so its styles are the page's
    isolate_styles=False,
)

_MOST_ANCESTORS = 8


def browser_store(
    *,
    key: str,
    lang: str,
    write: dict[str, Any] | None,
    write_id: str,
    title: str = "",
    address: Mapping[str, str] | None = None,
    mangled: str = "",
) -> dict[str, Any] | None:
    """Return the record as the browser has it: None until it is known, {} when there is none.

    Call it in the shell, on every page with the same ``key``: there it survives a change of page.
    write      replaces the stored record ({} empties it), once for each new ``write_id``; it may be passed again.
    lang       becomes the language of the document; ``title``, if given, its title.
    address    the parameters that the page is drawn for; after Back it takes no presses before it is drawn for these.
    mangled    what the browser has instead of these, if it came by a damaged link; it then gets these in its place.
    The browser reports its record with one rerun after the first, and again whenever another tab changes it; after a
    write no rerun is needed. What two tabs write at the same time is united. A browser without storage keeps the record
    until the page is left, and says so: see `loses`. When a cut connection is there again, the script is run once.
    """
    kept = session()
    names = ("write_id", "told", "based_on", "lineage", "drawn")
    write_key, told_key, based_key, lineage_key, drawn_key = (f"{key}.{name}" for name in names)

    def reported() -> None:
        report = event(key, "report")
        if not isinstance(report, dict) or not isinstance(report.get("record"), dict):
            return
        kept[_loses_key(key)] = report.get("loses") is True
        if kept.get(write_key, "") not in ("", report.get("handled")):
            return  # older than a write that is on its way to the browser, which unites the two and reports again
        # After st.switch_page Streamlit calls back with a report of long ago, older than what was written since.
        if report.get("at") != kept.get(told_key):
            kept.update({told_key: report.get("at"), _record_key(key): report["record"]})
            descend(str(report.get("at"))[:40])

    def descend(name: str) -> None:
        """The record is now this one: a report, by its time, or a write."""
        kept[lineage_key] = [*kept.get(lineage_key, []), name][-_MOST_ANCESTORS:]

    if write is not None and kept.get(write_key) != write_id:
        kept.update({write_key: write_id, _record_key(key): write, based_key: kept.get(lineage_key, [])})
        descend(write_id)
    record = last_known(key)
    kept[drawn_key] = kept.get(drawn_key, 0) + 1
    _mount(
        key=key,
        data={
            "lang": lang,
            "title": title,
            "address": dict(address or {}),
            "mangled": mangled,
            "write": None if write is None else json.dumps(write, ensure_ascii=False, separators=(",", ":")),
            "write_id": write_id,
            "based_on": kept.get(based_key, []),  # what that was made from, the newest last
            "has_record": record is not None,
            "drawn": kept[drawn_key],  # so that the browser hears of every run
        },
        on_report_change=reported,
        on_line_change=lambda: None,
    )
    return record


def last_known(key: str) -> dict[str, Any] | None:
    """The record as the browser last told it or was told to keep it; None until then."""
    record: dict[str, Any] | None = session().get(_record_key(key))
    return record


def loses(key: str) -> bool:
    """Has the browser said that what it was to keep last will be gone with the page? Its storage is blocked or full."""
    return bool(session().get(_loses_key(key)))


def _loses_key(key: str) -> str:
    return f"{key}.loses"


def _record_key(key: str) -> str:
    return f"{key}.record"
