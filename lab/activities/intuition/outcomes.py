"""What the runs answer to each question. The options of `where` are ids, made from the free queue on screen."""

from __future__ import annotations

from itertools import pairwise

from lab.activities.attempt import Answer
from lab.activities.intuition.runs import run_all
from lab.activities.question import Grade, Question, grade_option


def compute_where_options() -> dict[str, tuple[int, ...]]:
    """The ids that each idea gives A's pages, from the free queue before A is allocated. Pure."""
    step = run_all().paged.steps[0]
    view = step.after.sequences[0]
    pages, queue = len(view.block_table), step.before.free_block_ids
    return {
        "pages": tuple(range(pages)),  # the physical id is the number of the logical page
        "neighbours": tuple(range(queue[0], queue[0] + pages)),  # one piece
        "head": queue[:pages],
        "sorted": tuple(sorted(queue[:pages])),
    }


def observe_outcome(question: Question) -> str:
    """The id of the option that the run showed. Raises LookupError if it showed none of them."""
    return _SHOWN[question.id]()


def grade_answer(question: Question, answer: Answer) -> Grade:
    """An answer beside what the run showed."""
    return grade_option(question, question.options[answer.number].id, observe_outcome(question))


def _observe_contiguous() -> str:
    """`no` if A's blocks are not adjacent and its KV still reads bit-equal to contiguous KV."""
    runs = run_all()
    table = runs.paged.steps[0].after.sequences[0].block_table
    apart = any(b != a + 1 for a, b in pairwise(table))
    return "no" if apart and all(proof.bit_equal for proof in runs.proofs) else "yes"


def _observe_where() -> str:
    table = run_all().paged.steps[0].after.sequences[0].block_table
    return next(name for name, ids in compute_where_options().items() if ids == table)


def _observe_returns() -> str:
    """When did the blocks that two requests shared join the free queue?"""
    *_, first, last = run_all().paged.steps
    shared = find_shared_blocks()
    if not shared:
        raise LookupError("nothing was shared")
    for step, name in ((first, "at_once"), (last, "last")):
        if set(shared) <= set(step.after.free_block_ids):
            return name
    return "never"


def find_shared_blocks() -> tuple[int, ...]:
    """Blocks that A and B hold together before the first of them ends, in the order of A's block_table. Pure."""
    before = run_all().paged.steps[-2].before
    return tuple(block for block in before.sequences[0].block_table if before.blocks[block].ref_count > 1)


def collect_values() -> dict[str, int | tuple[int, ...]]:
    """Numbers of the runs for the texts of questions and answers. Pure.

    pages, table, queue  A's page numbers, the blocks that they got, and the free queue before that.
    same, shared         how many first tokens A and B have in common, and the blocks that both then hold.
    ref_before/after     ref_count of a shared block before and after the first of the two ends.
    """
    allocate, *_, allocate_b, first, _ = run_all().paged.steps
    table, shared = allocate.after.sequences[0].block_table, find_shared_blocks()
    block = shared[0]
    return {
        "pages": tuple(range(len(table))),
        "table": table,
        "queue": allocate.before.free_block_ids,
        "same": allocate_b.after.sequences[-1].num_cached_tokens,
        "shared": shared,
        "ref_before": first.before.blocks[block].ref_count,
        "ref_after": first.after.blocks[block].ref_count,
    }


_SHOWN = {"contiguous": _observe_contiguous, "where": _observe_where, "returns": _observe_returns}
