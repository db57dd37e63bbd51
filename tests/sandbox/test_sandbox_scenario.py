"""A learner's own scenario: equal texts are equal tokens, so requests share exactly what is equal."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given

from lab.engine.errors import (
    EmptyPromptError,
    InvalidFreeQueueError,
    InvalidSizeError,
    LabError,
    LimitError,
    RequestExistsError,
    UnknownRequestError,
)
from lab.sandbox.errors import RequestNameError, SameAsError, TextTooLongError, VocabularyError
from lab.sandbox.queue import Queue, build_used_queue
from lab.sandbox.request_specs import APPENDED, MAX_TEXT, RequestSpec
from lab.sandbox.scenario import Scenario, State
from lab.trace.config import MAX_OPERATIONS, MAX_TOKENS, VOCABULARY
from lab.trace.operations import Allocate, Append, Release
from lab.trace.presets import USED_QUEUE
from lab.trace.timeline import Timeline
from lab.trace.vocabulary import find_word
from tests.sandbox.sandbox_cases import scenarios


def made(*requests: RequestSpec, queue: Queue = "used") -> Scenario:
    """A scenario with these requests on sixteen blocks of four."""
    return Scenario(16, 4, queue, requests)


def prompts(scenario: Scenario) -> list[list[str]]:
    """The texts of each request's prompt."""
    return [[scenario.token(token_id) for token_id in request.prompt] for request in scenario.config.requests]


def test_ids_are_given_by_first_appearance() -> None:
    """From 0, prompt before continuation, request by request; a text that came before keeps its id."""
    scenario = made(RequestSpec("A", "to be or not to be", then="!"), RequestSpec("B", "be that", then="! ?"))
    assert scenario.texts == ("to", "be", "or", "not", "!", "that", "?")
    assert [request.prompt for request in scenario.config.requests] == [(0, 1, 2, 3, 0, 1), (1, 5)]
    assert [request.continuation for request in scenario.config.requests] == [(4,), (4, 6)]
    assert scenario.token(7) == "7"  # not one of the ids
    assert scenario.token(-1) == "-1"


@given(scenarios(0))
def test_the_same_text_is_the_same_id_and_only_that(scenario: Scenario) -> None:
    """One to one, within the vocabulary, for any requests."""
    assert len(set(scenario.texts)) == len(scenario.texts) <= VOCABULARY
    used = {t for request in scenario.config.requests for t in (*request.prompt, *request.continuation)}
    assert used == set(range(len(scenario.texts)))


def test_made_up_tokens_are_unlike_any_others() -> None:
    """A1 begins with another token than A's eleventh, also if A1 begins like A."""
    scenario = made(RequestSpec("A", 12), RequestSpec("A1", 2, "A", 10), RequestSpec("B", 2))
    assert prompts(scenario)[0] == [f"A{i}" for i in range(1, 13)]
    assert prompts(scenario)[1][9:] == ["A10", "A1.1", "A1.2"]
    assert prompts(scenario)[2] == ["B1", "B2"]
    assert len(scenario.config.requests[0].continuation) == APPENDED


def test_a_beginning_like_anothers_may_go_beyond_its_prompt() -> None:
    """It goes on into the other's continuation, repeated; without own tokens it continues like the other."""
    scenario = made(
        RequestSpec("A", 3, then="x y"),
        RequestSpec("B", 0, "A", 6),
        RequestSpec("C", 0, "A", 2),
        RequestSpec("D", 1, "B", 7),
    )
    assert prompts(scenario) == [["A1", "A2", "A3"], ["A1", "A2", "A3", "x", "y", "x"], ["A1", "A2"],
                                 ["A1", "A2", "A3", "x", "y", "x", "y", "D1"]]  # fmt: skip
    further = [[scenario.token(t) for t in request.continuation] for request in scenario.config.requests]
    assert further[:3] == [["x", "y"], ["y", "x"], ["A3", "x", "y"]]
    assert further[3][:2] == ["d1", "d2"]


def test_a_request_appended_to_is_the_same_as_a_copy_that_began_longer() -> None:
    """The copy begins with the same token ids as the engine has for the other request."""
    scenario = made(RequestSpec("A", 3, then="x y"), RequestSpec("B", 0, "A", 8)).then(
        Allocate("A"), *[Append("A")] * 5, Allocate("B")
    )
    after = Timeline.replay(scenario.config, scenario.operations).steps[-1].after
    a, b = after.sequences
    assert a.token_ids == b.token_ids
    assert b.num_cached_tokens == 4


def test_texts_that_look_alike_share_and_others_do_not() -> None:
    """A composed and a decomposed text share a block; texts that differ in a letter do not."""
    scenario = made(RequestSpec("A", "é b c d e"), RequestSpec("B", "e\u0301  b c d f"), RequestSpec("C", "e b c d e"))
    scenario = scenario.then(Allocate("A"), Allocate("B"), Allocate("C"))
    a, b, c = Timeline.replay(scenario.config, scenario.operations).steps[-1].after.sequences
    assert a.block_table[0] == b.block_table[0]
    assert c.num_cached_tokens == 0


