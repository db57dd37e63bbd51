"""The wrong ideas by id: what each confuses, where it is taught, whether it can be run. Texts are in the strings.

Every rule of every question names an idea by its id here: lessons, task, quiz and report have one id for one idea.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.engine.errors import LabError

Lesson = Literal["allocate", "append", "share", "code", "intuition", "task", ""]
Status = Literal["runnable", "harmless", "named", "slip"]


class UnknownIdeaError(LabError):
    """There is no wrong idea of that id. Numbers: `idea`."""

    code = "unknown_idea"
    message = "no idea {idea}"


class NotRunnableError(LabError):
    """This idea changes no action, so it cannot be run. Numbers: `idea`."""

    code = "not_runnable"
    message = "{idea} changes no action"


class StuckError(LabError):
    """An engine under a wrong idea looked for something that is not there. Numbers: `error`, the exception's name."""

    code = "stuck"
    message = "cannot go on: {error}"


class NothingToTakeError(StuckError):
    """An engine under a wrong idea took a block from an empty queue. Numbers as StuckError."""

    code = "nothing_to_take"


class NoNeighboursError(LabError):
    """Adjacent blocks are wanted, and no free run is long enough. Numbers: `needed`, `free`, `longest` (blocks)."""

    code = "no_neighbours"
    message = "needs {needed} blocks side by side, {longest} of {free} free ones are"


class NeighbourTakenError(LabError):
    """The block next to the last one is wanted, and it is in use or outside the pool. Numbers: `block`, `free`."""

    code = "neighbour_taken"
    message = "block {block} is not free, {free} others are"


# Refusals that follow from the idea: under it, the request would wait.
WAITS = frozenset({NoNeighboursError.code, NeighbourTakenError.code})


@dataclass(frozen=True)
class Idea:
    """One wrong idea.

    confuses   the two concepts that it takes for each other; empty for most slips.
    lesson     the lesson or page that teaches what is true; empty for a slip in counting, which is taught nowhere.
    part       the part of that page, if it has parts.
    status     "runnable"; "harmless": it can be run, and nothing goes wrong in the lab; "named": it cannot be run;
               "slip": not one of the lab's misconceptions; it has a name and no further words. Ids begin with `slip_`.
    """

    id: str
    confuses: tuple[str, ...]
    lesson: Lesson
    status: Status = "runnable"
    part: str = ""

    @property
    def name_key(self) -> str:
        """Key of its name."""
        return f"misconceptions.name.{self.id}"

    @property
    def idea_key(self) -> str:
        """Key of the sentence that somebody with this idea would say."""
        return f"misconceptions.idea.{self.id}"

    @property
    def why_key(self) -> str:
        """Key of the explanation: what confuses people, and what the engine does instead."""
        return f"misconceptions.why.{self.id}"

    @property
    def concept_keys(self) -> tuple[str, ...]:
        """Keys of the names of the two concepts; empty if it confuses none."""
        return tuple(f"misconceptions.concept.{name}" for name in self.confuses)


IDEAS: tuple[Idea, ...] = (
    Idea("floor_for_ceil", ("logical_page", "empty_slot"), "allocate"),
    Idea("used_as_empty", ("used_slot", "empty_slot"), "allocate"),
    Idea("whole_page_empty", ("logical_page", "empty_slot"), "allocate"),
    Idea("ids_consecutive", ("logical_page", "physical_block"), "intuition"),
    Idea("id_is_index", ("logical_page", "physical_block"), "allocate"),
    Idea("full_page_reused", ("logical_page", "empty_slot"), "append"),
    Idea("check_allocates", ("check", "allocate"), "append"),
    Idea("check_before_append", ("check", "append_token"), "append"),
    Idea("act_without_block", ("check", "allocate"), "append"),
    Idea("released_at_first", ("release", "ref_count"), "share"),
    Idea("partial_shared", ("full_page", "partial_page"), "share"),
    Idea("identical_computes_nothing", ("cached_token", "computed_token"), "share"),
    Idea("release_erases", ("release", "overwrite"), "share", "harmless"),
    Idea("unchained_hash", ("page_tokens", "prefix"), "share"),
    Idea("tail_not_trimmed", ("used_slot", "empty_slot"), "code"),
    Idea("pages_sorted", ("logical_page", "physical_block"), "code"),
    Idea("no_fragmentation", ("logical_page", "empty_slot"), "intuition", "named"),
)
# `release_erases` comes in two forms. Both are run, each where its question was answered.
VARIANTS: tuple[Idea, ...] = (Idea("stale_hash", ("release", "overwrite"), "share"),)
# Slips by the lesson, and the part of the page, that explains them.
_SLIPS: dict[tuple[Lesson, str], str] = {
    ("intuition", ""): "external",
    ("allocate", ""): (
        "block_per_token one_for_all one_too_many size_for_count free_blocks free_slots whole_page any_page "
        "entry_per_token from_tail smallest not_head sorted sorted_table free_list counted_from_one block_start "
        "offset_only block_id not_multiplied other_page no_such_slot"
    ),
    ("append", ""): (
        "append_always_takes counts_every_page spare_page empty_pool_refuses same_block write_before_page "
        "preempts_unasked table_empty sees_coming check_reserves withdrawn token_takes steals room_elsewhere waits "
        "raises overwrites moves"
    ),
    ("share", ""): (
        "nothing_shared pages all page_more hash_before_write one_owner forgot_release every_request cache_counts "
        "not_used table_order shared_only none last_page all_used joins_head tail_unchanged compaction stale_is_used "
        "only_last nano_rule vllm_rule cache_off cache_on"
    ),
    ("code", ""): "needed acts_each_time never_acts only_new only_asks comes_after counts_up",
    ("task", "explain"): "free_is_waste",
    ("task", "eight"): "larger_wastes_more other_size",
    ("", ""): "swapped count_for_percent of_tokens",
}
_SLIP_CONFUSES = {
    "free_blocks": ("physical_block", "empty_slot"),
    "append_always_takes": ("check", "allocate"),
    "check_reserves": ("check", "allocate"),
}
SLIPS: tuple[Idea, ...] = tuple(
    Idea(f"slip_{name}", _SLIP_CONFUSES.get(name, ()), lesson, "slip", part=part)
    for (lesson, part), names in _SLIPS.items()
    for name in names.split()
)
_BY_ID = {idea.id: idea for idea in (*IDEAS, *VARIANTS, *SLIPS)}


def find_idea(idea_id: str) -> Idea:
    """The idea or slip of that id. Raises UnknownIdeaError."""
    if idea_id not in _BY_ID:
        raise UnknownIdeaError(idea=idea_id)
    return _BY_ID[idea_id]


def is_slip(idea_id: str) -> bool:
    """Is it a slip rather than a misconception? Pure."""
    return idea_id.startswith("slip_")
