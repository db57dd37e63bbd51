"""A learner's own scenario: a pool, the specifications of its requests, and the operations so far.

In a scenario, equal texts have equal token ids and different texts have different ids. So two requests share a block
only if their texts are the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_uppercase, digits
from typing import Literal

from lab.engine.errors import EmptyPromptError, InvalidFreeQueueError, InvalidSizeError
from lab.sandbox.errors import (
    AuthorTextTooLongError,
    CalledAlikeError,
    QueueIdsError,
    RequestNameError,
    SameAsError,
    TextTooLongError,
    VocabularyError,
)
from lab.sandbox.log import Group, LogStep, check_groups, list_steps
from lab.sandbox.script import MAX_QUESTIONS, NO_SCRIPT, Script, check_prompts
from lab.sandbox.tokens import clean_text, tokenize
from lab.trace.config import MAX_BLOCKS, MAX_OPERATIONS, MAX_TOKENS, VOCABULARY, Config, Request, check_limit
from lab.trace.operations import SEQ_ID, Operation
from lab.trace.presets import USED_QUEUE, build_fresh_queue
from lab.trace.vocabulary import find_word, number_unknown

Queue = Literal["fresh", "used"] | tuple[int, ...]

MAX_TEXT = 4000  # characters of one typed text
APPENDED = 16  # made-up tokens that a request appends before it repeats them
MAX_CALLED = 20  # characters of what people call a request
CALLED = re.compile(r"(?:[^\W_](?:[^\W_]|[ '’-])*)?")  # letters of any script and digits: no markup
_NOT_IN_NAMES = re.compile(r"[^\w '’-]|_")
_NAMED = 16  # ids of a queue that an error lists


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


@dataclass(frozen=True)
class Scenario:
    """Everything that a sandbox state consists of, except the position in the log.

    queue  "fresh" (0, 1, 2, ...), "used" (see build_used_queue), or the block ids themselves, head first.
    key    the prepared scenario that this one began as; else empty. Whether it still is that one: find_prepared.
    script what its author says about it.
    groups operations that are one step together, see lab/sandbox/log.py.

    Raises SameAsError, CalledAlikeError, LogGroupsError, QuestionStepError, QuestionKindError, VocabularyError,
    UnknownRequestError, QueueIdsError, LimitError, and what Config raises. Whether a limit stops the operations shows
    only when they run: Timeline.replay(scenario.config, scenario.operations) raises LimitError.
    """

    num_blocks: int
    block_size: int
    queue: Queue
    requests: tuple[RequestSpec, ...]
    operations: tuple[Operation, ...] = ()
    key: str = ""
    script: Script = NO_SCRIPT
    groups: tuple[Group, ...] = ()

    def __post_init__(self) -> None:
        for operation in self.operations:
            self.config.request(operation.seq_id)
        check_limit("operations", len(self.operations), MAX_OPERATIONS)
        _ = self.config
        _check_called(self.requests)
        check_groups(self.groups, self.operations)
        check_limit("questions", len(self.script.prompts), MAX_QUESTIONS)
        check_prompts(self.script, self.steps)

    @cached_property
    def steps(self) -> tuple[LogStep, ...]:
        """The log as its author wrote it."""
        return list_steps(self.operations, self.groups)

    @cached_property
    def called(self) -> dict[str, str]:
        """What people call each request, by its id in the engine. Untrusted."""
        return {spec.seq_id: spec.called or spec.seq_id for spec in self.requests}

    @property
    def free_block_ids(self) -> tuple[int, ...]:
        """The free queue at the beginning, head first. Raises LimitError if the pool is too large to list."""
        check_limit("num_blocks", self.num_blocks, MAX_BLOCKS)
        if isinstance(self.queue, tuple):
            return self.queue
        return build_fresh_queue(self.num_blocks) if self.queue == "fresh" else build_used_queue(self.num_blocks)

    @cached_property
    def config(self) -> Config:
        """The engine's Config for this scenario."""
        try:
            requests, texts = self._built
            words = _number_words(texts)
            return Config(self.num_blocks, self.block_size, self.free_block_ids, requests, words=words)
        except InvalidFreeQueueError as error:
            raise QueueIdsError(**error.numbers, **_describe_wrong_ids(self.free_block_ids, self.num_blocks)) from None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The text of each token id, by first appearance. Untrusted if it was typed or came with a link."""
        return self._built[1]

    def token(self, token_id: int) -> str:
        """The text of a token id; the id itself if the scenario has no such token."""
        return self.texts[token_id] if 0 <= token_id < len(self.texts) else str(token_id)

    def then(self, *operations: Operation) -> Scenario:
        """This scenario with more operations. Raises what Scenario raises."""
        return replace(self, operations=(*self.operations, *operations))

    def up_to(self, step: int) -> Scenario:
        """This scenario with only its first `step` operations."""
        groups = tuple(group for group in self.groups if group.last <= step)
        return replace(self, operations=self.operations[:step], script=self.script.up_to(step), groups=groups)

    @cached_property
    def _built(self) -> tuple[tuple[Request, ...], tuple[str, ...]]:
        return _build(self.requests)


@dataclass(frozen=True)
class State:
    """A scenario and the position in its log: after `at` operations. Raises IndexError outside its log."""

    scenario: Scenario
    at: int

    def __post_init__(self) -> None:
        if not 0 <= self.at <= len(self.scenario.operations):
            raise IndexError(f"{self.at} outside 0..{len(self.scenario.operations)}")


def find_next_name(names: Iterable[str], like: str = "") -> str:
    """The next unused letter, else a letter with a digit; with `like`, that letter first. "" if all are used. Pure."""
    taken, numbered = set(names), (f"{letter}{digit}" for digit in digits for letter in ascii_uppercase)
    every = [*([like, *(f"{like}{digit}" for digit in digits[1:])] if like else []), *ascii_uppercase, *numbered]
    return next((name for name in every if name not in taken), "")


def build_used_queue(num_blocks: int) -> tuple[int, ...]:
    """The queue of a pool that has served many requests, head first; for 16 blocks, the task's own. At most 64."""
    size = len(USED_QUEUE)
    if num_blocks <= size:
        return tuple(block for block in USED_QUEUE if block < num_blocks)
    turns = MAX_BLOCKS // size
    mixed = (block + size * ((i + turn) % turns) for turn in range(turns) for i, block in enumerate(USED_QUEUE))
    return tuple(block for block in mixed if block < num_blocks)


