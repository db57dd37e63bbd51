"""What a browser has kept about its learner, as a value. Untrusted. Every change returns another record.

`attempts` has the longest attempt by activity, `earlier` those that were started over, `shared` the beginnings of
attempts that came with a link, `done` what is finished, and `answers`, by an attempt's beginning, what was answered
beside it: quick questions (`check.<log>`), retries (`again.<question>.<turn>`), tries at the chapter's question
(`try.<number>`). Other parts belong to their pages. Records of earlier versions: see lab.activities.old_records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Literal, TypeVar

from lab.activities import old_links
from lab.activities.attempt import Attempt, encode
from lab.engine.errors import LabError

# Committed in this browser, from a shared link, or started over (the learner's own, or from a link).
Mark = Literal["own", "link", "over", "link_over"]
_T = TypeVar("_T")

CHAPTER = Attempt("chapter")  # the tries at the chapter's question are answered beside it
MAX_OF_A_KIND = 30  # attempts at activities of one kind; the newest stay
MAX_EARLIER = 50
MAX_SHARED = 100
MAX_BESIDE = 200  # answers beside one attempt


def read_attempt(text: object, key: str = "run") -> Attempt | None:
    """The attempt of a text; None if it has none. `key`: the address's key for texts of that form."""
    try:
        return old_links.read(text, key)[0] if isinstance(text, str) and text else None
    except LabError:
        return None


def clean_text(text: object, most: int) -> str:
    """At most `most` characters, with lone surrogates replaced; empty if it is no text."""
    return text[:most].encode("utf-8", "replace").decode() if isinstance(text, str) else ""


