"""Train TinyLM: `python -m lab.training.train`, about two minutes on one core. Nothing else in the lab trains.

The weights in assets/model are committed, and the lab's tests hold them to what they say: a training gives other bits
on another processor, and some seeds do not learn it. This script checks its result and keeps only what passes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from math import cos, pi
from random import Random
from time import perf_counter

from lab.trace.late_imports import functional, torch
from lab.trace.tiny_lm import PATH, TinyLM
from lab.trace.vocabulary import load_words
from lab.training.corpus import LONGEST, Text, build_text, draw_words
from lab.training.wrong_reads import WrongRead, draw_wrong_read

BATCH = 64
STEPS = 2000
RATE, WARM_UP = 5e-3, 60
# Beside the usual start, tables of words are larger and what is added between layers is smaller.
START = {"embedding": 3.4, "output": 0.3, "down": 0.3}
CHECKED = 1000  # texts
LEAST = {"all": 0.999, "answers": 0.99, "wrong": 0.98}  # shares of them that must be right


class LearningLM(TinyLM):
    """The model in training. `entering`: what entered each layer in the last run."""

    def __init__(self, weights: dict[str, torch.Tensor]) -> None:
        super().__init__(weights)
        self.multiply = torch.matmul  # all rows at once: training needs speed, not equal bits
        self.entering: dict[int, torch.Tensor] = {}

    def _project(self, x: torch.Tensor, turns: torch.Tensor, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
        self.entering[layer] = x
        return super()._project(x, turns, layer)


class Trainer:
    """The model in training, and its optimizer."""

    def __init__(self, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)

        def draw(name: str, shape: tuple[int, ...]) -> torch.Tensor:
            scale = next((scale for part, scale in START.items() if name.startswith(part)), 1.0) * shape[0] ** -0.5
            return (
                torch.ones(shape) if len(shape) == 1 else torch.randn(shape, generator=generator) * scale
            ).requires_grad_()

        self.random = Random(seed)
        self.model = LearningLM({name: draw(name, shape) for name, shape in TinyLM.shapes().items()})
        # Helps to learn, and is thrown away: what an object is after the first layer must tell whose it is.
        self.probe = draw("probe", (TinyLM.width, len(load_words())))
        learned = [*self.model.weights.values(), self.probe]
        self.optimizer = torch.optim.AdamW(learned, lr=RATE, betas=(0.9, 0.99), weight_decay=0.01)

    def step(self, progress: float) -> dict[str, float]:
        """Learn one batch of texts: their next words, their answers, and answers after wrong reads."""
        longest = self.random.choice((16, 20, 24, 32, LONGEST))
        texts = [build_text(draw_words(self.random, longest)) for _ in range(BATCH)]
        losses = self._measure(texts)
        self.optimizer.param_groups[0]["lr"] = RATE * min(1, progress * STEPS / WARM_UP) * (1 + cos(pi * progress)) / 2
        self.optimizer.zero_grad()
        torch.autograd.backward(sum(losses.values(), torch.zeros(())))
        torch.nn.utils.clip_grad_norm_(self.model.weights.values(), 1.0)
        self.optimizer.step()
        return {name: loss.item() for name, loss in losses.items()}

    def _measure(self, texts: list[Text]) -> dict[str, torch.Tensor]:
        memory, said = run_texts(self.model, texts)
        whose = self.model.entering[1] @ self.probe
        reads = draw_wrong_reads(self.random, texts)
        wrong = read_wrongly(self.model, reads, memory)
        losses = {"wrong": functional.cross_entropy(wrong, torch.tensor([read.says for read in reads]))}
        answers = list_places(texts, asked=True)
        for name, logits, places in (
            ("all", said, list_places(texts)),
            ("owners", whose, list_owned(texts)),
            ("answers", said, answers),
        ):
            rows, targets = torch.tensor(places).T
            losses[name] = functional.cross_entropy(logits[rows], targets)
        return losses


def run_texts(model: TinyLM, texts: Sequence[Text]) -> tuple[TextsMemory, torch.Tensor]:
    """Run the model on all texts at once: their K and V, and logits with `width(texts)` rows for each text."""
    length = width(texts)
    memory = TextsMemory(length)
    words = [word for text in texts for word in (*text.words, *[0] * (length - len(text.words)))]
    return memory, model.run(words, [*range(length)] * len(texts), memory)


def width(texts: Sequence[Text]) -> int:
    """The length of the longest."""
    return max(len(text.words) for text in texts)


def list_places(texts: Sequence[Text], *, asked: bool = False) -> list[tuple[int, int]]:
    """(row, what comes next) of every word; with `asked`, of the names that are asked for."""
    of = width(texts)
    return [
        (i * of + at, text.says[at])
        for i, text in enumerate(texts)
        for at in (text.asked if asked else range(len(text.words)))
    ]


def list_owned(texts: Sequence[Text]) -> list[tuple[int, int]]:
    """(row, the name beside which it stands) of every object."""
    of = width(texts)
    owned = ((i * of + at, own) for i, text in enumerate(texts) for at, own in enumerate(text.owners))
    return [(row, own) for row, own in owned if own is not None]


def draw_wrong_reads(random: Random, texts: Sequence[Text]) -> list[WrongRead]:
    """A wrong read of each text that asks something."""
    reads = (draw_wrong_read(random, texts, text) for text in texts if text.asked)
    return [read for read in reads if read is not None]


class TextsMemory:
    """K and V of a batch of texts of one length, one text after the other; each token reads those before it."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.kept: dict[int, torch.Tensor] = {}

    def keep(self, layer: int, at: Sequence[int], keys_values: torch.Tensor) -> None:
        """As in Memory."""
        self.kept[layer] = keys_values

    def look_up(self, layer: int, at: Sequence[int], queries: torch.Tensor) -> torch.Tensor:
        """As in Memory, for all texts at once."""
        query, key, value = (
            each.unflatten(0, (-1, self.length)).transpose(1, 2) for each in (queries, *self.kept[layer])
        )
        read = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        return read.transpose(1, 2).flatten(0, 1)


