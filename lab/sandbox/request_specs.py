"""How the tokens of a scenario's requests are specified, and what they are.

In a scenario, equal texts have equal token ids and different texts have different ids. So two requests share a block
only if their texts are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from string import ascii_uppercase, digits

from lab.engine.errors import EmptyPromptError, InvalidSizeError
from lab.sandbox.errors import (
    AuthorTextTooLongError,
    CalledAlikeError,
    RequestNameError,
    SameAsError,
    TextTooLongError,
    VocabularyError,
)
from lab.sandbox.tokens import clean_text, tokenize
from lab.trace.config import MAX_TOKENS, VOCABULARY, Request, check_limit
from lab.trace.operations import SEQ_ID

MAX_TEXT = 4000  # characters of one typed text
APPENDED = 16  # made-up tokens that a request appends before it repeats them
MAX_CALLED = 20  # characters of what people call a request
CALLED = re.compile(r"(?:[^\W_](?:[^\W_]|[ '’-])*)?")  # letters of any script and digits: no markup
_NOT_IN_NAMES = re.compile(r"[^\w '’-]|_")


@dataclass(frozen=True)
class RequestSpec:
    """How a request's tokens are specified: a beginning like another request's, then tokens of its own.

    same_as, same  the first `same` tokens of an earlier request: its prompt, then its continuation.
    own            typed text, or a number of made-up tokens (A1, A2, ...). No other request gets these, but a learner
                   may type them, and then they are the same tokens.
    then           typed text to append. Empty: made-up tokens (a1, a2, ...), or the continuation of the other request
                   if this one has no tokens of its own.
    called         what people call it ("Alice"); empty: `seq_id`, which always stands in cells and links.

    Texts are stored clean. Raises RequestNameError, InvalidSizeError, LimitError, TextTooLongError,
    AuthorTextTooLongError, EmptyPromptError.
    """

    seq_id: str
    own: str | int = 0
    same_as: str = ""
    same: int = 0
    then: str = ""
    called: str = ""

    def __post_init__(self) -> None:
        if not SEQ_ID.fullmatch(self.seq_id) or (self.same and not SEQ_ID.fullmatch(self.same_as)):
            raise RequestNameError
        own = self.own if isinstance(self.own, int) else self._clean(self.own) or 0
        for count in (self.same, own if isinstance(own, int) else 0):
            if count < 0:
                raise InvalidSizeError(name="tokens", value=count, minimum=0)
            check_limit("tokens", count, MAX_TOKENS)
        object.__setattr__(self, "own", own)
        object.__setattr__(self, "then", self._clean(self.then))
        object.__setattr__(self, "same_as", self.same_as if self.same else "")
        called = clean_text(self.called)
        if len(called) > MAX_CALLED:
            raise AuthorTextTooLongError(name="called", characters=len(called), limit=MAX_CALLED)
        if not CALLED.fullmatch(called):
            wrong = _NOT_IN_NAMES.search(called)
            raise RequestNameError(character=wrong[0] if wrong else "")
        object.__setattr__(self, "called", "" if called == self.seq_id else called)
        if not own and not self.same:
            raise EmptyPromptError(seq_id=self.seq_id)

    def _clean(self, text: str) -> str:
        if len(text) > MAX_TEXT:
            raise TextTooLongError(seq_id=self.seq_id, characters=len(text), limit=MAX_TEXT)
        return clean_text(text)


def find_next_name(names: Iterable[str], like: str = "") -> str:
    """The next unused letter, else a letter with a digit; with `like`, that letter first. "" if all are used. Pure."""
    taken, numbered = set(names), (f"{letter}{digit}" for digit in digits for letter in ascii_uppercase)
    every = [*([like, *(f"{like}{digit}" for digit in digits[1:])] if like else []), *ascii_uppercase, *numbered]
    return next((name for name in every if name not in taken), "")


def check_called(requests: Iterable[RequestSpec]) -> None:
    """Raise CalledAlikeError if a request is called like another one, in whatever case."""
    taken: dict[str, str] = {}
    for spec in requests:
        for name in filter(None, (spec.seq_id, spec.called)):
            other = taken.setdefault(name.casefold(), spec.seq_id)
            if other != spec.seq_id:
                raise CalledAlikeError(seq_id=spec.seq_id, other=other)


def build_requests(requests: Iterable[RequestSpec]) -> tuple[tuple[Request, ...], tuple[str, ...]]:
    """The requests with their token ids, and the text of each id."""
    spoken: list[tuple[str, _RequestTokens]] = []
    by_name: dict[str, _RequestTokens] = {}
    for spec in requests:
        says = _collect_tokens(spec, by_name)
        spoken.append((spec.seq_id, says))  # Config refuses two requests with one name
        by_name.setdefault(spec.seq_id, says)
    texts = dict.fromkeys(text for _, says in spoken for text in (*says.prompt, *says.more))
    if len(texts) > VOCABULARY:
        raise VocabularyError(different=len(texts), limit=VOCABULARY)
    ids = {text: i for i, text in enumerate(texts)}
    built = (
        Request(seq_id, tuple(ids[text] for text in says.prompt), tuple(ids[text] for text in says.more))
        for seq_id, says in spoken
    )
    return tuple(built), tuple(texts)


@dataclass(frozen=True)
class _RequestTokens:
    """The texts of a request's tokens: its prompt, then the tokens that it appends, repeated when they run out."""

    prompt: tuple[str, ...]
    more: tuple[str, ...]

    def first(self, count: int) -> tuple[str, ...]:
        beyond = range(count - len(self.prompt))
        return (*self.prompt[:count], *(self.more[i % len(self.more)] for i in beyond))

    def after(self, count: int) -> tuple[str, ...]:
        """The tokens that follow the first `count`."""
        if count < len(self.prompt):
            return (*self.prompt[count:], *self.more)
        turn = (count - len(self.prompt)) % len(self.more)
        return (*self.more[turn:], *self.more[:turn])


def _collect_tokens(spec: RequestSpec, earlier: Mapping[str, _RequestTokens]) -> _RequestTokens:
    begins = earlier.get(spec.same_as)
    if spec.same and begins is None:
        raise SameAsError(seq_id=spec.seq_id, other=spec.same_as)
    own = tokenize(spec.own) if isinstance(spec.own, str) else _make_tokens(spec.seq_id, spec.own)
    then = tokenize(spec.then)
    for count in (spec.same + len(own), len(then)):
        check_limit("tokens", count, MAX_TOKENS)
    prompt = (*(begins.first(spec.same) if begins else ()), *own)
    if then:
        return _RequestTokens(prompt, then)
    if begins and not own:
        return _RequestTokens(prompt, begins.after(spec.same))
    return _RequestTokens(prompt, _make_tokens(spec.seq_id.lower(), APPENDED))


def _make_tokens(name: str, count: int) -> tuple[str, ...]:
    """A1, A2, ...; for a name with a digit B1.1, B1.2, ..., because B11 is the eleventh token of B."""
    dot = "." if len(name) > 1 else ""
    return tuple(f"{name}{dot}{i}" for i in range(1, count + 1))
