"""Wrong ideas: each differs from the engine in one place, goes wrong in its scenario, and never crashes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings

from lab.activities.cases import LESSONS
from lab.activities.diagnosis import diagnose_one, get_confused_pair, get_rules
from lab.activities.ideas import (
    IDEAS,
    SLIPS,
    VARIANTS,
    Lesson,
    NotRunnableError,
    Status,
    UnknownIdeaError,
    find_idea,
    is_slip,
)
from lab.activities.question import BY_ID, observe_outcomes
from lab.activities.trace_points import iterate_trace_points
from lab.engine.block_manager import BlockManager
from lab.engine.errors import UnknownRequestError
from lab.engine.sequence import Sequence
from lab.misconceptions.play import RunComparison, play
from lab.misconceptions.reading import trace_read_slots
from lab.misconceptions.scenarios import get_scenario
from lab.misconceptions.wrong_timeline import (
    REPLACED,
    _record_manager,
    _WrongTimeline,
    build_timeline_type,
    reads_wrongly,
)
from lab.trace.config import Config
from lab.trace.events import RequestArrived
from lab.trace.kv_cache import KVCache
from lab.trace.operations import Allocate, Operation, parse_operation
from lab.trace.presets import PLAN, build_task_config
from lab.trace.recorder import RecordingBlockManager
from lab.trace.timeline import Timeline
from lessons.text.translations import LANGUAGES, get_translations
from tests.sample import every_language
from tests.trace.event_replay import histories

ROOT = Path(__file__).parent.parent.parent
ORDER = """
floor_for_ceil used_as_empty whole_page_empty ids_consecutive id_is_index full_page_reused check_allocates
check_before_append act_without_block released_at_first partial_shared identical_computes_nothing release_erases
unchained_hash tail_not_trimmed pages_sorted no_fragmentation
"""
ALL = (*IDEAS, *VARIANTS)
RUN = [idea.id for idea in ALL if idea.status != "named"]
HARMFUL = [idea.id for idea in ALL if idea.status == "runnable"]
# Ideas that replace several methods.
SEVERAL = {
    name: {"hash_blocks", "_cached_blocks", "_share_block"} for name in ("partial_shared", "identical_computes_nothing")
}
SEVERAL["stale_hash"] = {"_forget", "_remember"}
SEVERAL["ids_consecutive"] = {"can_allocate", "allocate", "can_append", "may_append", "_take_block"}


def in_its_scenario(idea_id: str) -> RunComparison:
    return play(idea_id, *get_scenario(idea_id))


def ops(log: str) -> list[Operation]:
    return [parse_operation(text) for text in log.split()]


def test_the_ideas_are_the_agreed_ones() -> None:
    """Ids and their order, a lesson and a status for each; every idea that is not only named can be run."""
    assert [idea.id for idea in IDEAS] == ORDER.split()
    assert {idea.lesson for idea in (*IDEAS, *SLIPS)} == set(get_args(Lesson))
    assert {idea.status for idea in (*IDEAS, *SLIPS)} == set(get_args(Status))
    assert all(idea.lesson in LESSONS for idea in IDEAS)
    assert len(HARMFUL) >= 10
    assert set(RUN) == set(REPLACED)
    assert all(len(set(idea.confuses)) == 2 for idea in IDEAS)
    assert [find_idea(idea.id) for idea in ALL] == list(ALL)
    (variant,) = VARIANTS  # another run of the same idea
    idea = find_idea("release_erases")
    assert (variant.confuses, variant.lesson) == (idea.confuses, idea.lesson)


@every_language
def test_every_idea_has_its_words(language: str) -> None:
    """A name, a sentence of somebody who holds it, a reason, and names of both concepts: all distinct, none unused.
    A slip has a name."""
    say = next(get_translations(each) for each in LANGUAGES if each == language)
    for key in ("idea_key", "why_key"):
        assert len({say.text(getattr(idea, key)) for idea in ALL}) == len(ALL)
    names = [idea.name_key for idea in (*ALL, *SLIPS)]
    assert len({say.text(key) for key in names}) == len(names)
    concepts = {key for idea in ALL for key in idea.concept_keys}
    assert len({say.text(key) for key in concepts}) == len(concepts)
    assert sorted(key for key in say._strings if key.startswith("misconceptions.")) == sorted(
        [*concepts, *names, *(key for idea in ALL for key in (idea.idea_key, idea.why_key))]
    )


def test_what_cannot_be_run_says_so() -> None:
    """An idea that is only named, and an unknown id."""
    for what in (lambda i: play(i, build_task_config(), PLAN), get_scenario, build_timeline_type):
        with pytest.raises(NotRunnableError):
            what("no_fragmentation")
        with pytest.raises(UnknownIdeaError):
            what("no_such_idea")
    with pytest.raises(UnknownRequestError):
        play("id_is_index", build_task_config(), [Allocate("Z")])


# --- one place ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("idea_id", RUN)
def test_an_idea_differs_in_exactly_one_place(idea_id: str) -> None:
    """One class of the engine has a subclass that defines one existing method; everything else is the engine's."""
    replaced, timeline = REPLACED[idea_id], build_timeline_type(idea_id)
    (engine,) = replaced.__bases__
    assert engine in (Sequence, BlockManager, KVCache)
    own = [name for name in vars(replaced) if name not in ("__module__", "__doc__", "__qualname__")]
    own = [name for name in own if not name.startswith(("__static", "__first", "__slot"))]  # added by Python itself
    assert set(own) == SEVERAL.get(idea_id, set(own[:1]))
    assert set(own) <= set(vars(engine))
    wrong: tuple[type, ...] = (replaced,) if engine is BlockManager else ()
    assert timeline.manager_type.__mro__[2:] == (RecordingBlockManager, *wrong, BlockManager, object)
    assert timeline.cache_type is (replaced if engine is KVCache else KVCache)
    assert timeline.sequence_type is (replaced if engine is Sequence else Sequence)
    assert reads_wrongly(idea_id) is (engine is KVCache)


