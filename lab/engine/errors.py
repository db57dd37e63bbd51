"""The errors that a learner can cause: one small tree, each error carrying its numbers.

Raising any of these leaves the engine exactly as it was. The pages turn `code` and `numbers` into one sentence
in the learner's language; the English message here is for logs and tests.
"""

from __future__ import annotations

from typing import ClassVar


class LabError(Exception):
    """Base of everything that the lab refuses. `numbers` holds the values of this refusal by name."""

    code: ClassVar[str] = "error"
    message: ClassVar[str] = "refused"

    def __init__(self, **numbers: int | str) -> None:
        self.numbers = numbers
        super().__init__(self.message.format(**numbers))


class NoFreeBlocksError(LabError):
    """More blocks are needed than the free queue holds. Numbers: `needed`, `free` (blocks)."""

    code = "no_free_blocks"
    message = "needs {needed} blocks, {free} free"


class AlreadyAllocatedError(LabError):
    """The sequence already has a block_table. Numbers: `seq_id`, `held` (blocks)."""

    code = "already_allocated"
    message = "{seq_id} already holds {held} blocks"


class NotAllocatedError(LabError):
    """The sequence has no block_table (never allocated, or released). Numbers: `seq_id`."""

    code = "not_allocated"
    message = "{seq_id} holds no blocks"


class TokenPendingError(LabError):
    """The last token has no KV yet, so no other token may follow it. Numbers: `seq_id`, `position` (of that token)."""

    code = "token_pending"
    message = "{seq_id}: the KV of token {position} is not written yet"


class BlockSizeMismatchError(LabError):
    """Sequence and manager disagree on block_size. Numbers: `seq_id`, `sequence_size`, `manager_size` (tokens)."""

    code = "block_size_mismatch"
    message = "{seq_id} has block_size {sequence_size}, the manager {manager_size}"


class InvalidSizeError(LabError):
    """A size is below its minimum. Numbers: `name`, `value`, `minimum`."""

    code = "invalid_size"
    message = "{name} must be at least {minimum}, not {value}"


class InvalidFreeQueueError(LabError):
    """The initial free queue is not a permutation of 0..num_blocks-1. Numbers: `num_blocks`, `length`."""

    code = "invalid_free_queue"
    message = "the free queue must name each of {num_blocks} blocks once (it has {length} entries)"


class EmptyPromptError(LabError):
    """A request without tokens has nothing to page. Numbers: `seq_id`."""

    code = "empty_prompt"
    message = "{seq_id} has no tokens"


class InvalidTokenError(LabError):
    """A token id is not a whole number that fits the vocabulary. Numbers: `seq_id`, `value`."""

    code = "invalid_token"
    message = "{seq_id}: {value} is not a token id"


class SlotOutOfRangeError(LabError):
    """A slot lies outside the KV pool; -1 would silently hit the last one. Numbers: `slot`, `num_slots`."""

    code = "slot_out_of_range"
    message = "slot {slot} is outside 0..{num_slots}-1"


class LengthMismatchError(LabError):
    """Tokens and slots (or positions) differ in number. Numbers: `tokens`, `slots`."""

    code = "length_mismatch"
    message = "{tokens} tokens for {slots} slots"


class UnknownRequestError(LabError):
    """The scenario has no request of that name. Numbers: `seq_id`."""

    code = "unknown_request"
    message = "no request {seq_id}"


class RequestExistsError(LabError):
    """Two requests of a scenario have the same name. Numbers: `seq_id`."""

    code = "request_exists"
    message = "there are two requests {seq_id}"


class LimitError(LabError):
    """A limit of the lab (not of the engine) is exceeded. Numbers: `name`, `value`, `limit`."""

    code = "limit"
    message = "{name}: {value} is over the lab's limit of {limit}"


class InvariantError(LabError):
    """The engine's state contradicts itself; only a bug can cause it. Numbers: `name` and what disagreed."""

    code = "invariant"
    message = "invariant {name} broken: {detail}"


class InvalidLinkError(LabError):
    """A link does not describe a state. Numbers: `part` (which part of the link), `reason`."""

    code = "invalid_link"
    message = "the link's {part} cannot be read: {reason}"


class NoSuchOptionError(InvalidLinkError):
    """A link holds an answer that is not one of the options. Numbers: `answer`, the index in the link."""

    code = "no_such_option"
    message = "there is no option {answer}"


class InvalidAnswerError(LabError):
    """A typed answer has the wrong form; that is not a wrong answer and costs nothing. Numbers: `reason`.

    Reasons: those of lab.activities.answer.parse, and "no_text".
    """

    code = "invalid_answer"
    message = "not an answer: {reason}"
