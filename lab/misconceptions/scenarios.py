"""For each idea a small scenario in which it visibly goes wrong, for when the learner's own scenario shows no harm.

If the idea damages KV, the model then says another word than it should, or none.
"""

from __future__ import annotations

from lab.activities.ideas import NotRunnableError, find_idea
from lab.trace.config import Config, Request
from lab.trace.operations import Operation, parse_operation
from lab.trace.vocabulary import find_tokens

Prompts = dict[str, str]

_ASKS = "Tom likes tea , Ann likes milk . Today bring Tom"
_B = "Hello to the world"
_A_AND_B: Prompts = {"A": "Tom likes tea , + Ann", "B": f"{_B} + !"}
# Its object is in the last slot of a block, where _ASKS has its empty slot.
_SOUP_LAST = "Ben milk , Eva cake , Tom soup"

# idea -> free queue; prompts, after + the tokens that are appended (the model's own words, where not stated otherwise);
# operations in the short text of links. block_size is 4.
_SCENARIOS: dict[str, tuple[tuple[int, ...], Prompts, str]] = {
    "floor_for_ceil": ((3, 0, 2, 1), {"A": _ASKS}, "aA"),
    "used_as_empty": ((3, 0, 2, 1), {"A": _ASKS}, "aA"),
    "whole_page_empty": ((1, 0), _A_AND_B, "aA aB"),  # two pages for two blocks
    # Four blocks are free and A needs three, but B and C are between them.
    "ids_consecutive": ((1, 4, 0, 2, 3, 5), {"B": _B, "C": "Max likes rice ,", "A": _ASKS}, "aB aC aA"),
    "id_is_index": ((2, 3, 0, 1, 4), {"A": _ASKS, "B": "Tom likes soup ,"}, "aA aB"),
    # The ninth token goes where "tea" is.
    "full_page_reused": ((2, 0, 1), {"B": "all : Tom likes tea . Today bring + Tom"}, "aB tB"),
    "check_allocates": ((2, 0, 1), _A_AND_B, "aA aB kA kB cA cB mB"),  # both are checked, and B is chosen
    "check_before_append": ((2, 0, 1), {"B": f"{_B} + !"}, "aB tB"),
    "act_without_block": (  # B needs one block too many
        (2, 0, 3, 1),
        {"A": "Tom likes tea , Ann likes milk . + Today", "B": f"{_B} ! tea for two now sir"},
        "aA aB tA",
    ),
    # D's block joins the queue behind A's, so that C can get a block that is still in use.
    "released_at_first": (
        (4, 2, 0, 3, 1),
        {"D": "Hello to the", "A": "Tom likes tea , Ben", "B": _ASKS, "C": "Ann likes milk , Tom likes soup ,"},
        "aD aA aB rA rD aC",
    ),
    "partial_shared": ((2, 0, 3, 1, 5, 4), {"A": _ASKS, "B": "Tom likes soup ."}, "aA aB"),
    # B's soup is not the model's first choice: as if it had been sampled.
    "identical_computes_nothing": (
        (2, 0, 3, 1),
        {"A": "Tom likes milk , Tom likes + tea . Today bring Tom", "B": "Tom likes milk , Tom likes + soup"},
        "aA aB tA tB tA tA tA tA",
    ),
    "release_erases": ((2, 0, 1), {"A": f"{_B} !", "B": f"{_B} !"}, "aA rA aB"),
    # B's last page, which is not full, is in A's first block, and D's blocks go to C, which begins like A.
    "stale_hash": (
        (2, 0, 3, 1, 4),
        {
            "D": "Max likes rice , Zoe likes fish . Today",
            "A": "Tom likes tea , Ann",
            "B": "Ann likes milk , Tom likes soup",
            "C": _ASKS,
        },
        "aD aA rA rD aB aC",
    ),
    # Page 1 of B is found where A has it: after another page 0, that of C.
    "unchained_hash": (
        (5, 2, 7, 0, 6, 3, 1, 4),
        {
            "A": "Ann milk , Tom tea . So please bring Tom",
            "C": "Ann milk , Ben pie",
            "B": "Ann milk , Ben tea . So please bring Ben",
        },
        "aA aC aB",
    ),
    "tail_not_trimmed": ((1, 0, 2, 3), {"C": _SOUP_LAST, "A": _ASKS}, "aC rC aA"),  # C's KV is in A's empty slot
    "pages_sorted": ((3, 1, 0, 2), {"C": _SOUP_LAST, "A": _ASKS}, "aC rC aA"),  # and A's last page comes second
}


def get_scenario(idea_id: str) -> tuple[Config, tuple[Operation, ...]]:
    """The scenario in which this idea does harm, or differs from the engine if it never does harm.

    Raises UnknownIdeaError, NotRunnableError.
    """
    if find_idea(idea_id).id not in _SCENARIOS:
        raise NotRunnableError(idea=idea_id)
    queue, prompts, log = _SCENARIOS[idea_id]
    requests = tuple(_build_request(name, text) for name, text in prompts.items())
    return Config(len(queue), 4, queue, requests), tuple(map(parse_operation, log.split()))


def _build_request(name: str, text: str) -> Request:
    prompt, _, appended = text.partition(" + ")
    return Request(name, find_tokens(prompt), find_tokens(appended or "tea"))
