"""The learner's record: earlier attempts and answers, kept in the browser's store and nowhere else.

Changes wait until the browser has told what it holds, so that an early click cannot overwrite an older record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from secrets import token_hex
from typing import Any

from lab.errors import LabError
from lab.link import Run, parse_run, run_text
from lessons import address
from lessons.browser_store import browser_store, last_known, loses
from lessons.session import session
from lessons.text import Language

MAX_CHECKS = 200
MAX_ATTEMPTS = 50
MAX_FOREIGN = 100
_STORE = "browser_store"
_Change = Callable[[dict[str, Any]], dict[str, Any]]


def mount(lang: Language, title: str) -> None:
    """Draw the component that keeps the record; once on each page."""
    kept = session()
    kept["record"] = last_known(_STORE)  # it may just have been told; what waits is done to that
    if known():
        _change()
        for act in kept.pop("record.waiting", ()):
            act()
            _change()
    write, write_id = kept.get("record.write"), kept.get("record.write_id", "")
    kept["record"] = browser_store(
        key=_STORE,
        lang=lang,
        title=title,
        address=address.read(),
        mangled=address.mangled_text(),
        write=write,
        write_id=write_id,
    )


def _change() -> None:
    """Make the changes that wait."""
    kept = session()
    changes: list[_Change] = kept.get("record.changes", [])
    if changes:
        changed = read()
        for change in changes:
            changed = change(changed)
        # A name of its own for each write: the browser must not take a new session's first for an old one's.
        kept.update({"record.changes": [], "record": changed, "record.write": changed, "record.write_id": token_hex(8)})


def read() -> dict[str, Any]:
    """The learner's record as the browser has it; {} where there is none (yet)."""
    return dict(session().get("record") or {})


def text(name: str, most: int) -> str:
    """A text of the record, at most that long, with what no text may hold (lone surrogates) replaced."""
    found = read().get(name)
    return found[:most].encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def attempts() -> list[str]:
    """Earlier attempts as run texts, oldest first. The browser's owner may have edited them: parse with care."""
    return _attempts(read())


def add_attempt(attempt: str) -> None:
    """Keep an attempt (a run text) that is being started over; the oldest and the newest MAX_ATTEMPTS are kept."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        known = [*_attempts(record), attempt]
        return {**record, "attempts": known[:1] + known[1:][-(MAX_ATTEMPTS - 1) :]}

    update(change)


def _attempts(record: dict[str, Any]) -> list[str]:
    found = record.get("attempts")
    texts = found[:1] + found[1:][-(MAX_ATTEMPTS - 1) :] if isinstance(found, list) else []
    return [text for text in texts if parsed(text) is not None]


def committed(form: str, run: Run) -> str | None:
    """The run text with which this browser committed a prediction of this form for this scenario, if it has."""
    found = left(form, run)
    return run_text(found.beginning) if found else None


def left(form: str, run: Run) -> Run | None:
    """That run as far as it was kept: a lesson's case with its operations, the task with the prediction alone.

    None as well for what somebody wrote there by hand and what is no such run.
    """
    kept = read().get("committed")
    found = parsed(kept.get(_scenario(form, run)) if isinstance(kept, dict) else None)
    if found is None or found.prediction is None or found.config != run.config:
        return None
    return found if found.prediction.form.partition("@")[0] == form else None


def parsed(text: object) -> Run | None:
    """The run of a text; None if it is none. Does not run anything."""
    try:
        return parse_run(text) if isinstance(text, str) else None
    except LabError:
        return None


def add_commitment(form: str, run: Run) -> None:
    """Keep a run as the one that this browser committed a prediction for in its scenario."""
    _keep_run("committed", form, run)


def drop_commitment(form: str, run: Run) -> None:
    """Start over with this scenario."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        names = ("committed", "ran") if "ran" in record else ("committed",)
        return {**record, **{name: _without(_scenario(form, run), record.get(name)) for name in names}}

    update(change)


def _without(key: str, kept: object) -> dict[str, object]:
    return {k: v for k, v in kept.items() if k != key} if isinstance(kept, dict) else {}


def add_ran(form: str, run: Run) -> None:
    """Keep how far the task has been run with this browser's own prediction, for the report."""
    _keep_run("ran", form, run)


def _keep_run(name: str, form: str, run: Run) -> None:
    """Keep a run for its scenario; where another tab, or the Back button, left one that goes on from it, that stays."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get(name)
        runs = kept if isinstance(kept, dict) else {}
        known = parsed(runs.get(_scenario(form, run)))
        if known and replace(known, operations=known.operations[: len(run.operations)]) == run:
            return record
        return {**record, name: {**runs, _scenario(form, run): run_text(run)}}

    update(change)


def add_foreign(run: Run) -> None:
    """Keep that this prediction came with a link; the newest MAX_FOREIGN are kept."""
    text = run_text(run.beginning)

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get("foreign")
        known = [each for each in kept if each != text] if isinstance(kept, list) else []
        return {**record, "foreign": [*known, text][-MAX_FOREIGN:]}

    update(change)


def drop_foreign(run: Run) -> None:
    """This browser has committed that very prediction itself."""
    text, known = run_text(run.beginning), read().get("foreign")
    if isinstance(known, list) and text in known:
        put("foreign", [each for each in known if each != text])


def _scenario(form: str, run: Run) -> str:
    return form + run_text(replace(run.beginning, prediction=None))


def done() -> frozenset[str]:
    """What this browser has brought to its end: ids of lessons' cases, and the keys of other parts' runs."""
    kept = read().get("done")
    return frozenset(name for name in kept if isinstance(name, str)) if isinstance(kept, list) else frozenset()


def add_done(name: str) -> None:
    """Keep that this part has been brought to its end."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get("done")
        return {**record, "done": sorted({*(kept if isinstance(kept, list) else []), name}, key=str)}

    if name not in done():
        update(change)


def checked(run: Run) -> str | None:
    """What was answered to the quick question after this run's last operation, if it was."""
    answers = read().get("checks")
    answer = answers.get(run_text(run)) if isinstance(answers, dict) else None
    return answer if isinstance(answer, str) else None


def add_check(run: Run, option_id: str) -> None:
    """Keep the answer to that question; the newest MAX_CHECKS are kept."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get("checks")
        answers = {**(kept if isinstance(kept, dict) else {}), run_text(run): option_id}
        newest = list(answers.items())[-MAX_CHECKS:]
        return {**record, "checks": dict(newest)}

    update(change)


def known() -> bool:
    """Has the browser told what it holds?"""
    return session().get("record") is not None


def loss_to_tell() -> bool:
    """Can this browser keep nothing (more), and has nobody said yet that he has read so?"""
    return loses(_STORE) and not session().get("record.loss_told", False)


def loss_told() -> None:
    """It was read."""
    session()["record.loss_told"] = True


def when_known(act: Callable[[], None]) -> None:
    """Do what depends on the record: at once, or as soon as the browser has told it."""
    if known():
        act()
    else:
        session().setdefault("record.waiting", []).append(act)


def put(name: str, value: Any) -> None:
    """Keep one thing under its name."""
    update(lambda record: {**record, name: value})


def forget() -> None:
    """Empty the record."""
    update(lambda _record: {})


def update(change: _Change) -> None:
    """Change the record with the next drawing, or as soon as the browser has told what it holds."""
    session().setdefault("record.changes", []).append(change)