@pytest.mark.parametrize("num_blocks", [1, 3, 15, 16, 17, 40, 64])
def test_a_used_queue_names_each_block_once_and_is_in_no_order(num_blocks: int) -> None:
    """For sixteen blocks it is the task's queue."""
    queue = build_used_queue(num_blocks)
    assert sorted(queue) == list(range(num_blocks))
    assert num_blocks == 1 or queue != tuple(range(num_blocks))
    assert build_used_queue(16) == USED_QUEUE
    assert sum(b == a + 1 for a, b in pairwise(queue)) <= max(1, num_blocks // 4)


def test_a_queue_may_be_typed() -> None:
    """It is used as typed."""
    assert Scenario(3, 4, (2, 0, 1), ()).config.free_block_ids == (2, 0, 1)
    assert Scenario(3, 4, "fresh", ()).config.free_block_ids == (0, 1, 2)


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda: RequestSpec("a", 1), RequestNameError),
        (lambda: RequestSpec("A11", 1), RequestNameError),
        (lambda: RequestSpec("B", 1, "<b>", 1), RequestNameError),
        (lambda: RequestSpec("A"), EmptyPromptError),
        (lambda: RequestSpec("A", " \u202e "), EmptyPromptError),
        (lambda: RequestSpec("A", -1), InvalidSizeError),
        (lambda: RequestSpec("B", 1, "A", -1), InvalidSizeError),
        (lambda: RequestSpec("A", 10**9), LimitError),
        (lambda: RequestSpec("B", 1, "A", 10**9), LimitError),
        (lambda: RequestSpec("A", "x" * (MAX_TEXT + 1)), TextTooLongError),
        (lambda: made(RequestSpec("A", "x " * (MAX_TOKENS + 1))), LimitError),
        (lambda: made(RequestSpec("A", "x", then="y " * (MAX_TOKENS + 1))), LimitError),
        (lambda: made(RequestSpec("A", 3), RequestSpec("B", 1, "A", MAX_TOKENS)), LimitError),
        (lambda: made(RequestSpec("B", 1, "A", 1), RequestSpec("A", 3)), SameAsError),
        (lambda: made(RequestSpec("A", 1, "A", 1)), SameAsError),
        (lambda: made(RequestSpec("A", 1), RequestSpec("A", 2)), RequestExistsError),
        (lambda: made(*(RequestSpec(name, 120) for name in "ABCDEFGH")), VocabularyError),
        (lambda: made(RequestSpec("A", 1), queue=(0, 1)), InvalidFreeQueueError),
        (lambda: made(RequestSpec("A", 1)).then(Release("B")), UnknownRequestError),
        (lambda: made(RequestSpec("A", 1)).then(*[Release("A")] * (MAX_OPERATIONS + 1)), LimitError),
        (lambda: Scenario(10**9, 4, "fresh", ()), LimitError),
        (lambda: Scenario(10**9, 4, "used", ()), LimitError),
        (lambda: Scenario(0, 4, "used", ()), InvalidSizeError),
        (lambda: Scenario(4, 17, "used", ()), LimitError),
    ],
)
def test_what_cannot_be_is_refused(build: object, error: type[LabError]) -> None:
    """The refusal has its numbers."""
    assert callable(build)
    with pytest.raises(error):
        build()


def test_as_many_tokens_as_the_limits_allow() -> None:
    """A value equal to the limit is allowed."""
    assert (
        len(made(RequestSpec("A", MAX_TOKENS), RequestSpec("B", 0, "A", MAX_TOKENS)).config.requests[1].prompt)
        == MAX_TOKENS
    )
    with pytest.raises(VocabularyError) as refused:
        made(*(RequestSpec(name, MAX_TOKENS) for name in "ABCDEFGH"))
    assert refused.value.numbers == {"different": 8 * (MAX_TOKENS + APPENDED), "limit": VOCABULARY}


def test_a_state_looks_at_a_place_in_its_log() -> None:
    """From before the first operation to after the last."""
    scenario = made(RequestSpec("A", 1)).then(Allocate("A"))
    assert State(scenario, 1).at == 1
    for at in (-1, 2):
        with pytest.raises(IndexError):
            State(scenario, at)


def test_known_words_are_the_models() -> None:
    """The ids stay those of the scenario, by first appearance; the word for each of them is the model's, or unknown."""
    question, made_up = "Tom likes tea , Ann likes milk . Today bring Tom", RequestSpec("B", "Tom likes Bier")
    scenario = Scenario(16, 4, "used", (RequestSpec("A", question, then="tea"), made_up, RequestSpec("C", 60)))
    assert scenario.config.request("A").prompt == (0, 1, 2, 3, 4, 1, 5, 6, 7, 8, 0)
    timeline = Timeline.replay(scenario.config, [Allocate("A"), Allocate("B")])
    a, b = timeline.proofs(2)
    assert (a.paged.number, a.paged.reason) == (find_word("tea"), "")
    assert (b.paged.reason, b.difference) == ("unknown", 0)
    chinese = Scenario(16, 4, "used", (RequestSpec("A", "小明 喜欢 茶 ， 小红 喜欢 牛奶 。 今天 端给 小红"),))
    (proof,) = Timeline.replay(chinese.config, [Allocate("A")]).proofs(1)
    assert proof.paged.number == find_word("牛奶")
    assert proof.paged.probability > 0.9