def _check_called(requests: Iterable[RequestSpec]) -> None:
    """Raise CalledAlikeError if a request is called like another one, in whatever case."""
    taken: dict[str, str] = {}
    for spec in requests:
        for name in filter(None, (spec.seq_id, spec.called)):
            other = taken.setdefault(name.casefold(), spec.seq_id)
            if other != spec.seq_id:
                raise CalledAlikeError(seq_id=spec.seq_id, other=other)


def _describe_wrong_ids(queue: tuple[int, ...], num_blocks: int) -> dict[str, str]:
    """The ids that are missing, repeated or unknown in a queue, as the numbers of QueueIdsError."""
    counts = Counter(queue)
    off = {
        "missing": [block for block in range(num_blocks) if block not in counts],
        "twice": [block for block, count in counts.items() if count > 1],
        "unknown": [block for block in counts if block >= num_blocks],
    }
    return {name: " ".join(map(str, ids[:_NAMED])) for name, ids in off.items()}


def _number_words(texts: Sequence[str]) -> tuple[int, ...]:
    """The model's word for each token id, by its text."""
    words = map(find_word, texts)
    return tuple(number_unknown(token_id) if word is None else word for token_id, word in enumerate(words))


def _build(requests: Iterable[RequestSpec]) -> tuple[tuple[Request, ...], tuple[str, ...]]:
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