class WrongMemory:
    """What the asked name of each wrong read finds: the slots that it reads, of K and V kept before, and its own."""

    def __init__(self, reads: Sequence[WrongRead], texts: TextsMemory) -> None:
        most = max(len(read.slots) for read in reads)
        rest = [most - len(read.slots) for read in reads]
        rows = [[t * texts.length + at for t, at in read.slots] for read in reads]
        self._texts = texts
        self._index = torch.tensor([[*row, *[0] * more] for row, more in zip(rows, rest, strict=True)])
        self._seen = torch.tensor([[*[True] * (most - more), *[False] * more, True] for more in rest])
        self._own: dict[int, torch.Tensor] = {}

    def keep(self, layer: int, at: Sequence[int], keys_values: torch.Tensor) -> None:
        """As in Memory."""
        self._own[layer] = keys_values

    def look_up(self, layer: int, at: Sequence[int], queries: torch.Tensor) -> torch.Tensor:
        """As in Memory, each name in slots of its own."""
        found = torch.cat([self._texts.kept[layer][:, self._index], self._own[layer][:, :, None]], dim=2)
        key, value = found.transpose(2, 3)
        mask = self._seen[:, None, None]
        read = functional.scaled_dot_product_attention(queries[:, :, None], key, value, attn_mask=mask, enable_gqa=True)
        return read[:, :, 0]


def read_wrongly(model: TinyLM, reads: Sequence[WrongRead], texts: TextsMemory) -> torch.Tensor:
    """What the model says after the asked name of each wrong read: logits."""
    return model.run([read.word for read in reads], [read.position for read in reads], WrongMemory(reads, texts))


def check(model: TinyLM, random: Random) -> dict[str, float]:
    """The share of new texts after which the model's word is right: everywhere, as an answer, after a wrong read."""
    counts = {"all": (0, 0), "answers": (0, 0), "wrong": (0, 0)}

    def count(name: str, said: torch.Tensor, says: Sequence[int]) -> None:
        right, of = counts[name]
        counts[name] = (right + int((said.argmax(dim=1) == torch.tensor(says)).sum()), of + len(says))

    for _ in range(0, CHECKED, BATCH):
        texts = [build_text(draw_words(random)) for _ in range(BATCH)]
        memory, said = run_texts(model, texts)
        for name, places in (("all", list_places(texts)), ("answers", list_places(texts, asked=True))):
            count(name, said[[row for row, _ in places]], [word for _, word in places])
        reads = draw_wrong_reads(random, texts)
        count("wrong", read_wrongly(model, reads, memory), [read.says for read in reads])
    return {name: right / of for name, (right, of) in counts.items()}


def main() -> int:
    """Train, check, and write the weights in half precision; exits with 1 and writes nothing if the check fails."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", default=str(PATH))
    chosen = parser.parse_args()
    begun, trainer = perf_counter(), Trainer(chosen.seed)
    model = trainer.model
    for step in range(1, chosen.steps + 1):
        losses = trainer.step(step / chosen.steps)
        if step % 100 == 0 or step == chosen.steps:
            told = "  ".join(f"{name} {loss:.4f}" for name, loss in losses.items())
            print(f"{step:5} {perf_counter() - begun:6.1f} s  {told}", flush=True)
    weights = {name: weight.detach().half() for name, weight in model.weights.items()}
    model.weights = {name: weight.float() for name, weight in weights.items()}
    with torch.no_grad():
        found = check(model, Random(f"check {chosen.seed}"))
    print("right: " + "  ".join(f"{name} {100 * share:.2f}%" for name, share in found.items()))
    if any(found[name] < least for name, least in LEAST.items()):
        print(f"This seed did not learn it (needed: {LEAST}). Try another one.")
        return 1
    torch.save(weights, chosen.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
