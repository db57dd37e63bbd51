"""The pages at another block_size: from a run at every size, each token once and in order, and nothing moves."""

from __future__ import annotations

import pytest

from lab.activities.block_size_runs import SIZES, measure_use, run_at_all_sizes
from lab.figures.repaging import draw_repaging
from lab.trace.presets import A_PROMPT, USED_QUEUE, build_fresh_queue
from lessons.text.translations import Language, get_translations
from tests.figures.marks import read_marks
from tests.sample import every_language


@pytest.mark.parametrize("queue", [USED_QUEUE, build_fresh_queue()])
@pytest.mark.parametrize("columns", [8, 4])
@every_language
def test_every_size_shows_the_tokens_in_their_pages(language: Language, columns: int, queue: tuple[int, ...]) -> None:
    """As many pages, blocks and empty slots as in the engine; all pictures have one height."""
    say, heights = get_translations(language), set()
    for i, size in enumerate(SIZES):
        drawn, use = draw_repaging(run_at_all_sizes(queue), i, say, columns=columns), measure_use(len(A_PROMPT), size)
        names = {mark["name"]: mark for mark in read_marks(drawn.spec)}
        assert names["page_tokens"]["text"] == [say.token(token) for token in A_PROMPT]
        blocks = [f"<b>{say.text('figures.memory.goes_to', block=block_id)}</b>" for block_id in queue[: use.blocks]]
        assert names["page_blocks"]["text"] == blocks
        assert ("hatch" in names) == (use.empty > 0)
        assert list(drawn.table.iloc[:, 1]) == list(queue[: use.blocks])
        assert " ".join(drawn.table.iloc[:, 2]).split() == " ".join(map(say.token, A_PROMPT)).split()
        heights.add(drawn.spec["layout"]["height"])
    assert len(heights) == 1


def test_a_pool_that_is_too_small_says_so() -> None:
    """At block_size 1 the tokens need more blocks than the pool has: nothing is drawn, and the sentence says so."""
    say = get_translations("en")
    drawn = draw_repaging(run_at_all_sizes(build_fresh_queue(8)), 0, say)
    assert (drawn.sentence, len(drawn.table)) == (say.text("figures.memory.no_requests"), 0)
