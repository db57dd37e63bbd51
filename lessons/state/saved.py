"""The attempts in the record, which is untrusted: what this browser's learner has answered and done.

The record has the longest attempt at each activity, those that were started over, the beginnings of those that came
with a link, and what was answered beside an attempt. See lessons.state.upgrade.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from lab.activities.attempt import Attempt, encode
from lab.engine.errors import LabError
from lessons.state import record
from lessons.state.record import add_done
from lessons.state.upgrade import Record, get_list, get_map, read_attempt

_T = TypeVar("_T")

MAX_OF_A_KIND = 30  # attempts at activities of one kind; the newest stay
MAX_EARLIER = 50
MAX_SHARED = 100
MAX_BESIDE = 200  # answers beside one attempt

# --- reading -------------------------------------------------------------------------------------------------------


def find(activity: str) -> Attempt | None:
    """This browser's attempt at the activity; None if it has none that can be read."""
    return _find(record.read(), activity)


def find_as(activity: str, read: Callable[[Attempt], _T]) -> _T | None:
    """What `read` makes of this browser's attempt at the activity; None if it has none that can be read."""
    mine = find(activity)
    try:
        return read(mine) if mine else None
    except LabError:
        return None


def get_of_kind(kind: str) -> list[Attempt]:
    """This browser's attempts at activities of that kind, oldest first. Untrusted, as each activity checks."""
    texts = [text for name, text in get_map(record.read(), "attempts").items() if name.partition(".")[0] == kind]
    found = map(read_attempt, texts[-MAX_OF_A_KIND:])
    return [each for each in found if each is not None and each.kind == kind]


def get_all() -> list[Attempt]:
    """All of this browser's attempts, kind by kind."""
    kinds = dict.fromkeys(name.partition(".")[0] for name in get_map(record.read(), "attempts"))
    return [each for kind in kinds for each in get_of_kind(kind)]


def get_earlier() -> list[Attempt]:
    """The attempts that were started over, oldest first."""
    return _get_earlier(record.read())


def get_shared() -> frozenset[str]:
    """The beginnings of attempts that came with a link, as texts."""
    return frozenset(text for text in get_list(record.read(), "shared") if isinstance(text, str))


def is_mine(attempt: Attempt) -> bool:
    """Were these answers given in this browser? True until it has sent its record, and if there are none."""
    return not record.is_known() or _is_mine(attempt, record.read())


def get_beside(attempt: Attempt) -> dict[str, Any]:
    """What was answered beside this attempt (quick questions, retries), by question. Untrusted values."""
    return get_map(get_map(record.read(), "answers"), encode(attempt.beginning))


def list_beside() -> list[tuple[Attempt, dict[str, Any]]]:
    """What was answered beside each attempt, by its beginning."""
    kept = get_map(record.read(), "answers")
    found = ((read_attempt(text), get_map(kept, text)) for text in kept)
    return [(attempt, given) for attempt, given in found if attempt is not None]


# --- changing: as functions of the record, which may become known only later ---------------------------------------


def keep(attempt: Attempt) -> None:
    """Save the attempt, unless the record has other answers or has gone further. Own answers are no shared ones."""
    record.update(partial(_keep, attempt))


def keep_operations(attempt: Attempt, done: str = "") -> None:
    """Save how far this browser's own attempt has gone, and that the part `done` is finished; note a shared one."""

    def change(kept: Record) -> Record:
        mine = _find(kept, attempt.activity)
        if mine is not None and mine.answers_extend(attempt.beginning):
            return add_done(done, _keep(attempt, kept))
        return _note_shared(attempt, kept)

    record.update(change)


def put_away(attempt: Attempt, fresh: Attempt | None) -> None:
    """Make the attempt and this browser's own at the same activity earlier ones, to begin with the fresh one."""
    dropped = dict.fromkeys(each.activity for each in (attempt, fresh) if each)

    def change(kept: Record) -> Record:
        own = [mine for name in dropped if (mine := _find(kept, name)) is not None]
        if attempt.answers and not any(mine.extends(attempt) for mine in own):
            own = [*(mine for mine in own if not attempt.extends(mine)), attempt]
        earlier = _cut([*get_list(kept, "earlier"), *map(encode, own)])
        left = {name: text for name, text in get_map(kept, "attempts").items() if name not in dropped}
        return {**_note_shared(attempt, kept), "earlier": earlier, "attempts": left}

    record.update(change)


def add_beside(attempt: Attempt, question: str, value: str | int) -> None:
    """Save an answer beside the attempt. Who calls this asks no question twice; the record may have been edited."""
    beginning = encode(attempt.beginning)

    def change(kept: Record) -> Record:
        answers = get_map(kept, "answers")
        newest = list({**get_map(answers, beginning), question: value}.items())[-MAX_BESIDE:]
        return {**kept, "answers": {**answers, beginning: dict(newest)}}

    record.update(change)


def _keep(attempt: Attempt, kept: Record) -> Record:
    saved = _find(kept, attempt.activity)
    if saved is not None and (saved.extends(attempt) or not attempt.answers_extend(saved.beginning)):
        return kept
    others = {name: text for name, text in get_map(kept, "attempts").items() if name != attempt.activity}
    same_kind = [name for name in others if name.partition(".")[0] == attempt.kind]
    for name in same_kind[: len(same_kind) + 1 - MAX_OF_A_KIND]:
        del others[name]
    shared, beginning = get_list(kept, "shared"), encode(attempt.beginning)
    less = {"shared": [text for text in shared if text != beginning]} if beginning in shared else {}
    return {**kept, "attempts": {**others, attempt.activity: encode(attempt)}, **less}


def _note_shared(attempt: Attempt, kept: Record) -> Record:
    """Note that these answers came with a link, unless they are the browser's own."""
    if _is_mine(attempt, kept):
        return kept
    text = encode(attempt.beginning)
    return {**kept, "shared": [*(each for each in get_list(kept, "shared") if each != text), text][-MAX_SHARED:]}


def _find(kept: Record, activity: str) -> Attempt | None:
    found = read_attempt(get_map(kept, "attempts").get(activity))
    return found if found is not None and found.activity == activity else None


def _get_earlier(kept: Record) -> list[Attempt]:
    return [each for each in map(read_attempt, _cut(get_list(kept, "earlier"))) if each is not None]


def _is_mine(attempt: Attempt, kept: Record) -> bool:
    own = (_find(kept, attempt.activity), *_get_earlier(kept))
    return not attempt.answers or any(each.answers_extend(attempt) for each in own if each is not None)


def _cut(texts: list[Any]) -> list[Any]:
    """The first attempt and the newest."""
    return texts[:1] + texts[1:][-(MAX_EARLIER - 1) :]
