"""The wrong ideas by id: what each confuses, where it is taught, whether it can be run. Texts are in the strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lab.engine.errors import LabError

Lesson = Literal["allocate", "append", "share", "code", "intuition"]
Status = Literal["runnable", "harmless", "named"]


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

    confuses   the two concepts that it takes for each other.
    lesson     the lesson that meets it.
    status     "runnable"; "harmless": it can be run, and nothing goes wrong in the lab; "named": it cannot be run.
    variant_of the idea that this one is another form of, with a run of its own; empty for the ideas themselves.
    """

    id: str
    confuses: tuple[str, str]
    lesson: Lesson
    status: Status = "runnable"
    variant_of: str = ""

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
    def concept_keys(self) -> tuple[str, str]:
        """Keys of the names of the two concepts."""
        first, second = self.confuses
        return f"misconceptions.concept.{first}", f"misconceptions.concept.{second}"


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
# An idea that comes in two forms. Both are run, each where its question was answered.
VARIANTS: tuple[Idea, ...] = (Idea("stale_hash", ("release", "overwrite"), "share", variant_of="release_erases"),)
_BY_ID = {idea.id: idea for idea in (*IDEAS, *VARIANTS)}


def find_idea(idea_id: str) -> Idea:
    """The idea of that id. Raises UnknownIdeaError."""
    if idea_id not in _BY_ID:
        raise UnknownIdeaError(idea=idea_id)
    return _BY_ID[idea_id]


# Ideas that have the same name in diagnosis.py. Its whole_page_empty is a different idea: a last page that holds
# tokens, counted as empty.
_DIAGNOSED = (
    "floor_for_ceil",
    "used_as_empty",
    "ids_consecutive",
    "id_is_index",
    "full_page_reused",
    "check_allocates",
    "no_fragmentation",
)


def get_id_of_diagnosis(idea_name: str) -> str | None:
    """The id of the idea with that name in diagnosis.py; None if that is a different idea, or a slip. Pure."""
    return idea_name if idea_name in _DIAGNOSED else None


# The same ideas behind wrong answers in the lessons: `<question>_<rule>`, as in the keys of the lessons' strings.
_RULES: dict[str, str] = {
    "where_pages": "id_is_index",
    "where_neighbours": "ids_consecutive",
    "returns_at_once": "released_at_first",
    "pages_floor_for_ceil": "floor_for_ceil",
    "spare_whole_page": "whole_page_empty",
    "spare_used_as_empty": "used_as_empty",
    "spare_none_empty": "no_fragmentation",
    "slot_is_position": "id_is_index",
    "slot_consecutive": "ids_consecutive",
    "edge_needs_full_page_reused": "full_page_reused",
    "edge_table_check_allocates": "check_allocates",
    "edge_id_full_page_reused": "full_page_reused",
    "edge_id_id_is_index": "id_is_index",
    "edge_id_consecutive": "ids_consecutive",
    "early_again_answer_kept": "check_before_append",
    "skip_left_acts_although_empty": "act_without_block",
    "found_partial_shared": "partial_shared",
    "computed_nothing": "identical_computes_nothing",
    "last_page_looked_up": "identical_computes_nothing",
    "joins_first_release": "released_at_first",
    "ref_left_first_release": "released_at_first",
    "again_erased": "release_erases",
    "until_released": "release_erases",
    "until_never": "stale_hash",
    "late_stale_hash": "stale_hash",
    "same_block_equal_tokens": "unchained_hash",
    "same_hash_equal_tokens": "unchained_hash",
    "second_id_page_number": "id_is_index",
    "second_id_next_number": "ids_consecutive",
    "pages_seen_before_token": "check_before_append",
    "blocks_freed_every_page": "released_at_first",
}


def get_id_of_rule(question: str, rule: str) -> str | None:
    """The id of the idea that a lesson's rule recognises for that question; None if it is none of these. Pure."""
    return _RULES.get(f"{question}_{rule}")
