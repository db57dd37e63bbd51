"""The pictures of the serving simulation: in theme colours, parts that add up, sentence and table of the same facts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from lab.figures.picture import Picture
from lab.figures.serving.batch import batch_picture, prompt_picture
from lab.figures.serving.block_size import waste_picture
from lab.figures.serving.kv_map import counted, map_picture
from lab.figures.serving.shares import rows, shares_picture
from lab.figures.theme import LIGHT
from lab.serving.paper import PAPER, compare, paper_settings
from lab.serving.simulation import Policy, Result, Settings, simulate
from lab.serving.studies import block_sizes, system_prompt, table_entries, waste
from lab.serving.workload import Lengths, pack, sharegpt
from lessons.text.translations import LANGUAGES, Language, words

KINDS = ("tokens", "reserved", "internal", "external")


@pytest.fixture(scope="module")
def policies() -> list[Result]:
    """A short run of each policy."""
    return [simulate(each) for each in paper_settings(400)]


@pytest.fixture(scope="module")
def sizes() -> list[Result]:
    """A short run at three sizes of block."""
    return [simulate(each) for each in block_sizes(sharegpt(), 200)[4::2]]


@pytest.fixture(scope="module")
def prompts() -> list[Result]:
    """A short run with the prompt stored by each, and once."""
    return [simulate(each) for each in system_prompt(sharegpt(), 200)]


def pictures(
    policies: list[Result], sizes: list[Result], prompts: list[Result], language: Language, columns: int
) -> dict[str, Picture]:
    """One of each."""
    say = words(language)
    return {
        "shares": shares_picture(compare(policies), say, columns=columns),
        "alone": shares_picture(policies, say, columns=columns),
        "batch": batch_picture(compare(policies), say, columns=columns),
        "map": map_picture(policies[0], 3, say, columns=columns),
        "size": waste_picture(sizes, 64, say, columns=columns),
        "prompt": prompt_picture(prompts[0], prompts[1], say, columns=columns),
    }


def numbers(text: str) -> set[str]:
    """Every number in it."""
    return set(re.findall(r"\d+(?:\.\d+)?", text))


def test_a_bar_s_parts_make_a_hundred(policies: list[Result]) -> None:
    """Ours exactly; the paper's up to its own rounding, with what its figure does not split as a part of its own."""
    found = rows(compare(policies))
    for bar in found:
        total = sum(value or 0 for value in bar.parts.values()) + bar.unsplit
        assert total == pytest.approx(100, abs=1e-6 if bar.source == "ours" else 0.2)
    assert [bar.source for bar in found] == ["ours", "paper"] * 4
    assert [bar.unsplit for bar in found if bar.unsplit] == [pytest.approx(3.7)]
    assert [bar.policy for bar in rows(policies)] == [policy.value for policy in Policy]
    spec: dict[str, Any] = shares_picture(compare(policies), words("en")).spec
    drawn = [sum(trace["x"][i] for trace in spec["data"]) for i in range(8)]
    assert drawn == pytest.approx([100] * 8, abs=0.2)


def test_shares_tell_the_runs_numbers(policies: list[Result]) -> None:
    """Sentence and table have the tokens of the runs and of the paper; without a comparison, no paper."""
    picture = shares_picture(compare(policies), words("en"))
    ours = [f"{result.shares.tokens:.1f}" for result in policies]
    assert numbers(picture.sentence) == {*ours, *(f"{row.tokens}" for row in PAPER.values())}
    assert list(picture.table.iloc[0::2, 2]) == ours
    assert list(picture.table.iloc[1::2, 2]) == [f"{row.tokens}" for row in PAPER.values()]
    assert list(picture.table.iloc[7, 3:]) == ["–"] * 3
    assert len(shares_picture(policies, words("en")).table) == 4


def test_the_axis_of_shares_ends_at_a_hundred(policies: list[Result]) -> None:
    """Its last tick is drawn: a range that ends on it exactly loses it to rounding."""
    axis = shares_picture(policies, words("en")).spec["layout"]["xaxis"]
    assert (axis["dtick"], axis["ticksuffix"]) == (20, "%")
    assert 100 < axis["range"][1] < 101


def test_batch_tells_mean_and_peak(policies: list[Result]) -> None:
    """And what preemption cost."""
    picture = batch_picture(compare(policies), words("en"))
    for result in policies:
        assert {f"{result.mean_batch:.1f}", str(result.peak_batch)} <= numbers(picture.sentence)
    assert list(picture.table.iloc[:, 4]) == [result.preemptions for result in policies]
    assert list(picture.table.iloc[:, 2]) == [f"{row.batch:.2f}" for row in PAPER.values()]
    assert len(batch_picture(policies, words("en")).table.columns) == 5


