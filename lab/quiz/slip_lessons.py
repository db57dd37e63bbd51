"""Where the idea behind an answer is taught: a lesson, or a part of the task. A slip in counting is taught nowhere."""

from __future__ import annotations

from lab.activities.ideas import find_idea
from lab.quiz.round import is_slip

# (page, part of the task) -> the slips that it explains.
_TAUGHT: dict[tuple[str, str], str] = {
    ("intuition", ""): "external",
    ("allocate", ""): (
        "block_per_token one_too_many size_for_count free_blocks free_slots whole_page any_page entry_per_token "
        "from_tail tail smallest sorted sorted_table free_list counted_from_one block_start offset_only block_id"
    ),
    ("append", ""): (
        "append_always_takes counts_every_page spare_page empty_pool_refuses same_block write_before_page "
        "preempts_unasked"
    ),
    ("share", ""): (
        "not_shared nothing_shared pages all page_more hash_before_write one_owner forgot_release every_request "
        "cache_counts not_used table_order shared_only none last_page all_used joins_head compaction stale_is_used "
        "nano_rule vllm_rule cache_off cache_on"
    ),
    ("task", "explain"): "free_is_waste",
    ("task", "eight"): "larger_wastes_more",
}
_BY_SLIP = {f"slip_{name}": place for place, names in _TAUGHT.items() for name in names.split()}


def find_lesson(idea: str) -> tuple[str, str] | None:
    """The page, and its part if it has parts; None for a slip in counting. Pure. Raises UnknownIdeaError."""
    return _BY_SLIP.get(idea) if is_slip(idea) else (find_idea(idea).lesson, "")
