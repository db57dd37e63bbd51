"""The memory page's texts hold for every workload: the runs decide which sentence is shown."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from lab.serving.guess import ALPACA, BANDS, CODE, CONVERSATION, SHAREGPT, Guess, find_best, observe_outcomes
from lab.serving.paper import build_paper_settings
from lab.serving.simulation import FRAMES, MIN_STEPS, ServingPolicy, ServingResult, ServingRun, Settings, simulate
from lab.serving.studies import (
    BLOCK_SIZES,
    FILE_BUDGET,
    build_block_size_study,
    build_system_prompt_study,
    classify_growth,
    measure_table_entries,
    measure_waste,
)
from lab.serving.workload import Lengths, Uploaded, pack
from lessons.memory import jobs, prediction_form
from lessons.text.translations import LANGUAGES, Translations, get_translations

ODD = {
    "all at the limit": [(1000, 1048)],
    "one token each": [(1, 1)],
    "all prompt": [(2047, 1)],
    "one row": [(300, 41)],
    "very mixed": [(1, 2000), (1900, 1), (3, 3), (700, 90), (5, 1200), (5000, 5000)],
    "just over": [(1024, 1)],
}
MIXED = [(1, 1)] * 999 + [(1, 2000)]
NAMES = ("winner", "percent", "waste")
every_odd = pytest.mark.parametrize("name", ODD)


def odd(name: str) -> Uploaded:
    """A file with lengths of this kind."""
    return pack(name, [Lengths(*row) for row in ODD[name]])


@cache
def runs(name: str) -> tuple[list[ServingResult], list[ServingResult]]:
    """The policies and three block sizes, in a small pool for few steps."""
    steps = 12 if name == "one token each" else 120
    policies = [replace(each, workload=odd(name), num_slots=2200) for each in build_paper_settings(steps)]
    sizes = [replace(policies[-1], block_size=size) for size in BLOCK_SIZES[::4]]
    return [simulate(each) for each in policies], [simulate(each) for each in sizes]


class RecordingTranslations(Translations):
    """Translations that record which keys were asked for."""

    def __init__(self) -> None:
        super().__init__("en")
        self.asked: dict[str, dict[str, object]] = {}

    def text(self, key: str, /, **values: object) -> str:
        self.asked[key] = values
        return super().text(key, **values)


def sentences_shown(name: str, guess: Guess) -> dict[str, dict[str, object]]:
    """Keys of the sentences shown, with their values."""
    say = RecordingTranslations()
    prediction_form.describe_ideas(guess, NAMES, *runs(name), say)
    return {key.removeprefix("memory.idea."): values for key, values in say.asked.items() if "idea" in key}


def guesses() -> list[Guess]:
    """Every policy and band; percentages at both ends."""
    return [Guess(policy, percent, band) for policy in ServingPolicy for percent in (0, 100) for band in BANDS]


def near(values: dict[str, object], *names: str) -> float:
    """The sum of these numbers as shown."""
    return sum(float(str(values[name])) for name in names)


@every_odd
def test_every_answer_that_was_off_has_one_sentence_in_both_languages(name: str) -> None:
    """For every guess."""
    for guess in guesses():
        off = sum(not fact.right for fact in observe_outcomes(guess, *runs(name)).values())
        for language in LANGUAGES:
            assert len(prediction_form.describe_ideas(guess, NAMES, *runs(name), get_translations(language))) == off


@every_odd
def test_all_slots_without_a_token_are_accounted_for(name: str) -> None:
    """Pages: waste in own pages and unowned slots are the rest. Pieces: waiting, never used and lost slots."""
    for guess in guesses():
        run = find_best(runs(name)[0], guess.winner)
        for key, values in sentences_shown(name, guess).items():
            if not key.startswith("percent"):
                continue
            paged = run.settings.policy is ServingPolicy.PAGED
            assert key in (("percent_low", "percent_high") if paged else ("percent_piece",))
            parts = ("waste", "external") if paged else ("reserved", "internal", "external")
            assert near(values, "tokens", *parts) == pytest.approx(100, abs=0.25)
            if key == "percent_low":
                assert guess.percent < run.shares.tokens
            if key == "percent_high":
                assert guess.percent > run.shares.tokens


@every_odd
def test_the_sentence_about_the_maximum_names_the_largest_loss(name: str) -> None:
    """And that another policy was better."""
    for guess in guesses():
        for key, values in sentences_shown(name, guess).items():
            if key.startswith("winner"):
                assert near(values, "most") > near(values, "tokens")
            if key.startswith("winner_maximum"):
                largest = max(("reserved", "internal", "external"), key=lambda kind: near(values, kind))
                assert key == f"winner_maximum_{largest}"
            if key == "winner_true_length":
                assert near(values, "internal") == 0


def test_requests_as_long_as_the_maximum_are_not_called_shorter() -> None:
    """They lose the slots that wait."""
    found = sentences_shown("all at the limit", Guess(ServingPolicy.MAXIMUM, 0, "under5"))
    assert "winner_maximum_reserved" in found
    assert float(str(found["winner_maximum_reserved"]["internal"])) == 0


def test_paging_may_lose() -> None:
    """Requests of two tokens in blocks of 16; the sentence says where the slots are."""
    found = sentences_shown("one token each", Guess(ServingPolicy.PAGED, 0, "under5"))
    assert near(found["winner_paged"], "tokens") == pytest.approx(12.5, abs=0.1)
    assert near(found["winner_paged"], "tokens", "waste", "external") == pytest.approx(100, abs=0.25)
    assert near(found["winner_paged"], "most") > 99
    assert "percent_piece" in found


@every_odd
def test_what_is_said_of_the_largest_pages_is_the_run_s(name: str) -> None:
    """Their waste, and the number of pages of a request."""
    largest = runs(name)[1][-1]
    for guess in guesses():
        for key, values in sentences_shown(name, guess).items():
            if key.startswith("waste"):
                assert values["waste"] == f"{measure_waste(largest):.1f}"
                assert values["entries"] == f"{measure_table_entries(largest):.1f}"


@pytest.mark.parametrize(
    ("rows", "growing"), [([(255, 1)], "none"), ([(2, 1)], "uneven"), ([(300, 41), (90, 200)], "steady")]
)
def test_how_waste_grows_is_read_from_the_runs(rows: list[tuple[int, int]], growing: str) -> None:
    """Lengths that fill every page, some pages, or none; both languages have a sentence for each."""
    steps = {"none": 24, "uneven": 12, "steady": 160}[growing]
    base = Settings(pack("x", [Lengths(*row) for row in rows]), ServingPolicy.PAGED, steps=steps, num_slots=2304)
    found = [simulate(replace(base, block_size=size)) for size in BLOCK_SIZES]
    assert classify_growth(found) == growing
    for language in LANGUAGES:
        assert get_translations(language).has(f"memory.waste.why_{growing}")


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 1)],
        pytest.param([(2000, 1)], id="long", marks=pytest.mark.thorough),
        pytest.param(MIXED, id="mixed", marks=pytest.mark.thorough),
    ],
)
def test_a_study_of_any_file_is_bounded(rows: list[tuple[int, int]]) -> None:
    """For every cost of a run: requests that start by the thousand, blocks, both next to long requests. A run exceeds
    its budget by at most one step; the averages are those of the steps that ran."""
    workload = pack("x", [Lengths(*row) for row in rows])
    assert {each.budget for batch in jobs.list_batches(workload).values() for each in batch} == {FILE_BUDGET}
    for settings in (build_block_size_study(workload)[0], build_system_prompt_study(workload)[1]):
        run = ServingRun(replace(settings, budget=300_000))
        costs = [0]
        while run.passed(1) < 1:
            run.step()
            costs.append(run.pool.work)
        result = run.result()
        assert costs[-2] < 300_000 or len(costs) == 5
        assert MIN_STEPS <= result.steps == len(costs) - 1 < settings.steps
        assert 0 < len(result.frames) <= FRAMES
        assert result.frames[-1].step == result.steps


def test_what_the_lab_brings_along_runs_all_its_steps() -> None:
    """No budget, so that the results never change."""
    for name in (SHAREGPT, ALPACA, CONVERSATION, CODE):
        workload = jobs.get_workload(name, None)
        assert workload is not None
        assert all(each.budget is None for batch in jobs.list_batches(workload).values() for each in batch)
