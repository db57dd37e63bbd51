"""The pictures of the serving simulation: theme colours, parts that add up, sentence and table with equal content."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from lab.figures.picture import Picture
from lab.figures.serving import style
from lab.figures.serving.batch import draw_batch, draw_prompt_sharing
from lab.figures.serving.block_size import draw_waste
from lab.figures.serving.kv_map import draw_kv_map
from lab.figures.serving.shares import build_bars, draw_shares
from lab.figures.theme import LIGHT
from lab.serving.paper import PAPER, build_paper_settings, compare
from lab.serving.simulation import ServingPolicy, ServingResult, Settings, simulate
from lab.serving.studies import build_block_size_study, build_system_prompt_study, measure_table_entries, measure_waste
from lab.serving.workload import Lengths, build_sharegpt, pack
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.sample import every_language

KINDS = ("tokens", "reserved", "internal", "external")


@pytest.fixture(scope="module")
def policies() -> list[ServingResult]:
    """A short run of each policy."""
    return [simulate(each) for each in build_paper_settings(400)]


@pytest.fixture(scope="module")
def sizes() -> list[ServingResult]:
    """A short run at three sizes of block."""
    return [simulate(each) for each in build_block_size_study(build_sharegpt(), 200)[4::2]]


@pytest.fixture(scope="module")
def prompts() -> list[ServingResult]:
    """A short run with the prompt stored by each request, and one with the prompt stored once."""
    return [simulate(each) for each in build_system_prompt_study(build_sharegpt(), 200)]


def pictures(
    policies: list[ServingResult],
    sizes: list[ServingResult],
    prompts: list[ServingResult],
    language: Language,
    columns: int,
) -> dict[str, Picture]:
    """Every picture of the simulation."""
    say = get_translations(language)
    return {
        "shares": draw_shares(compare(policies), say, columns=columns),
        "alone": draw_shares(policies, say, columns=columns),
        "batch": draw_batch(compare(policies), say, columns=columns),
        "map": draw_kv_map(policies[0], 3, say, columns=columns),
        "size": draw_waste(sizes, 64, say, columns=columns),
        "prompt": draw_prompt_sharing(prompts[0], prompts[1], say, columns=columns),
    }


def numbers(text: str) -> set[str]:
    """Every number in a text."""
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def test_a_bar_s_parts_make_a_hundred(policies: list[ServingResult]) -> None:
    """Ours exactly; the paper's up to its rounding, with the unsplit rest as a part of its own."""
    found = build_bars(compare(policies))
    for bar in found:
        total = sum(value or 0 for value in bar.parts.values()) + bar.unsplit
        assert total == pytest.approx(100, abs=1e-6 if bar.source == "ours" else 0.2)
    assert [bar.source for bar in found] == ["ours", "paper"] * 4
    assert [bar.unsplit for bar in found if bar.unsplit] == [pytest.approx(3.7)]
    assert [bar.policy for bar in build_bars(policies)] == [policy.value for policy in ServingPolicy]
    spec: dict[str, Any] = draw_shares(compare(policies), get_translations("en")).spec
    drawn = [sum(trace["x"][i] for trace in spec["data"]) for i in range(8)]
    assert drawn == pytest.approx([100] * 8, abs=0.2)


def test_shares_tell_the_runs_numbers(policies: list[ServingResult]) -> None:
    """Sentence and table have the token shares of the runs and the paper; without a comparison, no paper."""
    picture = draw_shares(compare(policies), get_translations("en"))
    ours = [f"{result.shares.tokens:.1f}" for result in policies]
    assert numbers(picture.sentence) == {*ours, *(f"{row.tokens}" for row in PAPER.values())}
    assert list(picture.table.iloc[0::2, 2]) == ours
    assert list(picture.table.iloc[1::2, 2]) == [f"{row.tokens}" for row in PAPER.values()]
    assert list(picture.table.iloc[7, 3:]) == ["–"] * 3
    assert len(draw_shares(policies, get_translations("en")).table) == 4


def test_the_axis_of_shares_ends_at_a_hundred(policies: list[ServingResult]) -> None:
    """The last tick is drawn: with a range that ends exactly there, rounding would drop it."""
    axis = draw_shares(policies, get_translations("en")).spec["layout"]["xaxis"]
    assert (axis["dtick"], axis["ticksuffix"]) == (20, "%")
    assert 100 < axis["range"][1] < 101


def test_batch_tells_mean_and_peak(policies: list[ServingResult]) -> None:
    """And the cost of preemption."""
    picture = draw_batch(compare(policies), get_translations("en"))
    for result in policies:
        assert {f"{result.mean_batch:.1f}", str(result.peak_batch)} <= numbers(picture.sentence)
    assert list(picture.table.iloc[:, 4]) == [result.preemptions for result in policies]
    assert list(picture.table.iloc[:, 2]) == [f"{row.batch:.2f}" for row in PAPER.values()]
    assert len(draw_batch(policies, get_translations("en")).table.columns) == 5


