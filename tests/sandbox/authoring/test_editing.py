"""The log as a list to edit: steps that unfold into operations, inserted, deleted, moved, repeated; against a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.engine.errors import LabError, LimitError
from lab.sandbox.editing import Entry, delete, insert, list_entries, move, repeat, unfold
from lab.sandbox.errors import LogGroupsError, NothingRunningError, QuestionStepError
from lab.sandbox.key_questions import build_key_question
from lab.sandbox.library import get_prompt_after, get_prompt_before
from lab.sandbox.log import Group
from lab.sandbox.request_specs import RequestSpec, find_next_name
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import AuthorPrompt, Script
from lab.trace.operations import Allocate, Append, Operation, Release, encode_operation, parse_operation
from lab.trace.timeline import Timeline, join_steps
from tests.sample import some

REQUESTS = (RequestSpec("A", 11), RequestSpec("B", 4), RequestSpec("C", 6, called="Carol"))
DECODE = Entry(Append("A"), "decode", 2)


def make(log: str = "aA aB", **changes: object) -> Scenario:
    """A scenario with these operations on 16 blocks of 4."""
    made = Scenario(16, 4, "used", REQUESTS, tuple(map(parse_operation, log.split())))
    return replace(made, **changes)  # type: ignore[arg-type]


def spell(scenario: Scenario) -> str:
    """The operations in short, the steps with `|` between them."""
    return "|".join(" ".join(map(encode_operation, step.operations)) for step in scenario.steps)


def entry(text: str) -> Entry:
    return Entry(parse_operation(text))


def test_a_decode_step_gives_every_running_request_a_token_in_turn() -> None:
    """And does so again for those that run when something before it is changed."""
    scenario, at = insert(make(), 2, DECODE)
    assert (spell(scenario), at) == ("aA|aB|tA tB tA tB", 6)
    more, at = insert(scenario, 2, entry("aC"))
    assert (spell(more), at) == ("aA|aB|aC|tA tB tC tA tB tC", 3)
    assert spell(delete(more, 2)[0]) == "aA|aC|tA tC tA tC"


def test_a_long_append_is_one_step_and_stops_at_a_refusal() -> None:
    """What was asked for is remembered: with room, all of it is done."""
    scenario, _ = insert(make("aA", num_blocks=4, queue="fresh"), 1, Entry(Append("A"), "append", 20))
    assert scenario.groups == (Group("append", 2, 6, 20),)  # 11 + 5 fill the pool; the sixth is refused
    run = Timeline.replay(scenario.config, scenario.operations)
    assert [bool(step.refusal) for step in run.steps] == [False] * 6 + [True]
    roomy = unfold(replace(scenario, num_blocks=16), list_entries(scenario))
    assert roomy.groups == (Group("append", 2, 20, 20),)


@pytest.mark.parametrize(("tokens", "more"), [(11, 1), (12, 4), (9, 3)])
def test_to_the_page_boundary_fills_the_page(tokens: int, more: int) -> None:
    """A full page: a new one, to its end."""
    scenario, _ = insert(make("aA", requests=(RequestSpec("A", tokens),)), 1, Entry(Append("A"), "fill"))
    assert spell(scenario) == "aA|" + " ".join(["tA"] * more)
    view = Timeline.replay(scenario.config, scenario.operations).snapshot(1 + more).sequence("A")
    assert view is not None
    assert (view.empty_slots, view.num_tokens) == (0, tokens + more)


def test_a_preempted_request_can_come_back_with_all_of_its_tokens() -> None:
    """Released; another request begins like it, as long as it then is, also after a change before that."""
    scenario, at = insert(make("aA aC tC"), 3, Entry(Release("C"), "preempt"))
    assert (spell(scenario), at) == ("aA|aC|tC|rC", 4)
    assert scenario.requests[3] == RequestSpec("C1", 0, "C", 7, called="Carol 2")
    longer, _ = repeat(scenario, 3)
    assert longer.requests[3].same == 8
    back, _ = insert(longer, 5, entry("aC1"))
    run = Timeline.replay(back.config, back.operations)
    before, after = run.snapshot(4).sequence("C"), run.snapshot(6).sequence("C1")
    assert before is not None
    assert after is not None
    assert after.token_ids == before.token_ids
    again, _ = insert(back, 6, Entry(Release("C1"), "preempt"))
    assert again.requests[4] == RequestSpec("C2", 0, "C1", 8, called="Carol 3")


def test_steps_are_moved_repeated_and_deleted_with_their_questions() -> None:
    """A question goes with its step; a repeated step has none."""
    asked = AuthorPrompt(2, "table")
    scenario, _ = insert(make(script=Script(prompts=(asked,))), 2, DECODE)
    moved, at = move(scenario, 2, -1)
    assert (spell(moved), at) == ("aB|aA|tB tA tB tA", 1)
    assert moved.script.prompts == (replace(asked, step=1),)
    twice, at = repeat(scenario, 2)
    assert (spell(twice), at, twice.script) == ("aA|aB|aB|tA tB tA tB", 3, scenario.script)
    gone, at = delete(scenario, 2)
    assert (spell(gone), at, gone.script) == ("aA|tA tA", 1, Script())
    assert spell(delete(scenario, 4)[0]) == "aA|aB"  # from inside a step, all of it


def test_a_step_that_finds_nothing_running_is_refused() -> None:
    """With its number, and nothing is changed."""
    scenario, _ = insert(make("aA"), 1, DECODE)
    with pytest.raises(NothingRunningError) as refused:
        delete(scenario, 1)
    assert refused.value.numbers == {"step": 1}


def test_a_limit_keeps_what_fits() -> None:
    """117 tokens fit; a step of which nothing fits is refused."""
    scenario, _ = insert(make("aA", num_blocks=64), 1, Entry(Append("A"), "append", 128))
    assert scenario.groups == (Group("append", 2, 117, 128),)
    with pytest.raises(LimitError):
        insert(scenario, 118, entry("tA"))


def test_a_question_about_a_long_step_is_answered_by_all_of_it() -> None:
    """Asked before its first operation, and while inside it; the point comes after its last."""
    scenario, at = insert(make(), 2, Entry(Append("B"), "append", 9))
    scenario = replace(scenario, script=Script(prompts=(AuthorPrompt(at, "needed"),)))
    prompt = get_prompt_after(scenario, at)
    assert prompt is not None
    assert [get_prompt_before(scenario, i) for i in (1, 2, 5, at)] == [None, prompt, prompt, None]
    asked = build_key_question(prompt)
    assert asked is not None
    run = Timeline.replay(scenario.config, scenario.operations)
    taken = len(run.snapshot(2).free_block_ids) - len(run.snapshot(at).free_block_ids)
    assert asked.answer == f"n.{taken}" == "n.3"
    assert ("slip_append_always_takes", "n.9") in asked.wrong
    whole = join_steps(run.steps[2:at])
    assert (whole.before, whole.after) == (run.snapshot(2), run.snapshot(at))


@pytest.mark.parametrize(
    "group",
    [
        *(
            Group("decode", 1, 2),
            Group("append", 3, 3),
            Group("append", 4, 9),
            Group("fill", 0, 1),
            Group("fill", 4, 0),
        ),
        *(Group("preempt", 4, 1), Group("preempt", 6, 2), Group("decode", 3, 1, 0), Group("decode", 9, -1)),
    ],
)
def test_groups_that_do_not_fit_the_log_are_refused(group: Group) -> None:
    with pytest.raises(LogGroupsError):
        make("aA aB tA tB tB rA rB", groups=(group,))
    with pytest.raises(LogGroupsError):
        make("aA aB tA tB tB rA rB", groups=(Group("decode", 3, 3), Group("append", 5, 1)))


def test_a_question_inside_a_step_is_refused() -> None:
    with pytest.raises(QuestionStepError):
        make("aA tA tA", groups=(Group("append", 2, 2),), script=Script(prompts=(AuthorPrompt(2, "refused"),)))


def test_cutting_a_step_leaves_its_operations_single() -> None:
    """And its question goes."""
    whole = make("aA tA tA", groups=(Group("append", 2, 2),), script=Script(prompts=(AuthorPrompt(3, "needed"),)))
    assert (spell(whole), spell(whole.up_to(2))) == ("aA|tA tA", "aA|tA")
    assert not whole.up_to(2).script


def test_names_for_new_requests() -> None:
    assert [find_next_name(["A", "C"]), find_next_name(["A", "C"], "C"), find_next_name([], "S")] == ["B", "C1", "S"]


EVERY: list[Operation] = [Allocate("A"), Append("B"), Release("A")]


@pytest.mark.parametrize("at", some(range(7), 3))
@pytest.mark.parametrize("operation", EVERY)
def test_any_insertion_runs_or_is_refused(at: int, operation: Operation) -> None:
    """The log of the result is the one that ran."""
    scenario, _ = insert(make("aA aB rA"), 2, DECODE, Entry(Append("B"), "fill"))
    try:
        changed, now = insert(scenario, at, Entry(operation))
    except LabError:
        return
    assert Timeline.replay(changed.config, changed.operations).operations == changed.operations
    assert changed.operations[now - 1] == operation
    assert unfold(changed, list_entries(changed)) == changed