class Unchanged(_WrongTimeline):
    """The classes that replace the engine, without a wrong idea in them."""

    manager_type = _record_manager(BlockManager)


@settings(max_examples=15)
@given(histories(min_size=5, max_size=20))
def test_without_an_idea_it_is_the_engine(history: tuple[Config, list[Operation]]) -> None:
    """The code around the replaced part changes nothing, down to the last event and snapshot."""
    assert Unchanged.replay(*history).steps == Timeline.replay(*history).steps


@pytest.mark.parametrize("idea_id", RUN)
def test_the_real_side_is_the_engine(idea_id: str) -> None:
    """It is a plain Timeline, unaffected by the wrong run."""
    config, operations = get_scenario(idea_id)
    assert play(idea_id, config, operations).real_steps == tuple(Timeline.replay(config, operations).steps)


# --- the same idea behind a wrong answer ----------------------------------------------------------------------------


def test_a_diagnosis_leads_to_the_same_idea() -> None:
    """Under an idea, the engine itself gives the answer from which the diagnosis recognises the idea."""
    run, config = ops("aA aB tB rA"), build_task_config()
    answers = {
        "floor_for_ceil": ("blocks", arrived("floor_for_ceil", config).pages),
        "ids_consecutive": ("consecutive", outcome("ids_consecutive", config, run, "consecutive")),
        "id_is_index": ("last_to_join", outcome("id_is_index", config, ops("aA rA"), "last_to_join")),
        "full_page_reused": ("new_page", outcome("full_page_reused", config, run, "new_page")),
        "check_allocates": ("table_after_check", outcome("check_allocates", config, run, "table_after_check")),
        "used_as_empty": ("empty_slots", 12 - len(slots_read_by_a("used_as_empty", config))),
    }
    points = list(iterate_trace_points(Timeline.replay(config, run).steps))
    for idea_id, (question, answer) in answers.items():
        found = diagnose_one(BY_ID[question], answer, observe_outcomes(points)[question], points)
        assert found.idea == idea_id
        assert find_idea(idea_id).confuses == get_confused_pair(found.idea)
    named = {idea for question in BY_ID.values() for idea, _ in get_rules(question) if not is_slip(idea)}
    assert named == {*answers, "no_fragmentation"}


def outcome(idea_id: str, config: Config, operations: list[Operation], question: str) -> int:
    return observe_outcomes(list(iterate_trace_points(build_timeline_type(idea_id).replay(config, operations).steps)))[
        question
    ].value


def arrived(idea_id: str, config: Config) -> RequestArrived:
    event = build_timeline_type(idea_id).replay(config, ops("aA")).steps[0].events[0]
    assert isinstance(event, RequestArrived)
    return event


def slots_read_by_a(idea_id: str, config: Config) -> list[int]:
    timeline = build_timeline_type(idea_id).replay(config, ops("aA"))
    return trace_read_slots(timeline.cache, timeline.live["A"])


def test_the_list_of_ideas_is_light() -> None:
    """A page can name the ideas and their scenarios before torch is loaded."""
    code = "import sys, lab.activities.ideas, lab.misconceptions.scenarios; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
