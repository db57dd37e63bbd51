"""Attention, one query at a time, and the reference: the model over contiguous KV, without a pool."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lab.trace.late_imports import functional, torch
from lab.trace.tiny_lm import TinyLM


def attend_each(
    queries: torch.Tensor, at: Sequence[int], keys_values: torch.Tensor, num_tokens: int | None = None
) -> torch.Tensor:
    """What each query reads: shape (queries, num_heads, head_dim). Pure; one call of attention for each query.

    `keys_values`: shape (2, slots, num_kv_heads, head_dim), in logical order. The query at position p sees the first
    p + 1 slots, and those after `num_tokens`, which a reader failed to trim: no mask hides them.
    """
    keys, values = keys_values.transpose(1, 2).contiguous()[:, None]
    # Neighbouring heads share a K and V.
    grouped = queries.reshape(len(queries), keys.shape[1], -1, queries.shape[-1])
    rows = []
    for query, position in zip(grouped, at, strict=True):
        seen = slice(position + 1)
        key, value = keys[:, :, seen], values[:, :, seen]
        if num_tokens is not None and keys.shape[2] > num_tokens:
            key, value = (
                torch.cat([part, whole[:, :, num_tokens:]], 2) for part, whole in ((key, keys), (value, values))
            )
        rows.append(functional.scaled_dot_product_attention(query[None], key, value))
    return torch.cat(rows).flatten(1, 2)


class ContiguousMemory:
    """K and V one after the other, as a request alone would keep them."""

    def __init__(self) -> None:
        self.kept: dict[int, torch.Tensor] = {}  # by layer

    def keep(self, layer: int, at: Sequence[int], keys_values: torch.Tensor) -> None:
        """As in KVMemory."""
        before = [self.kept[layer]] if at[0] else []
        self.kept[layer] = torch.cat([*before, keys_values], dim=1)

    def look_up(self, layer: int, at: Sequence[int], queries: torch.Tensor) -> torch.Tensor:
        """As in KVMemory."""
        return attend_each(queries, at, self.kept[layer])


@lru_cache(maxsize=64)
def compute_contiguous(model: TinyLM, words: tuple[int, ...]) -> torch.Tensor:
    """The reference: the logits after each word, from the words alone, with contiguous KV. Never reads a pool. Pure."""
    return model.run(words, range(len(words)), ContiguousMemory())
