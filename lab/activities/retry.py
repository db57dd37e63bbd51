"""The same question with other numbers, answered by a run of its own."""

from __future__ import annotations

from dataclasses import dataclass

from lab.activities.question import observe_outcomes
from lab.activities.trace_points import Outcome, TracePoint, iterate_trace_points
from lab.trace.config import Config, Request
from lab.trace.presets import PLAN, USED_QUEUE
from lab.trace.snapshot import SequenceView
from lab.trace.timeline import Timeline

OPERATIONS = PLAN
_NUMBERS = ((3, 10, 6), (5, 17, 10), (6, 14, 4), (7, 30, 9), (2, 7, 2))  # block_size, tokens of A, tokens of B


@dataclass(frozen=True)
class Retry:
    """A question asked again: the pool's numbers, the outcome, and the trace points that show it."""

    question: str
    block_size: int
    free_block_ids: tuple[int, ...]
    a_tokens: int
    b_tokens: int
    outcome: Outcome
    seen: tuple[TracePoint, ...]

    def view(self, seq_id: str) -> SequenceView | None:
        """A request as it was last live in this run."""
        return next((v for m in reversed(self.seen) if (v := m.snapshot.sequence(seq_id))), None)


def build_retry_config(block_size: int, a_tokens: int, b_tokens: int, turn: int) -> Config:
    """A pool like the task's with its queue rotated by `turn`, and requests of these lengths that share nothing."""
    a, b = tuple(range(100, 100 + a_tokens)), tuple(range(200, 200 + b_tokens))
    turn %= len(USED_QUEUE)
    queue = USED_QUEUE[turn:] + USED_QUEUE[:turn]
    return Config(len(queue), block_size, queue, (Request("A", a, (300,)), Request("B", b, (301,))))


def build_retry(question: str, answered: object, tries: int = 0) -> Retry:
    """Ask `question` with the numbers of try `tries`, if possible with an outcome other than `answered`. Pure."""
    runs = [_run(question, _NUMBERS[(tries + i) % len(_NUMBERS)], turn=2 * (tries + i) + 1) for i in range(2)]
    return next((run for run in runs if run.outcome.value != answered), runs[0])


def _run(question: str, numbers: tuple[int, int, int], turn: int) -> Retry:
    block_size, a_tokens, b_tokens = numbers
    config = build_retry_config(block_size, a_tokens, b_tokens, turn)
    points = tuple(iterate_trace_points(Timeline.replay(config, OPERATIONS).steps))
    return Retry(
        question, block_size, config.free_block_ids, a_tokens, b_tokens, observe_outcomes(points)[question], points
    )
