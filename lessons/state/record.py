"""The learner's record: earlier attempts and answers, kept in the browser's store and nowhere else.

Changes wait until the browser has reported its record, so that an early click cannot overwrite an older record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from secrets import token_hex
from typing import Any

from lab.activities.attempt import Run, encode_run, parse_run
from lab.engine.errors import LabError
from lessons.state import url
from lessons.state.browser_store import get_last_known, is_lossy, mount_store
from lessons.state.session import get_session
from lessons.text.translations import Language

MAX_CHECKS = 200
MAX_ATTEMPTS = 50
MAX_SHARED = 100
_STORE = "browser_store"
_Change = Callable[[dict[str, Any]], dict[str, Any]]


def mount(lang: Language, title: str) -> None:
    """Draw the component that keeps the record; once on each page."""
    session = get_session()
    session["record"] = get_last_known(_STORE)  # a report may just have come: apply the waiting changes to it
    if is_known():
        _apply_changes()
        for act in session.pop("record.waiting", ()):
            act()
            _apply_changes()
    write, write_id = session.get("record.write"), session.get("record.write_id", "")
    session["record"] = mount_store(
        key=_STORE,
        lang=lang,
        title=title,
        address=url.read(),
        mangled=url.get_mangled_text(),
        write=write,
        write_id=write_id,
    )


def _apply_changes() -> None:
    """Apply the waiting changes to the record."""
    session = get_session()
    changes: list[_Change] = session.get("record.changes", [])
    if changes:
        changed = read()
        for change in changes:
            changed = change(changed)
        # A random id: the browser must not mistake a write of a new session for one that it has carried out.
        write = {"record": changed, "record.write": changed, "record.write_id": token_hex(8)}
        session.update({"record.changes": [], **write})


def read() -> dict[str, Any]:
    """A copy of the record as the browser has it; {} if there is none, or if it is not known yet."""
    return dict(get_session().get("record") or {})


def get_text(name: str, most: int) -> str:
    """A text of the record, at most `most` characters, with lone surrogates replaced; empty if it is not there."""
    found = read().get(name)
    return found[:most].encode("utf-8", "replace").decode() if isinstance(found, str) else ""


def get_attempts() -> list[str]:
    """Earlier attempts as run texts, oldest first. The browser's owner may have edited them: parse with care."""
    return _read_attempts(read())


def add_attempt(attempt: str) -> None:
    """Save an attempt (a run text) that is over. Keeps the first one and the newest, MAX_ATTEMPTS in all."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        known = [*_read_attempts(record), attempt]
        return {**record, "attempts": known[:1] + known[1:][-(MAX_ATTEMPTS - 1) :]}

    update(change)


def _read_attempts(record: dict[str, Any]) -> list[str]:
    found = record.get("attempts")
    texts = found[:1] + found[1:][-(MAX_ATTEMPTS - 1) :] if isinstance(found, list) else []
    return [text for text in texts if parse(text) is not None]


def get_committed(form: str, run: Run) -> str | None:
    """The run text with this browser's committed prediction of this form for this scenario; None without one."""
    found = find_saved_run(form, run)
    return encode_run(found.beginning) if found else None


def find_saved_run(form: str, run: Run) -> Run | None:
    """The saved run with that prediction: a lesson's case with its operations, the task with its prediction only.

    None if there is none, or if the record was edited by hand and does not hold such a run.
    """
    kept = read().get("committed")
    found = parse(kept.get(_get_scenario_key(form, run)) if isinstance(kept, dict) else None)
    if found is None or found.prediction is None or found.config != run.config:
        return None
    return found if found.prediction.form.partition("@")[0] == form else None


def parse(text: object) -> Run | None:
    """Parse a run text; None if it is not valid. Runs no operation."""
    try:
        return parse_run(text) if isinstance(text, str) else None
    except LabError:
        return None


def add_commitment(form: str, run: Run) -> None:
    """Save a run as the one with this browser's committed prediction for its scenario."""
    _keep_run("committed", form, run)