class Record(dict[str, Any]):
    """The parts of a record by their names."""

    def having(self, **parts: Any) -> Record:
        """This record with these parts."""
        return Record({**self, **parts})

    def get_list(self, name: str) -> list[Any]:
        """A list of the record; empty if it is not there."""
        return found if isinstance(found := self.get(name), list) else []

    def get_map(self, name: str) -> Record:
        """A map of the record; empty if it is not there."""
        return Record(found) if isinstance(found := self.get(name), dict) else Record()

    # --- reading ---------------------------------------------------------------------------------------------------

    def find(self, activity: str) -> Attempt | None:
        """The attempt at the activity; None if there is none that can be read."""
        found = read_attempt(self.get_map("attempts").get(activity))
        return found if found is not None and found.activity == activity else None

    def find_as(self, activity: str, read: Callable[[Attempt], _T]) -> _T | None:
        """What `read` makes of the attempt at the activity; None if there is none that can be read."""
        mine = self.find(activity)
        try:
            return read(mine) if mine else None
        except LabError:
            return None

    def list_of_kind(self, kind: str) -> list[Attempt]:
        """The attempts at activities of that kind, oldest first. Each activity checks its own."""
        texts = [text for name, text in self.get_map("attempts").items() if name.partition(".")[0] == kind]
        found = map(read_attempt, texts[-MAX_OF_A_KIND:])
        return [each for each in found if each is not None and each.kind == kind]

    def list_earlier(self) -> list[Attempt]:
        """The attempts that were started over, oldest first."""
        return [each for each in map(read_attempt, _cut(self.get_list("earlier"))) if each is not None]

    def is_mine(self, attempt: Attempt) -> bool:
        """Were these answers given in this browser? True if there are none."""
        own = (self.find(attempt.activity), *self.list_earlier())
        return not attempt.answers or any(each.answers_extend(attempt) for each in own if each is not None)

    def get_beside(self, attempt: Attempt) -> Record:
        """What was answered beside this attempt (quick questions, retries), by question. Untrusted values."""
        return self.get_map("answers").get_map(encode(attempt.beginning))

    def list_beside(self) -> list[tuple[Attempt, Record]]:
        """What was answered beside each attempt, by its beginning."""
        kept = self.get_map("answers")
        found = ((read_attempt(text), kept.get_map(text)) for text in kept)
        return [(attempt, given) for attempt, given in found if attempt is not None]

    def gather(self, here: Iterable[Attempt]) -> list[tuple[Attempt, Mark]]:
        """All attempts, each once and as long as it is known, and whose they are; only those with answers.

        here  attempts in the address: the continuation of a saved one, a shared one, or the beginning of any.
        """
        kinds = dict.fromkeys(name.partition(".")[0] for name in self.get_map("attempts"))
        saved = (each for kind in kinds for each in self.list_of_kind(kind))
        shared: Collection[Any] = self.get_list("shared")
        over = dict.fromkeys(each for each in self.list_earlier() if each.answers)
        longest = {each.beginning: each for each in saved if each.answers}
        others: dict[Attempt, Attempt] = {}
        for attempt in here:
            start = attempt.beginning
            if start in longest:
                longest[start] = max(longest[start], attempt, key=lambda each: len(each.operations))
            elif attempt.answers and not any(each.answers_extend(attempt) for each in (*longest, *over)):
                others[start] = attempt
        return [
            *((each, "link" if encode(start) in shared else "own") for start, each in longest.items()),
            *((each, "link") for each in others.values()),
            *((each, "link_over" if encode(each.beginning) in shared else "over") for each in over),
        ]

    # --- changing --------------------------------------------------------------------------------------------------

    def keep(self, attempt: Attempt) -> Record:
        """With the attempt, unless there are other answers or it has gone further. Own answers are no shared ones."""
        saved = self.find(attempt.activity)
        if saved is not None and (saved.extends(attempt) or not attempt.answers_extend(saved.beginning)):
            return self
        others = {name: text for name, text in self.get_map("attempts").items() if name != attempt.activity}
        same_kind = [name for name in others if name.partition(".")[0] == attempt.kind]
        for name in same_kind[: len(same_kind) + 1 - MAX_OF_A_KIND]:
            del others[name]
        shared, beginning = self.get_list("shared"), encode(attempt.beginning)
        less = {"shared": [text for text in shared if text != beginning]} if beginning in shared else {}
        return self.having(attempts={**others, attempt.activity: encode(attempt)}, **less)

    def keep_operations(self, attempt: Attempt, done: str = "") -> Record:
        """With how far an own attempt has gone, and the part `done` finished; or with a shared one noted."""
        mine = self.find(attempt.activity)
        if mine is not None and mine.answers_extend(attempt.beginning):
            return self.keep(attempt).finish(done)
        return self._note_shared(attempt)

    def put_away(self, attempt: Attempt, fresh: Attempt | None) -> Record:
        """With the attempt and the own one at the same activity as earlier ones, to begin with the fresh one."""
        dropped = dict.fromkeys(each.activity for each in (attempt, fresh) if each)
        own = [mine for name in dropped if (mine := self.find(name)) is not None]
        if attempt.answers and not any(mine.extends(attempt) for mine in own):
            own = [*(mine for mine in own if not attempt.extends(mine)), attempt]
        earlier = _cut([*self.get_list("earlier"), *map(encode, own)])
        left = {name: text for name, text in self.get_map("attempts").items() if name not in dropped}
        return self._note_shared(attempt).having(earlier=earlier, attempts=left)

    def add_beside(self, attempt: Attempt, question: str, value: str | int) -> Record:
        """With an answer beside the attempt. Who calls this asks no question twice; the record may have been edited."""
        newest = list({**self.get_beside(attempt), question: value}.items())[-MAX_BESIDE:]
        return self.having(answers={**self.get_map("answers"), encode(attempt.beginning): dict(newest)})

    def finish(self, name: str) -> Record:
        """With this part, if any, finished."""
        done = self.get_list("done")
        return self if not name or name in done else self.having(done=sorted({*map(str, done), name}))

    def _note_shared(self, attempt: Attempt) -> Record:
        """With the note that these answers came with a link, unless they are the browser's own."""
        if self.is_mine(attempt):
            return self
        text = encode(attempt.beginning)
        return self.having(shared=[*(each for each in self.get_list("shared") if each != text), text][-MAX_SHARED:])


def _cut(texts: list[Any]) -> list[Any]:
    """The first attempt and the newest."""
    return texts[:1] + texts[1:][-(MAX_EARLIER - 1) :]
