"""Empty slots at each block_size, counted independently on the engine; the picture agrees."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from lab.activities.block_size_runs import LENGTHS, SIZES, compute_mean_empty, measure_use
from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence
from lab.figures.block_size import draw_block_size
from lab.figures.picture import Picture
from lab.figures.theme import LIGHT, Theme
from lab.trace.presets import A_PROMPT, B_PROMPT
from lessons.text.translations import Language, get_translations
from tests.sample import every_language

A = len(A_PROMPT)
every_size = pytest.mark.parametrize("size", SIZES)
some_sizes = pytest.mark.parametrize("size", [1, 5, 16])


def counted(num_tokens: int, size: int, appended: int = 0) -> tuple[int, int, int]:
    """(blocks, slots, empty slots) of a request on a busy pool, counted slot by slot."""
    queue = random.Random(size).sample(range(80), 80)
    manager = BlockManager(80, size, queue)
    manager.allocate(Sequence("X", range(500, 505), size))
    seq = Sequence("A", range(num_tokens), size)
    manager.allocate(seq)
    for token_id in range(appended):
        seq.append_token(1000 + token_id)
        manager.may_append(seq)
    own = {block_id * size + offset for block_id in seq.block_table for offset in range(size)}
    empty = own - set(seq.slots())
    assert set(seq.slots()) <= own
    return len(seq.block_table), len(own), len(empty)


@every_size
def test_every_length_is_counted_as_on_a_busy_pool(size: int) -> None:
    """Blocks, slots, percent, tokens in the last page; never a whole block empty."""
    for length in LENGTHS:
        run, (blocks, slots, empty) = measure_use(length, size), counted(length, size)
        assert (run.block_size, run.num_tokens, run.blocks, run.slots, run.empty) == (
            size,
            length,
            blocks,
            slots,
            empty,
        )
        assert run.last == size - empty
        assert 0 <= run.empty <= size - 1


@every_size
def test_the_average_is_over_all_lengths(size: int) -> None:
    """The lengths 1 to 64, all of them and no others."""
    assert list(LENGTHS) == list(range(1, 65))
    assert list(SIZES) == list(range(1, 17))
    assert compute_mean_empty(size) == pytest.approx(sum(counted(length, size)[2] for length in range(1, 65)) / 64)


def test_the_explanation_is_true() -> None:
    """The average grows with the page, is at most block_size - 1, and one length alone is not monotone."""
    averages = [compute_mean_empty(size) for size in SIZES]
    assert all(small < large for small, large in zip(averages[::4], averages[4::4], strict=False))
    assert averages[0] == 0 < averages[-1] < 15
    assert max(measure_use(length, 8).empty for length in LENGTHS) == 7
    assert [measure_use(A, size).empty for size in (4, 5, 6, 8, 11, 12)] == [1, 4, 1, 5, 0, 1]
    found = [measure_use(A, size).empty for size in SIZES]
    assert found not in (sorted(found), sorted(found, reverse=True))


def test_b_wastes_as_much_at_4_as_at_8() -> None:
    """After B's fifth token is appended, and with a prompt of five tokens."""
    assert [counted(len(B_PROMPT), size, appended=1) for size in (4, 8)] == [(2, 8, 3), (1, 8, 3)]
    assert [measure_use(len(B_PROMPT) + 1, size).empty for size in (4, 8)] == [3, 3]


def draw(num_tokens: int, chosen: int, language: Language = "en", theme: Theme = LIGHT, columns: int = 8) -> Picture:
    return draw_block_size(num_tokens, chosen, get_translations(language), theme, columns=columns)


def traces(picture: Picture) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(picture.figure.to_json())["data"]
    return found


@every_language
@some_sizes
@pytest.mark.parametrize("num_tokens", [1, A, 64])
def test_the_picture_shows_the_runs(language: Language, size: int, num_tokens: int) -> None:
    """The saw-tooth with its numbers, the average, a ring around the chosen size; all of it in view."""
    picture = draw(num_tokens, size, language)
    empty = [counted(num_tokens, s)[2] for s in SIZES]
    average, mine, ring = traces(picture)
    assert [trace["x"] for trace in (average, mine, ring)] == [list(SIZES), list(SIZES), [size]]
    assert average["y"] == pytest.approx([compute_mean_empty(s) for s in SIZES])
    assert mine["y"] == empty
    assert mine["text"] == [str(value) for value in empty]
    assert ring["y"] == [empty[size - 1]]
    assert "open" in ring["marker"]["symbol"]
    assert average["line"]["dash"] != mine["line"].get("dash", "solid")
    assert mine["name"] != average["name"]
    assert str(num_tokens) in mine["name"]
    layout = picture.figure.layout
    low, high = layout.yaxis.range
    assert low < 0
    assert high > max(*empty, *average["y"]) + 1
    assert layout.xaxis.range[0] < min(SIZES)
    assert max(SIZES) < layout.xaxis.range[1]


@every_language
@some_sizes
def test_sentence_and_table_tell_the_same(language: Language, size: int) -> None:
    """Sixteen rows; the sentence is about the chosen size, which the pages' sentence before it names."""
    picture, (blocks, slots, empty) = draw(A, size, language), counted(A, size)
    numbers = re.findall(r"\d+(?:\.\d+)?", picture.sentence)
    share = f"{(2000 * empty + slots) // (2 * slots) / 10:g}"
    expected = [str(A), str(empty), share, "1", "64"]
    assert sorted(numbers) == sorted([*expected, f"{compute_mean_empty(size):.1f}"])
    rows = [tuple(map(str, row)) for row in picture.table.itertuples(index=False)]
    assert len(rows) == len(SIZES)
    assert rows[size - 1] == (
        *map(str, (size, blocks, empty)),
        f"{share}%",
        f"{compute_mean_empty(size):.1f}",
    )
    assert len(set(picture.table.columns)) == 5


@pytest.mark.parametrize("columns", [8, 4])
def test_every_size_is_labelled_where_there_is_room(columns: int) -> None:
    """And it is the same picture each time."""
    picture = draw(A, 8, columns=columns)
    assert picture.figure.layout.xaxis.dtick == (1 if columns == 8 else 2)
    assert picture.figure.to_json() == draw(A, 8, columns=columns).figure.to_json()
