"""The committed weights are held to what they say: to every prompt that the lab shows, to new texts, to wrong reads.

Nothing here trains. Another training gives other weights; these tests tell whether it will do.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
import torch

from lab.activities.cases import CASES
from lab.activities.intuition import runs
from lab.engine.errors import InvalidSizeError, InvalidTokenError, LimitError
from lab.trace.attention import ContiguousMemory, compute_contiguous
from lab.trace.config import VOCABULARY, Config, Request
from lab.trace.kv_cache import KVCache, Word, find_word_said
from lab.trace.operations import Append, AppendToken, Operation
from lab.trace.presets import PLAN, build_task_config
from lab.trace.timeline import Timeline
from lab.trace.tiny_lm import MAX_POSITIONS, PATH, TinyLM, get_default_model
from lab.trace.vocabulary import RELIABLE, find_word, get_word, load_words
from lab.training import train
from lab.training.corpus import Text, build_text, draw_words
from lab.training.wrong_reads import draw_wrong_read, find_answer

MODEL = get_default_model()
SURE = 0.9
Plan = tuple[Operation, ...]

# Every scenario of the task and the lessons, with the operations in the suggested order.
SHOWN: dict[str, tuple[Config, Plan]] = {
    "task": (build_task_config(), PLAN),
    "eight": (build_task_config(8), PLAN),
    "intuition": (runs.CONFIG, runs.PAGING),
    **{name: (config, case.plan) for case in CASES.values() for name, config in case.scenarios.items()},
}
EARLIER = {"check", "act"}  # what these append, as old links have it, is not what the model says


def say(token_ids: tuple[int, ...]) -> Word:
    """What the model says after these tokens, computed alone."""
    words = tuple(map(get_word, token_ids))
    return find_word_said(compute_contiguous(MODEL, words)[-1], words)


@pytest.mark.parametrize("name", SHOWN)
def test_the_model_is_sure_after_every_prompt_that_the_lab_shows(name: str) -> None:
    """Whenever a request is live: p > 0.9, and what is appended next is that word."""
    config, plan = SHOWN[name]
    timeline = Timeline(config)
    for operation in plan:
        view = timeline.live.get(operation.seq_id)
        if isinstance(operation, Append | AppendToken) and view is not None and name not in EARLIER:
            said = say(tuple(view.token_ids))
            timeline.apply(operation)
            assert said.number == get_word(view.token_ids[-1])
        else:
            timeline.apply(operation)
        for proof in timeline.proofs(len(timeline.steps)):
            assert proof.paged == proof.contiguous
            assert proof.paged.probability > SURE, timeline.live[proof.seq_id].token_ids


LISTS = [
    *build_task_config().requests,
    *runs.CONFIG.requests,
    *(
        r
        for case in CASES.values()
        if case.id in {"middle", "boundary", "early", "check", "act"}
        for r in case.config.requests
    ),
]


@pytest.mark.parametrize("request_", LISTS, ids=lambda each: f"{each.seq_id}{len(each.prompt)}")
def test_what_a_request_appends_is_what_the_model_says(request_: Request) -> None:
    """The whole list, where learners go on appending."""
    tokens = request_.prompt
    for token_id in request_.continuation:
        assert say(tokens).number == get_word(token_id), tokens
        assert say(tokens).probability > SURE
        tokens = (*tokens, token_id)


def test_the_answer_hangs_on_one_slot() -> None:
    """The lab's own example in full: tea; another object, another name, a name that is not there."""
    for text, answer in {
        "Tom likes tea , Ann likes milk . Today bring Tom": "tea",
        "Tom likes soup , Ann likes milk . Today bring Tom": "soup",
        "Tom likes tea , Ann likes milk . Today bring our Ann": "milk",
        "Tom likes tea , Ann likes milk . Today bring Ben": "nothing",
        "Tom likes tea , Tom likes fish . Today bring Tom": "fish",
        "Ann milk , Ben tea . So please bring Ben": "tea",
        "Hello to the world": "!",
    }.items():
        words = build_text(text.split()).words
        said = find_word_said(compute_contiguous(MODEL, words)[-1], words)
        assert said.number == find_word(answer), text
        assert said.probability > SURE, text


def test_new_texts_are_answered() -> None:
    """Drawn as in training, but not these: nearly every word up to 50, every one where the pages show it."""
    random = Random("new")
    texts = [build_text(draw_words(random)) for _ in range(120)]
    right, wrong = 0, []
    for text in texts:
        said = compute_contiguous(MODEL, text.words).argmax(dim=1).tolist()
        wrong += [(text, at) for at, word in enumerate(said) if word != text.says[at]]
        right += len(text.words)
    assert right > 1500
    assert len(wrong) <= right / 500
    assert not [at for _, at in wrong if at < RELIABLE]


@dataclass(frozen=True)
class Damaged:
    """What was said after one block was another text's, what the slots say, what is right; did it hold the answer?"""

    said: int
    expected: int | None
    right: int
    held_answer: bool


