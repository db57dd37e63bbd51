"""KVCache: the tensor behind the block ids. The only file that uses torch.

One tensor of shape (2, num_layers, num_blocks, block_size, num_kv_heads, head_dim): index 0 of the first axis is K,
1 is V, so keys and values of one token share a block id and a slot, in every layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lab.engine.errors import InvalidSizeError, InvalidTokenError, LengthMismatchError, SlotOutOfRangeError
from lab.engine.sequence import Sequence as Tokens
from lab.trace.config import VOCABULARY, check_limit
from lab.trace.late_imports import functional, torch

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


class ToyModel:
    """A seeded layer stack that gives tokens their Q, K and V: embedding, then rotary position on Q and K.

    Equal tokens at equal positions have equal KV, so sharing a prefix is correct. There is no matrix product, so a
    token's vectors are bit-equal however many others are computed with it.
    """

    def __init__(
        self,
        *,
        num_layers: int = 2,
        num_heads: int = 4,
        num_kv_heads: int = 2,
        head_dim: int = 8,
        dtype: torch.dtype | None = None,
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        self.num_layers, self.num_heads, self.num_kv_heads, self.head_dim = (
            num_layers,
            num_heads,
            num_kv_heads,
            head_dim,
        )
        # One thread: for tensors this small, waking a second thread takes longer than the arithmetic, and on a busy
        # machine the two threads wait for each other.
        torch.set_num_threads(1)
        self.dtype, self.device = dtype or torch.float32, torch.device(device)
        generator = torch.Generator().manual_seed(seed)

        def table(heads: int) -> torch.Tensor:
            return torch.randn(num_layers, VOCABULARY, heads, head_dim, generator=generator).to(self.device)

        self._q, self._k, self._v = table(num_heads), table(num_kv_heads), table(num_kv_heads)
        angles = torch.arange(MAX_POSITIONS)[:, None] / 100 ** (torch.arange(head_dim // 2) * 2 / head_dim)
        self._cos, self._sin = angles.cos().to(self.device), angles.sin().to(self.device)

    def compute_queries(self, token_ids: Sequence[int], positions: Sequence[int]) -> torch.Tensor:
        """Q, shape (num_layers, tokens, num_heads, head_dim)."""
        return self._rotate(self._q[:, self._index(token_ids)], positions).to(self.dtype)

    def compute_keys_values(self, token_ids: Sequence[int], positions: Sequence[int]) -> torch.Tensor:
        """K and V, shape (2, num_layers, tokens, num_kv_heads, head_dim).

        Raises InvalidTokenError, and InvalidSizeError or LimitError for a position outside 0..MAX_POSITIONS-1.
        """
        index = self._index(token_ids)
        return torch.stack([self._rotate(self._k[:, index], positions), self._v[:, index]]).to(self.dtype)

    def _index(self, token_ids: Sequence[int]) -> torch.Tensor:
        for token_id in token_ids:
            if not 0 <= token_id < VOCABULARY:
                raise InvalidTokenError(seq_id="KV", value=token_id)
        return torch.tensor(token_ids, dtype=torch.long, device=self.device)

    def _rotate(self, x: torch.Tensor, positions: Sequence[int]) -> torch.Tensor:
        for position in positions:
            if position < 0:
                raise InvalidSizeError(name="position", value=position, minimum=0)
            check_limit("position", position, MAX_POSITIONS - 1)
        index = torch.tensor(positions, dtype=torch.long, device=self.device)
        cos, sin = self._cos[index][:, None], self._sin[index][:, None]
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


@lru_cache(maxsize=4)
def get_default_model() -> ToyModel:
    """The lab's model on the chosen device, shared by every session (the model never changes)."""
    return ToyModel(device=choose_device().name.split(" ")[0])


def compute_causal_attention(model: ToyModel, token_ids: Sequence[int], keys_values: torch.Tensor) -> torch.Tensor:
    """Attention output at EVERY position, shape (num_layers, tokens, num_heads, head_dim). Pure.

    `keys_values`: shape (2, num_layers, tokens, num_kv_heads, head_dim), in logical order. Grouped-query where
    num_kv_heads < num_heads. Slots that a reader failed to trim come after the tokens, and no mask hides them.
    """
    queries = model.compute_queries(token_ids, range(len(token_ids)))
    query, key, value = (t.transpose(1, 2).contiguous() for t in (queries, keys_values[0], keys_values[1]))
    tokens, read = query.shape[2], key.shape[2]
    mask = None
    if read > tokens:
        mask = torch.ones(tokens, read, dtype=torch.bool, device=query.device).tril()
        mask[:, tokens:] = True
    output = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, is_causal=mask is None, enable_gqa=True
    )
    return output.transpose(1, 2)


