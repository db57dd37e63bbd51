"""A learner's own scenario: a pool, the specifications of its requests, and the operations so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lab.engine.errors import InvalidFreeQueueError
from lab.sandbox.errors import QueueIdsError
from lab.sandbox.log import Group, LogStep, check_groups, list_steps
from lab.sandbox.queue import Queue, build_used_queue, describe_wrong_ids
from lab.sandbox.request_specs import RequestSpec, build_requests, check_called
from lab.sandbox.script import MAX_QUESTIONS, NO_SCRIPT, Script, check_prompts
from lab.trace.config import MAX_BLOCKS, MAX_OPERATIONS, Config, Request, check_limit
from lab.trace.operations import Operation
from lab.trace.presets import build_fresh_queue
from lab.trace.vocabulary import find_word, number_unknown


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
        check_called(self.requests)
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
            raise QueueIdsError(**error.numbers, **describe_wrong_ids(self.free_block_ids, self.num_blocks)) from None

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
        return build_requests(self.requests)


@dataclass(frozen=True)
class State:
    """A scenario and the position in its log: after `at` operations. Raises IndexError outside its log."""

    scenario: Scenario
    at: int

    def __post_init__(self) -> None:
        if not 0 <= self.at <= len(self.scenario.operations):
            raise IndexError(f"{self.at} outside 0..{len(self.scenario.operations)}")


def _number_words(texts: Sequence[str]) -> tuple[int, ...]:
    """The model's word for each token id, by its text."""
    words = map(find_word, texts)
    return tuple(number_unknown(token_id) if word is None else word for token_id, word in enumerate(words))
