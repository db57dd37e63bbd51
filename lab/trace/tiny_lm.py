"""TinyLM: the language model whose K and V the lab keeps in blocks. About 77,000 numbers, two layers.

It is built as large models are: an embedding, then in each layer attention (grouped-query, rotary positions) and a
gated feed-forward part, each after an RMSNorm and added to what was there. It learned one thing, to recall: after
"Tom likes tea , Ann likes milk . Today bring Tom" it says "tea". lab/training/ holds its texts and its training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Protocol

from lab.engine.errors import InvalidSizeError, InvalidTokenError
from lab.trace.config import VOCABULARY, check_limit
from lab.trace.late_imports import functional, torch
from lab.trace.vocabulary import load_words

PATH = Path(__file__).resolve().parent.parent.parent / "assets" / "model" / "tiny_lm.pt"
MAX_POSITIONS = 2048


@dataclass(frozen=True)
class Device:
    """Where the tensors live. `reason` is empty on CUDA; on the CPU it is "no_cuda" or the text of CUDA's refusal."""

    name: str
    reason: str


@lru_cache(maxsize=1)
def choose_device() -> Device:
    """CUDA if there is a device and it can allocate, else the CPU with the reason. Decided once per process."""
    if not torch.cuda.is_available():
        return Device("cpu", "no_cuda")
    try:
        torch.ones(1, device="cuda").sum().item()
    except (RuntimeError, AssertionError) as refusal:  # a build without CUDA asserts
        return Device("cpu", (str(refusal).splitlines() or [type(refusal).__name__])[0])
    return Device(f"cuda ({torch.cuda.get_device_name()})", "")


def multiply_each(rows: torch.Tensor, matrix: torch.Tensor) -> torch.Tensor:
    """rows @ matrix, every row a product of its own.

    One product over all rows would add up in another order for another number of rows: then a token's K and V would
    differ in their last bits between a prompt that is computed whole and one whose beginning was in the cache.
    """
    return torch.bmm(rows[:, None], matrix.expand(len(rows), -1, -1))[:, 0]


def _turn(heads: torch.Tensor, turns: torch.Tensor) -> torch.Tensor:
    """Turn each pair of numbers by an angle that grows with the position: so the position is in Q and K."""
    (cos, sin), (first, second) = turns, heads.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class KVMemory(Protocol):
    """Where the K and V of a layer are kept, and how a token reads those before it. `at`: the tokens' positions."""

    def keep(self, layer: int, at: Sequence[int], keys_values: torch.Tensor) -> None:
        """Keep the tokens' K and V, shape (2, tokens, num_kv_heads, head_dim)."""

    def look_up(self, layer: int, at: Sequence[int], queries: torch.Tensor) -> torch.Tensor:
        """What each token reads; both of shape (tokens, num_heads, head_dim)."""