def drop_commitment(form: str, run: Run) -> None:
    """Forget the commitment for this scenario, and how far it was run."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        names = ("committed", "ran") if "ran" in record else ("committed",)
        return {**record, **{name: _remove_key(_get_scenario_key(form, run), record.get(name)) for name in names}}

    update(change)


def _remove_key(key: str, kept: object) -> dict[str, object]:
    return {k: v for k, v in kept.items() if k != key} if isinstance(kept, dict) else {}


def add_ran(form: str, run: Run) -> None:
    """Save how far the task was run with this browser's own prediction, for the report."""
    _keep_run("ran", form, run)


def _keep_run(name: str, form: str, run: Run) -> None:
    """Save a run for its scenario, unless a longer run that begins with it is saved (by another tab or before Back)."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get(name)
        runs = kept if isinstance(kept, dict) else {}
        known = parse(runs.get(_get_scenario_key(form, run)))
        if known and replace(known, operations=known.operations[: len(run.operations)]) == run:
            return record
        return {**record, name: {**runs, _get_scenario_key(form, run): encode_run(run)}}

    update(change)


def add_shared(run: Run) -> None:
    """Note that this prediction came with a link. Keeps the newest MAX_FOREIGN."""
    text = encode_run(run.beginning)

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get("foreign")
        known = [each for each in kept if each != text] if isinstance(kept, list) else []
        return {**record, "foreign": [*known, text][-MAX_SHARED:]}

    update(change)


def drop_shared(run: Run) -> None:
    """Forget that this prediction came with a link: this browser has now committed it itself."""
    text, known = encode_run(run.beginning), read().get("foreign")
    if isinstance(known, list) and text in known:
        put("foreign", [each for each in known if each != text])


def _get_scenario_key(form: str, run: Run) -> str:
    return form + encode_run(replace(run.beginning, prediction=None))


def get_done() -> frozenset[str]:
    """What this browser has finished: ids of lessons' cases, and keys of other parts' runs."""
    kept = read().get("done")
    return frozenset(name for name in kept if isinstance(name, str)) if isinstance(kept, list) else frozenset()


def add_done(name: str) -> None:
    """Note that this part is finished."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get("done")
        return {**record, "done": sorted({*(kept if isinstance(kept, list) else []), name}, key=str)}

    if name not in get_done():
        update(change)


def get_checkpoint(run: Run) -> str | None:
    """The answer to the quick question after this run's last operation; None without one."""
    answers = read().get("checks")
    answer = answers.get(encode_run(run)) if isinstance(answers, dict) else None
    return answer if isinstance(answer, str) else None


def add_checkpoint(run: Run, option_id: str) -> None:
    """Save the answer to the quick question. Keeps the newest MAX_CHECKS."""

    def change(record: dict[str, Any]) -> dict[str, Any]:
        kept = record.get("checks")
        answers = {**(kept if isinstance(kept, dict) else {}), encode_run(run): option_id}
        newest = list(answers.items())[-MAX_CHECKS:]
        return {**record, "checks": dict(newest)}

    update(change)


def is_known() -> bool:
    """Has the browser reported its record?"""
    return get_session().get("record") is not None


def must_tell_loss() -> bool:
    """Must the page warn that the record will be lost? Not after the learner has confirmed the warning."""
    return is_lossy(_STORE) and not get_session().get("record.loss_told", False)


def set_loss_told() -> None:
    """The learner has confirmed the warning."""
    get_session()["record.loss_told"] = True


def call_when_known(act: Callable[[], None]) -> None:
    """Call `act`, which depends on the record, now or as soon as the browser has reported it."""
    if is_known():
        act()
    else:
        get_session().setdefault("record.waiting", []).append(act)


def put(name: str, value: Any) -> None:
    """Save a value under this name."""
    update(lambda record: {**record, name: value})


def forget() -> None:
    """Empty the record."""
    update(lambda _record: {})


def update(change: _Change) -> None:
    """Change the record when the page is drawn next, or as soon as the browser has reported it."""
    get_session().setdefault("record.changes", []).append(change)