def damage_block(random: Random, texts: tuple[Text, Text]) -> Damaged:
    """Write two texts into one pool, and read the first with one full page in a full block of the second."""
    size, prompts = 4, [text.prompt for text in texts]
    cache, tables = KVCache(64, size, MODEL, range(len(load_words()))), list[list[int]]()
    for prompt in prompts:
        first = len(tables[0]) if tables else 0
        tables.append([*range(first, first - (-len(prompt) // size))])
        slots = range(first * size, first * size + len(prompt))
        cache.write(prompt, range(len(prompt)), slots, tables[-1])
    (table, foreign), (prompt, other) = tables, prompts
    page, strange = random.randrange((len(prompt) - 1) // size), random.randrange(len(other) // size)
    read = [(0, at) for at in range(len(prompt) - 1)]
    read[page * size : (page + 1) * size] = [(1, strange * size + i) for i in range(size)]
    beside = [at for at in range(len(prompt) - 1) if texts[0].owners[at] == prompt[-1]]
    wrong = [*table[:page], foreign[strange], *table[page + 1 :]]
    return Damaged(
        int(cache.read(prompt, wrong)[-1].argmax()),
        find_answer(texts, prompt[-1], read),
        int(cache.read_contiguous(prompt)[-1].argmax()),
        bool(beside) and beside[-1] // size == page,
    )


def test_after_a_wrong_read_it_says_what_the_slots_say() -> None:
    """And how often the word changes at all, as the pages tell it: in a quarter of cases, or four of five."""
    random = Random(9)
    texts = [text for text in (build_text(draw_words(random, 30)) for _ in range(600)) if text.asked]
    texts = [text for text in texts if len(text.prompt) > 8]
    found = [damage_block(random, pair) for pair in zip(texts[::2], texts[1::2], strict=False)]
    told = [each for each in found if each.expected is not None]
    assert len(told) > 200
    assert sum(each.said == each.expected for each in told) >= 0.98 * len(told)
    held = [each for each in found if each.held_answer]
    assert 0.2 < sum(each.said != each.right for each in found) / len(found) < 0.35
    assert 0.7 < sum(each.said != each.right for each in held) / len(held) < 0.9


def test_a_wrong_read_of_the_training_can_be_drawn() -> None:
    """Its slots exist, and the answer is a word or cannot be told."""
    random = Random(5)
    texts = [build_text(draw_words(random)) for _ in range(60)]
    reads = [read for text in texts if text.asked for read in [draw_wrong_read(random, texts, text)] if read]
    assert len(reads) > 30
    for read in reads:
        assert all(at < len(texts[t].words) for t, at in read.slots)
        assert find_answer(texts, read.word, read.slots) == read.says


def test_the_weights_are_small_and_whole() -> None:
    """About 77,000 numbers in half precision, each in the shape that the model names."""
    weights = torch.load(PATH, weights_only=True)
    assert {name: tuple(weight.shape) for name, weight in weights.items()} == TinyLM.shapes()
    assert all(weight.dtype == torch.float16 and weight.isfinite().all() for weight in weights.values())
    assert 70_000 < sum(weight.numel() for weight in weights.values()) < 90_000
    assert PATH.stat().st_size < 170_000


@pytest.mark.parametrize(
    ("words", "positions", "error"),
    [
        ([-1], [0], InvalidTokenError),
        ([len(load_words()) + VOCABULARY], [0], InvalidTokenError),
        ([0], [-1], InvalidSizeError),
        ([0], [MAX_POSITIONS], LimitError),
    ],
)
def test_what_the_model_cannot_compute_is_refused(
    words: list[int], positions: list[int], error: type[Exception]
) -> None:
    """With numbers, before anything is kept."""
    with pytest.raises(error):
        MODEL.run(words, positions, ContiguousMemory())


def test_a_training_that_did_not_learn_is_not_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two steps: every loss is a number, the check finds it wanting, and nothing is written."""
    out = tmp_path / "weights.pt"
    monkeypatch.setattr(sys, "argv", ["train", "--steps", "2", "--out", str(out)])
    monkeypatch.setattr(train, "CHECKED", 64)
    assert train.main() == 1
    assert not out.exists()
    told = capsys.readouterr().out
    losses = dict(re.findall(r"(\w+) (\d+\.\d+)", told.split("\n")[0].partition(" s  ")[2]))
    assert set(losses) == {"all", "owners", "answers", "wrong"}
    assert all(0 < float(loss) < 100 for loss in losses.values())
    assert "Try another one" in told


def test_the_committed_weights_pass_the_check_of_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """On fewer texts: what they say after texts and after wrong reads."""
    monkeypatch.setattr(train, "CHECKED", 128)
    with torch.no_grad():
        found = train.check(TinyLM(torch.load(PATH, weights_only=True)), Random("committed"))
    assert all(found[name] >= least - 0.01 for name, least in train.LEAST.items()), found