def test_the_map_shows_the_sampled_slots(policies: list[ServingResult]) -> None:
    """Each cell once, by kind; a line between different owners."""
    for result in policies:
        frame = result.frames[-1]
        picture = draw_kv_map(result, len(result.frames) - 1, get_translations("en"))
        borders, *kinds = picture.spec["data"]
        drawn = [sum(x is not None for x in trace["x"]) for trace in kinds]
        assert drawn == [frame.kinds.count(kind) for kind in range(len(style.KINDS))]
        assert sum(drawn) == len(frame.kinds) == 256
        changes = sum(i % 32 > 0 and frame.owners[i] != frame.owners[i - 1] for i in range(1, 256))
        assert borders["x"].count(None) == changes
        assert {str(frame.step), str(frame.batch), f"{frame.shares.tokens:.1f}"} <= numbers(picture.sentence)
        assert len(picture.table) == len(result.frames)


def test_steps_are_counted_from_one_and_can_be_read() -> None:
    """The last frame is the last step; the sentence separates thousands, the table's numbers do not."""
    run = simulate(Settings(build_sharegpt(), ServingPolicy.MAXIMUM, steps=1200))
    for language in LANGUAGES:
        picture = draw_kv_map(run, 59, get_translations(language))
        assert "1,200" in picture.sentence
        assert list(picture.table.iloc[[0, 59], 0]) == [20, 1200]


def test_block_size_tells_waste_and_length_of_the_table(sizes: list[ServingResult]) -> None:
    """The sentence for the chosen size, the table for all sizes."""
    picture = draw_waste(sizes, 64, get_translations("en"))
    assert {
        "64",
        f"{measure_waste(sizes[1]):.1f}",
        f"{measure_waste(sizes[0]):.1f}",
        f"{measure_waste(sizes[2]):.1f}",
    } <= numbers(picture.sentence)
    assert list(picture.table.iloc[:, 0]) == [16, 64, 256]
    assert list(picture.table.iloc[:, 2]) == [f"{measure_table_entries(result):.1f}" for result in sizes]
    assert picture.spec["data"][1]["x"] == ["64"]
    with pytest.raises(KeyError):
        draw_waste(sizes, 32, get_translations("en"))


def test_entries_are_blocks_by_request() -> None:
    """Two running requests of 5 tokens in blocks of 4 have two blocks each."""
    flat = Settings(
        pack("flat", [Lengths(5, 1)]), ServingPolicy.PAGED, block_size=4, steps=40, num_slots=16, max_tokens=6
    )
    assert (simulate(flat).mean_batch, measure_table_entries(simulate(flat))) == (2, 2)


def test_the_prompt_picture_tells_both_runs(prompts: list[ServingResult]) -> None:
    """And the slots that sharing saved."""
    picture = draw_prompt_sharing(prompts[0], prompts[1], get_translations("en"))
    expected = {f"{prompts[0].mean_batch:.1f}", f"{prompts[1].mean_batch:.1f}", f"{prompts[1].shared:.0f}", "512"}
    assert expected <= numbers(picture.sentence)
    assert list(picture.table.iloc[:, 3]) == ["0.0", f"{prompts[1].shared:.1f}"]


@pytest.mark.parametrize("columns", [8, 4])
@every_language
def test_every_picture_is_drawn_in_theme_colours(
    policies: list[ServingResult],
    sizes: list[ServingResult],
    prompts: list[ServingResult],
    language: Language,
    columns: int,
) -> None:
    """So the browser can swap each for its dark one; the figure is plain JSON; the texts are in the right language."""
    theme_colors = {hex_ for _, hex_ in LIGHT.colors()}
    for name, picture in pictures(policies, sizes, prompts, language, columns).items():
        text = json.dumps(picture.spec)
        assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", text)) <= theme_colors, name
        assert "rgb" not in text
        assert re.fullmatch(r"[^{}]+", picture.sentence)
        assert picture.spec["layout"]["height"] > 100
        assert len(picture.table) > 0


def test_kinds_differ_in_more_than_colour(policies: list[ServingResult]) -> None:
    """Bars by pattern or number, cells by symbol."""
    bars = draw_shares(policies, get_translations("en")).spec["data"]
    shapes = [trace["marker"].get("pattern", {}).get("shape") for trace in bars]
    assert shapes == [None, "/", "x", "."]
    cells = draw_kv_map(policies[0], 0, get_translations("en")).spec["data"][1:]
    assert len({trace["marker"]["symbol"] for trace in cells}) == 4


def test_pictures_do_not_change_what_they_draw(policies: list[ServingResult]) -> None:
    """Pure: drawing again gives the same picture."""
    before = replace(policies[0])
    first = draw_kv_map(policies[0], 1, get_translations("en"))
    assert draw_kv_map(policies[0], 1, get_translations("en")).spec == first.spec
    assert policies[0] == before