def compute_contiguous_attention(model: ToyModel, token_ids: Sequence[int]) -> torch.Tensor:
    """The reference: the same attention from token ids alone, with contiguous KV. Never reads a pool. Pure."""
    return compute_causal_attention(model, token_ids, model.compute_keys_values(token_ids, range(len(token_ids))))


class KVCache:
    """The pool's KV. A new pool is filled with NaN, so that an unwritten slot shows; release erases nothing."""

    def __init__(self, num_blocks: int, block_size: int, model: ToyModel | None = None) -> None:
        self.model = model or get_default_model()
        self.block_size = block_size
        self.num_slots = num_blocks * block_size
        shape = (2, self.model.num_layers, num_blocks, block_size, self.model.num_kv_heads, self.model.head_dim)
        self.pool = torch.full(shape, torch.nan, dtype=self.model.dtype, device=self.model.device)
        self.slot_contents: list[tuple[int, int] | None] = [None] * self.num_slots

    def write(self, token_ids: Sequence[int], positions: Sequence[int], slot_mapping: Sequence[int]) -> None:
        """Compute K and V of these tokens and write them to these slots. Mutates pool and slot_contents.

        `slot_contents[slot]` is the (token id, position) that was written there last. All or nothing.
        Raises SlotOutOfRangeError, LengthMismatchError, and what ToyModel.compute_keys_values raises.
        """
        if not len(token_ids) == len(positions) == len(slot_mapping):
            raise LengthMismatchError(tokens=len(token_ids), slots=len(slot_mapping))
        for slot in slot_mapping:
            if not 0 <= slot < self.num_slots:
                raise SlotOutOfRangeError(slot=slot, num_slots=self.num_slots)
        keys_values = self.model.compute_keys_values(token_ids, positions)
        index = torch.tensor(slot_mapping, dtype=torch.long, device=self.pool.device)
        self.pool.flatten(2, 3).index_copy_(2, index, keys_values)
        for slot, token_id, position in zip(slot_mapping, token_ids, positions, strict=True):
            self.slot_contents[slot] = (token_id, position)

    def gather(self, block_table: Sequence[int], num_tokens: int) -> torch.Tensor:
        """K and V in logical order: (2, num_layers, num_tokens, num_kv_heads, head_dim). Pure.

        Reads whole blocks in table order and trims to num_tokens, so the empty slots at the end never take part.
        Raises SlotOutOfRangeError, LengthMismatchError (the table has too few pages).
        """
        for block_id in block_table:
            if not 0 <= block_id < self.num_slots // self.block_size:
                raise SlotOutOfRangeError(slot=block_id * self.block_size, num_slots=self.num_slots)
        if num_tokens > len(block_table) * self.block_size:
            raise LengthMismatchError(tokens=num_tokens, slots=len(block_table) * self.block_size)
        index = torch.tensor(block_table, dtype=torch.long, device=self.pool.device)
        return self.pool.index_select(2, index).flatten(2, 3)[:, :, :num_tokens]

    def compute_attention(self, token_ids: Sequence[int], block_table: Sequence[int]) -> torch.Tensor:
        """Causal attention that reads KV through block_table, shaped as in compute_causal_attention. Pure."""
        return compute_causal_attention(self.model, token_ids, self.gather(block_table, len(token_ids)))


@dataclass(frozen=True)
class Proof:
    """Attention of one request, read through its block_table and computed from contiguous KV.

    `difference`: the largest absolute difference over layers, positions and heads (NaN if a NaN was read).
    `paged`, `contiguous`: the output at the last position, layer 0, head 0 (head_dim numbers).
    """

    seq_id: str
    slots: tuple[int, ...]
    difference: float
    bit_equal: bool
    paged: tuple[float, ...]
    contiguous: tuple[float, ...]


def prove(cache: KVCache, seq: Tokens) -> Proof:
    """Run both attentions on the cache's device and compare them. Pure. Raises what KVCache.gather raises."""
    paged = cache.compute_attention(seq.token_ids, seq.block_table)
    reference = compute_contiguous_attention(cache.model, seq.token_ids)
    return Proof(
        seq_id=seq.seq_id,
        slots=tuple(seq.slots()),
        difference=float((paged.double() - reference.double()).abs().max()),
        bit_equal=bool(torch.equal(paged, reference)),
        paged=tuple(paged[0, -1, 0].tolist()),
        contiguous=tuple(reference[0, -1, 0].tolist()),
    )