def test_the_map_shows_the_sampled_slots(policies: list[Result]) -> None:
    """Each cell once, by kind; a line where another owner begins."""
    for result in policies:
        moment = result.frames[-1]
        picture = map_picture(result, len(result.frames) - 1, words("en"))
        borders, *kinds = picture.spec["data"]
        drawn = [sum(x is not None for x in trace["x"]) for trace in kinds]
        assert drawn == list(counted(moment).values())
        assert sum(drawn) == len(moment.kinds) == 256
        changes = sum(i % 32 > 0 and moment.owners[i] != moment.owners[i - 1] for i in range(1, 256))
        assert borders["x"].count(None) == changes
        assert {str(moment.step), str(moment.batch), f"{moment.shares.tokens:.1f}"} <= numbers(picture.sentence)
        assert len(picture.table) == len(result.frames)


def test_steps_are_counted_from_one_and_can_be_read() -> None:
    """The last moment is the last step; thousands are separated in the sentence, and not in the table's numbers."""
    run = simulate(Settings(sharegpt(), Policy.MAXIMUM, steps=1200))
    for language in LANGUAGES:
        picture = map_picture(run, 59, words(language))
        assert "1,200" in picture.sentence
        assert list(picture.table.iloc[[0, 59], 0]) == [20, 1200]


def test_block_size_tells_waste_and_length_of_the_table(sizes: list[Result]) -> None:
    """For the chosen one in the sentence, for all in the table."""
    picture = waste_picture(sizes, 64, words("en"))
    assert {"64", f"{waste(sizes[1]):.1f}", f"{waste(sizes[0]):.1f}", f"{waste(sizes[2]):.1f}"} <= numbers(
        picture.sentence
    )
    assert list(picture.table.iloc[:, 0]) == [16, 64, 256]
    assert list(picture.table.iloc[:, 2]) == [f"{table_entries(result):.1f}" for result in sizes]
    assert picture.spec["data"][1]["x"] == ["64"]
    with pytest.raises(KeyError):
        waste_picture(sizes, 32, words("en"))


def test_entries_are_blocks_by_request() -> None:
    """Two requests of 5 tokens in blocks of 4, all the time: two blocks each."""
    flat = Settings(pack("flat", [Lengths(5, 1)]), Policy.PAGED, block_size=4, steps=40, num_slots=16, max_tokens=6)
    assert (simulate(flat).mean_batch, table_entries(simulate(flat))) == (2, 2)


def test_the_prompt_picture_tells_both_runs(prompts: list[Result]) -> None:
    """And what sharing saved."""
    picture = prompt_picture(prompts[0], prompts[1], words("en"))
    told = {f"{prompts[0].mean_batch:.1f}", f"{prompts[1].mean_batch:.1f}", f"{prompts[1].shared:.0f}", "512"}
    assert told <= numbers(picture.sentence)
    assert list(picture.table.iloc[:, 3]) == ["0.0", f"{prompts[1].shared:.1f}"]


@pytest.mark.parametrize("columns", [8, 4])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_picture_is_drawn_in_theme_colours(
    policies: list[Result], sizes: list[Result], prompts: list[Result], language: Language, columns: int
) -> None:
    """So that the browser can swap each for its dark one; the figure is plain JSON; the words are the language's."""
    known = {hex_ for _, hex_ in LIGHT.colors()}
    for name, picture in pictures(policies, sizes, prompts, language, columns).items():
        text = json.dumps(picture.spec)
        assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", text)) <= known, name
        assert "rgb" not in text
        assert re.fullmatch(r"[^{}]+", picture.sentence)
        assert picture.spec["layout"]["height"] > 100
        assert len(picture.table) > 0


def test_kinds_differ_in_more_than_colour(policies: list[Result]) -> None:
    """Bars by pattern or number, cells by symbol."""
    bars = shares_picture(policies, words("en")).spec["data"]
    shapes = [trace["marker"].get("pattern", {}).get("shape") for trace in bars]
    assert shapes == [None, "/", "x", "."]
    cells = map_picture(policies[0], 0, words("en")).spec["data"][1:]
    assert len({trace["marker"]["symbol"] for trace in cells}) == 4


def test_pictures_do_not_change_what_they_draw(policies: list[Result]) -> None:
    """Pure: the same again."""
    before = replace(policies[0])
    first = map_picture(policies[0], 1, words("en"))
    assert map_picture(policies[0], 1, words("en")).spec == first.spec
    assert policies[0] == before
