"""The pages at another block_size: read from a run at every size, each token once and in order, and never moving."""

from __future__ import annotations

import pytest

from lab.block_size_runs import SIZES, use
from lab.figures.paged_anew import paged_anew
from lab.paged_runs import paged
from lab.scenarios import A_PROMPT, USED_QUEUE, fresh_queue
from lessons.text import LANGUAGES, Language, words


@pytest.mark.parametrize("queue", [USED_QUEUE, fresh_queue()])
@pytest.mark.parametrize("columns", [8, 4])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_size_shows_the_tokens_in_their_pages(language: Language, columns: int, queue: tuple[int, ...]) -> None:
    """As many pages, blocks and empty slots as the engine has; all pictures of one height."""
    say, heights = words(language), set()
    for i, size in enumerate(SIZES):
        drawn, facts = paged_anew(paged(queue), i, say, columns=columns), use(len(A_PROMPT), size)
        names = {trace["name"]: trace for trace in drawn.spec["data"]}
        assert names["page_tokens"]["text"] == [say.token(token) for token in A_PROMPT]
        blocks = [f"<b>{say.text('figures.memory.goes_to', block=block_id)}</b>" for block_id in queue[: facts.blocks]]
        assert names["page_blocks"]["text"] == blocks
        assert ("hatch" in names) == (facts.empty > 0)
        assert list(drawn.table.iloc[:, 1]) == list(queue[: facts.blocks])
        assert " ".join(drawn.table.iloc[:, 2]).split() == " ".join(map(say.token, A_PROMPT)).split()
        heights.add(drawn.spec["layout"]["height"])
    assert len(heights) == 1


def test_a_pool_that_is_too_small_says_so() -> None:
    """At block_size 1 the tokens need more blocks than it has: nothing is drawn, and no sentence is invented."""
    say = words("en")
    drawn = paged_anew(paged(fresh_queue(8)), 0, say)
    assert (drawn.sentence, len(drawn.table)) == (say.text("figures.memory.no_requests"), 0)