class TinyLM:
    """The model. `weights`: its tensors by name, see `shapes`. `device`: where it computes, "cpu" or "cuda"."""

    num_layers: ClassVar[int] = 2
    num_heads: ClassVar[int] = 4
    num_kv_heads: ClassVar[int] = 2
    head_dim: ClassVar[int] = 16
    width: ClassVar[int] = 64  # numbers for a token between the layers
    hidden: ClassVar[int] = 128  # numbers inside a feed-forward part

    def __init__(self, weights: dict[str, torch.Tensor], device: str = "cpu") -> None:
        # One thread: for tensors this small, waking a second thread takes longer than the arithmetic, and on a busy
        # machine the two threads wait for each other.
        torch.set_num_threads(1)
        self.device = torch.device(device)
        self.weights = {name: tensor.float().to(self.device) for name, tensor in weights.items()}
        # Words that it never learned: made-up vectors, so that their K and V differ too.
        generator = torch.Generator().manual_seed(0)
        scale = self.weights["embedding"].detach().std().cpu()
        self._unknown = (torch.randn(VOCABULARY, self.width, generator=generator) * scale).to(self.device)
        angles = torch.arange(MAX_POSITIONS)[:, None] / 100 ** (torch.arange(0, self.head_dim, 2) / self.head_dim)
        self._turns = torch.stack([angles.cos(), angles.sin()]).to(self.device)
        self.multiply: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] = multiply_each

    @classmethod
    def shapes(cls) -> dict[str, tuple[int, ...]]:
        """The name and shape of every tensor that training sets."""
        queries, keys = cls.num_heads * cls.head_dim, cls.num_kv_heads * cls.head_dim
        layer = {
            "norm_1": (cls.width,),
            "query_key_value": (cls.width, queries + 2 * keys),
            "output": (queries, cls.width),
            "norm_2": (cls.width,),
            "gate_up": (cls.width, 2 * cls.hidden),
            "down": (cls.hidden, cls.width),
        }
        layers = {f"{name}.{i}": shape for i in range(cls.num_layers) for name, shape in layer.items()}
        return {"embedding": (len(load_words()), cls.width), **layers, "norm": (cls.width,)}

    def run(
        self, words: Sequence[int], positions: Sequence[int], memory: KVMemory, *, say: bool = True
    ) -> torch.Tensor:
        """What the model says after each of these words: logits, shape (words, known words).

        Keeps the words' K and V in `memory` and reads there. Words from the number of known ones on are unknown. With
        `say` False only K and V are wanted: what would follow them in the last layer is left out, and nothing returned.
        Raises InvalidTokenError, and InvalidSizeError or LimitError for a position outside 0..MAX_POSITIONS-1.
        """
        self._check(words, positions)
        if self.device.type == "cuda":  # there, only calls of the same shapes are sure to give the same bits
            rows = zip(words, positions, strict=True)
            return torch.cat([self._run([word], [at], memory, say=say) for word, at in rows])
        return self._run(words, positions, memory, say=say)

    def _run(self, words: Sequence[int], positions: Sequence[int], memory: KVMemory, *, say: bool) -> torch.Tensor:
        x, turns = self._embed(words), self._get_turns(positions)
        for layer in range(self.num_layers):
            queries, keys_values = self._project(x, turns, layer)
            memory.keep(layer, positions, keys_values)
            if not say and layer == self.num_layers - 1:
                return x[:0]
            read = memory.look_up(layer, positions, queries)
            x = x + self.multiply(read.flatten(1), self.weights[f"output.{layer}"])
            x = x + self._think(x, layer)
        return self.multiply(self._norm(x, "norm"), self.weights["embedding"].T)

    def _embed(self, words: Sequence[int]) -> torch.Tensor:
        known = self.weights["embedding"]
        table = known if max(words) < len(known) else torch.cat([known, self._unknown])
        return table[torch.tensor(words, device=self.device)]

    def _project(self, x: torch.Tensor, turns: torch.Tensor, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Q, what each token looks for; K, what it is found by; and V, what it then gives."""
        projected = self.multiply(self._norm(x, f"norm_1.{layer}"), self.weights[f"query_key_value.{layer}"])
        heads = projected.reshape(len(x), -1, self.head_dim)
        turned = _turn(heads[:, : -self.num_kv_heads], turns)
        return turned[:, : self.num_heads], torch.stack([turned[:, self.num_heads :], heads[:, -self.num_kv_heads :]])

    def _think(self, x: torch.Tensor, layer: int) -> torch.Tensor:
        """Each token works on what it has read, alone."""
        gate, up = self.multiply(self._norm(x, f"norm_2.{layer}"), self.weights[f"gate_up.{layer}"]).chunk(2, dim=1)
        return self.multiply(functional.silu(gate) * up, self.weights[f"down.{layer}"])

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return x * (x.square().mean(dim=-1, keepdim=True) + 1e-5).rsqrt() * self.weights[name]

    def _get_turns(self, positions: Sequence[int]) -> torch.Tensor:
        """Cosines and sines of the positions' angles, shape (2, positions, 1, head_dim / 2)."""
        return self._turns[:, torch.tensor(positions, device=self.device), None]

    def _check(self, words: Sequence[int], positions: Sequence[int]) -> None:
        for word in words:
            if not 0 <= word < len(load_words()) + VOCABULARY:
                raise InvalidTokenError(seq_id="KV", value=word)
        for position in positions:
            if position < 0:
                raise InvalidSizeError(name="position", value=position, minimum=0)
            check_limit("position", position, MAX_POSITIONS - 1)


@lru_cache(maxsize=4)
def get_default_model() -> TinyLM:
    """The lab's model on the chosen device, shared by every session (the model never changes)."""
    return TinyLM(torch.load(PATH, weights_only=True), choose_device().name.split(" ")[0])
