"""For each idea a small scenario in which it visibly goes wrong, for when the learner's own scenario shows no harm."""

from __future__ import annotations

from lab.activities.ideas import NotRunnableError, find_idea
from lab.trace.config import Config, Request
from lab.trace.operations import Operation, parse_operation
from lab.trace.presets import A_PROMPT, B_FIFTH, B_PROMPT, FURTHER

Prompts = dict[str, tuple[int, ...]]

_B = (*B_PROMPT, B_FIFTH, *FURTHER)  # ten tokens
_A_AND_B: Prompts = {"A": A_PROMPT[:4], "B": B_PROMPT}

# idea -> free queue, prompts, operations in the short text of links. block_size is 4.
_SCENARIOS: dict[str, tuple[tuple[int, ...], Prompts, str]] = {
    "floor_for_ceil": ((3, 0, 2, 1), {"A": A_PROMPT}, "aA"),
    "used_as_empty": ((3, 0, 2, 1), {"A": A_PROMPT}, "aA"),
    "whole_page_empty": ((1, 0), _A_AND_B, "aA aB"),  # two pages for two blocks
    # Four blocks are free and A needs three, but B and C are between them.
    "ids_consecutive": ((1, 4, 0, 2, 3, 5), {"B": B_PROMPT, "C": _B[4:8], "A": A_PROMPT}, "aB aC aA"),
    "id_is_index": ((2, 3, 0, 1), _A_AND_B, "aA aB"),
    "full_page_reused": ((2, 0, 1), {"B": B_PROMPT}, "aB tB"),
    "check_allocates": ((2, 0, 1), _A_AND_B, "aA aB kA kB cA cB mB"),  # both are checked, and B is chosen
    "check_before_append": ((2, 0, 1), {"B": B_PROMPT}, "aB tB"),
    "act_without_block": ((2, 0, 3, 1), {"A": A_PROMPT[:8], "B": _B}, "aA aB tA"),  # B needs one block too many
    # D's block joins the queue behind A's, so that C can get a block that is still in use.
    "released_at_first": (
        (4, 2, 0, 3, 1),
        {"D": _B[-3:], "A": _B[:5], "B": (*_B[:4], 17), "C": A_PROMPT},
        "aD aA aB rA rD aC",
    ),
    "partial_shared": ((2, 0, 3, 1), {"A": A_PROMPT[:8], "B": A_PROMPT[:6]}, "aA aB tB"),
    "identical_computes_nothing": ((2, 0, 3, 1), {"A": A_PROMPT[:6], "B": A_PROMPT[:6]}, "aA aB tB tA"),
    "release_erases": ((2, 0, 1), {"A": _B[:5], "B": _B[:5]}, "aA rA aB"),
    # B overwrites A's first block, and D's blocks go to C, which begins like A.
    "stale_hash": (
        (2, 0, 3, 1, 4),
        {"D": A_PROMPT[5:10], "A": _B[:5], "B": A_PROMPT, "C": _B[:5]},
        "aD aA rA rD aB aC",
    ),
    "tail_not_trimmed": ((1, 0), {"C": A_PROMPT[:8], "A": _B[:5]}, "aC rC aA"),  # C's KV is in A's empty slots
    "pages_sorted": ((5, 2, 7, 0, 1, 3, 4, 6), {"A": A_PROMPT}, "aA"),
}


def get_scenario(idea_id: str) -> tuple[Config, tuple[Operation, ...]]:
    """The scenario in which this idea does harm, or differs from the engine if it never does harm.

    Raises UnknownIdeaError, NotRunnableError.
    """
    if find_idea(idea_id).id not in _SCENARIOS:
        raise NotRunnableError(idea=idea_id)
    queue, prompts, log = _SCENARIOS[idea_id]
    after = (B_FIFTH, *FURTHER)  # each request appends tokens of its own
    requests = tuple(Request(name, prompt, after[i:]) for i, (name, prompt) in enumerate(prompts.items()))
    return Config(len(queue), 4, queue, requests), tuple(map(parse_operation, log.split()))
