"""Attention through block_table equals contiguous attention to the last bit, and wrong reads and writes show."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.block_manager import BlockManager
from lab.engine.errors import InvalidTokenError, LabError, LengthMismatchError, SlotOutOfRangeError
from lab.engine.sequence import Sequence
from lab.trace.config import VOCABULARY
from lab.trace.kv_cache import (
    Device,
    KVCache,
    ToyModel,
    choose_device,
    compute_causal_attention,
    compute_contiguous_attention,
    prove,
)

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
HEADS = [(4, 4), (4, 2), (6, 2), (4, 1)]
SHAPES = [(1, 1), (1, 5), (3, 1), (4, 3), (4, 4), (4, 8), (4, 11), (16, 5), (5, 33)]  # block_size, tokens
NO_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
DEVICES = ["cpu", pytest.param("cuda", marks=[pytest.mark.cuda, NO_CUDA])]


def bits(tensor: torch.Tensor) -> bytes:
    """The memory of a tensor as bytes, so that NaN equals itself."""
    return tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes()


def by_slot(cache: KVCache) -> torch.Tensor:
    """A view of the pool with one axis for slots: [:, :, slot]."""
    return cache.pool.flatten(2, 3)


def filled(length: int, block_size: int, model: ToyModel | None = None) -> tuple[KVCache, list[int], list[int]]:
    """A cache with the KV of `length` tokens, written through a table in random order; its tokens and the table."""
    random = Random(length * 100 + block_size)
    pages = -(-length // block_size)
    table = random.sample(range(pages + 3), pages)
    tokens = [random.randrange(VOCABULARY) for _ in range(length)]
    cache = KVCache(pages + 3, block_size, model or ToyModel())
    cache.write(tokens, range(length), [table[p // block_size] * block_size + p % block_size for p in range(length)])
    return cache, tokens, table


def holding(tokens: list[int], table: list[int], block_size: int = 4, seq_id: str = "A") -> Sequence:
    """A request with these tokens and this block_table."""
    seq = Sequence(seq_id, tokens, block_size)
    seq.block_table[:] = table
    return seq


# --- bit-equality --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("heads", "kv_heads"), HEADS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_paged_is_bit_equal_to_contiguous(dtype: torch.dtype, heads: int, kv_heads: int, device: str) -> None:
    """For every block size and length, KV written in one go or token by token."""
    model = ToyModel(num_heads=heads, num_kv_heads=kv_heads, dtype=dtype, device=device)
    for block_size, length in SHAPES:
        at_once, tokens, table = filled(length, block_size, model)
        reference = compute_contiguous_attention(model, tokens)
        assert reference.dtype == dtype
        assert reference.shape == (2, length, heads, 8)
        assert torch.equal(at_once.compute_attention(tokens, table), reference), (block_size, length)
        one_by_one = KVCache(len(table) + 3, block_size, model)
        for position, token in enumerate(tokens):
            slot = table[position // block_size] * block_size + position % block_size
            one_by_one.write([token], [position], [slot])
            so_far = one_by_one.compute_attention(tokens[: position + 1], table[: position // block_size + 1])
            assert torch.equal(so_far, compute_contiguous_attention(model, tokens[: position + 1])), (
                block_size,
                position,
            )
        assert bits(one_by_one.pool) == bits(at_once.pool), (block_size, length)
        assert prove(at_once, holding(tokens, table, block_size)).bit_equal


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("heads", "kv_heads"), HEADS)
def test_the_reference_is_causal_attention(heads: int, kv_heads: int, device: str) -> None:
    """Compare with softmax written out in float64, because both sides of the proof could be wrong in the same way."""
    model = ToyModel(num_heads=heads, num_kv_heads=kv_heads, dtype=torch.float64, device=device)
    tokens = [5, 900, 5, 17, 3, 3]
    queries, (keys, values) = model.compute_queries(tokens, range(6)), model.compute_keys_values(tokens, range(6))
    expected = torch.zeros_like(queries)
    for layer, position, head in product(range(2), range(6), range(heads)):
        shared = head // (heads // kv_heads)
        scores = keys[layer, : position + 1, shared] @ queries[layer, position, head] / 8**0.5
        expected[layer, position, head] = torch.softmax(scores, 0) @ values[layer, : position + 1, shared]
    torch.testing.assert_close(compute_contiguous_attention(model, tokens), expected)


def test_position_is_in_k_and_not_in_v() -> None:
    """Rotary: K rotates with the position, Q·K depends only on the distance; equal token and position give equal KV."""
    model = ToyModel(dtype=torch.float64)
    keys, values = model.compute_keys_values([7] * 40, range(40))
    queries = model.compute_queries([7] * 40, range(40))
    assert len({tuple(keys[0, position, 0].tolist()) for position in range(40)}) == 40
    assert torch.equal(values, values[:, :1].expand_as(values))
    near, far = queries[0, 3, 0] @ keys[0, 1, 0], queries[0, 39, 0] @ keys[0, 37, 0]
    torch.testing.assert_close(near, far, rtol=1e-5, atol=1e-5)
    assert abs(near - queries[0, 39, 0] @ keys[0, 1, 0]) > 1e-3
    again = ToyModel(dtype=torch.float64).compute_keys_values([3, 7], [0, 39])
    assert torch.equal(again[:, :, 1], torch.stack([keys[:, 39], values[:, 39]]))
    assert not torch.equal(
        ToyModel(seed=1).compute_keys_values([7], [0]), ToyModel(seed=0).compute_keys_values([7], [0])
    )
    assert not torch.equal(keys[0], keys[1])


# --- wrong reads show ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_swapped_full_blocks_show_at_earlier_positions_only(dtype: torch.dtype) -> None:
    """K contains the position, so the last token sees the same set of keys; earlier tokens do not."""
    cache, tokens, table = filled(11, 4, ToyModel(dtype=dtype))
    reference = compute_contiguous_attention(cache.model, tokens)
    swapped = (cache.compute_attention(tokens, [table[1], table[0], table[2]]) - reference).abs().amax(dim=(0, 2, 3))
    assert swapped[7:].max() < 1e-5  # from position 7 on, both pages are visible completely
    assert swapped[:7].min() > 1e-3


def test_a_moved_partial_block_shows_everywhere() -> None:
    """Its empty slots move into the middle. They hold old KV here, so the last token's output is wrong too."""
    cache, tokens, table = filled(11, 4)
    cache.write([1] * cache.num_slots, range(cache.num_slots), range(cache.num_slots))
    slots = [table[p // 4] * 4 + p % 4 for p in range(11)]
    cache.write(tokens, range(11), slots)
    reference = compute_contiguous_attention(cache.model, tokens)
    assert torch.equal(cache.compute_attention(tokens, table), reference)
    for wrong in ([table[0], table[2], table[1]], [table[2], table[0], table[1]]):
        moved = (cache.compute_attention(tokens, wrong) - reference).abs().amax(dim=(0, 2, 3))
        assert moved[-1] > 1e-3
        assert moved[:-1].max() > 1e-3


@pytest.mark.parametrize("position", [0, 4, 10])
@pytest.mark.parametrize(("part", "layer"), list(product(range(2), range(2))))
def test_one_damaged_slot_shows(position: int, part: int, layer: int) -> None:
    """A change in K or V shows, in any layer and at any position."""
    cache, tokens, table = filled(11, 4)
    by_slot(cache)[part, layer, table[position // 4] * 4 + position % 4] += 1
    proof = prove(cache, holding(tokens, table))
    assert not proof.bit_equal
    assert proof.difference > 1e-3


def test_a_proof_tells_what_was_read() -> None:
    """The slots and the two vectors are those of the run."""
    cache, tokens, table = filled(6, 4)
    by_slot(cache)[1, 0, table[0] * 4] += 0.5
    proof = prove(cache, holding(tokens, table, seq_id="B"))
    paged, reference = cache.compute_attention(tokens, table), compute_contiguous_attention(cache.model, tokens)
    assert proof.seq_id == "B"
    assert proof.slots == tuple([table[0] * 4 + i for i in range(4)] + [table[1] * 4 + i for i in range(2)])
    assert proof.paged == tuple(paged[0, -1, 0].tolist()) != proof.contiguous
    assert proof.contiguous == tuple(reference[0, -1, 0].tolist())
    assert proof.difference == (paged.double() - reference.double()).abs().max().item() > 0


def test_a_page_that_is_missing_cannot_be_proved() -> None:
    """A token without a page is refused: there is no proof over only the tokens that have one."""
    cache, tokens, table = filled(9, 4)
    with pytest.raises(LengthMismatchError) as caught:
        prove(cache, holding(tokens, table[:2]))
    assert caught.value.numbers == {"tokens": 9, "slots": 8}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_nan_in_empty_slots_never_leaks(dtype: torch.dtype, device: str) -> None:
    """The tail of the last block is NaN, and reading it without trimming would show."""
    cache, tokens, table = filled(9, 4, ToyModel(dtype=dtype, device=device))
    tail = by_slot(cache)[:, :, table[2] * 4 + 1 : table[2] * 4 + 4]
    assert tail.isnan().all()
    assert cache.gather(table, 9).isfinite().all()
    assert cache.compute_attention(tokens, table).isfinite().all()
    untrimmed = cache.gather(table, 12)
    assert untrimmed[:, :, 9:].isnan().all()
    assert compute_causal_attention(cache.model, [*tokens, 0, 0, 0], untrimmed)[:, 9:].isnan().any()
    assert cache.compute_attention([*tokens, 0], table).isnan().any()
    leaking, right = prove(cache, holding([*tokens, 0], table)), prove(cache, holding(tokens, table))
    assert leaking.difference != right.difference == 0
    assert (leaking.bit_equal, right.bit_equal) == (False, True)


# --- with the manager ----------------------------------------------------------------------------------------------


def run(manager: BlockManager, cache: KVCache, tokens: list[int], seq_id: str) -> Sequence:
    """Allocate and write only what is not cached, as the model runner does."""
    seq = Sequence(seq_id, tokens, manager.block_size)
    manager.allocate(seq)
    start = seq.num_cached_tokens
    cache.write(tokens[start:], range(start, len(tokens)), seq.slots(start))
    manager.hash_blocks(seq)
    return seq


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("block_size", [1, 2, 4])
def test_a_shared_prefix_gives_the_same_attention_as_alone(block_size: int, device: str) -> None:
    """A wrote B's first pages. The output is bit-equal to that of B alone in a pool."""
    model = ToyModel(device=device)
    together, apart = KVCache(16, block_size, model), KVCache(16, block_size, model)
    manager = BlockManager(16, block_size, range(15, -1, -1))
    a = run(manager, together, [1, 2, 3, 4, 5, 6], "A")
    b = run(manager, together, [1, 2, 3, 4, 9, 9, 9], "B")
    alone = run(BlockManager(16, block_size), apart, [1, 2, 3, 4, 9, 9, 9], "B")
    assert b.num_cached_tokens == 4
    assert b.block_table[: 4 // block_size] == a.block_table[: 4 // block_size]
    output = together.compute_attention(b.token_ids, b.block_table)
    assert torch.equal(output, apart.compute_attention(alone.token_ids, alone.block_table))
    assert torch.equal(output, compute_contiguous_attention(model, b.token_ids))
    assert prove(together, a).bit_equal
    assert prove(together, b).bit_equal


def test_release_does_not_erase() -> None:
    """The freed blocks keep their KV, readable through the old table, until they are written again."""
    manager, cache = BlockManager(4, 4), KVCache(4, 4, ToyModel())
    a = run(manager, cache, list(range(10)), "A")
    table, before, noted = list(a.block_table), bits(cache.pool), list(cache.slot_contents)
    manager.deallocate(a)
    assert (bits(cache.pool), cache.slot_contents) == (before, noted)
    assert a.block_table == []
    assert prove(cache, holding(a.token_ids, table)).bit_equal


# --- the pool and its slots ----------------------------------------------------------------------------------------


def test_a_new_pool_is_nan_and_a_write_touches_its_slots_only() -> None:
    """Keys and values of a slot are in one block, in every layer: [:, :, slot // size, slot % size]."""
    cache = KVCache(3, 4, ToyModel(num_layers=3, num_kv_heads=2, head_dim=8))
    assert cache.pool.shape == (2, 3, 3, 4, 2, 8)
    assert cache.pool.isnan().all()
    cache.write([5, 6], [8, 9], [7, 4])
    assert torch.equal(cache.pool[:, :, 1, 3], cache.model.compute_keys_values([5], [8])[:, :, 0])
    assert torch.equal(cache.pool[:, :, 1, 0], cache.model.compute_keys_values([6], [9])[:, :, 0])
    assert cache.pool.isnan().all(dim=(0, 1, 4, 5)).flatten().tolist() == [slot not in {4, 7} for slot in range(12)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 1023), st.integers(0, 99)), max_size=6), max_size=6)
)
def test_slot_contents_tells_what_the_tensor_holds(writes: list[list[tuple[int, int, int]]]) -> None:
    """slot_contents agrees with the tensor: KV computed again is equal, and None means never written."""
    cache = KVCache(4, 3, ToyModel())
    for batch in writes:
        unique = {slot: (token, position) for slot, token, position in batch}
        cache.write([t for t, _ in unique.values()], [p for _, p in unique.values()], list(unique))
    for slot, noted in enumerate(cache.slot_contents):
        stored = by_slot(cache)[:, :, slot]
        if noted is None:
            assert stored.isnan().all()
        else:
            assert torch.equal(stored, cache.model.compute_keys_values([noted[0]], [noted[1]])[:, :, 0])
    assert {s for s, noted in enumerate(cache.slot_contents) if noted} == {s for b in writes for s, _, _ in b}


REFUSED_WRITES: list[tuple[list[int], list[int], list[int], type[LabError], dict[str, int | str]]] = [
    ([1, 2], [0, 1], [0, -1], SlotOutOfRangeError, {"slot": -1, "num_slots": 12}),
    ([1, 2], [0, 1], [3, 12], SlotOutOfRangeError, {"slot": 12, "num_slots": 12}),
    ([1, 2], [0, 1], [3], LengthMismatchError, {"tokens": 2, "slots": 1}),
    ([1, 2], [0], [3, 4], LengthMismatchError, {"tokens": 2, "slots": 2}),
    ([1, VOCABULARY], [0, 1], [3, 4], InvalidTokenError, {"seq_id": "KV", "value": VOCABULARY}),
    ([1, -1], [0, 1], [3, 4], InvalidTokenError, {"seq_id": "KV", "value": -1}),
]


@pytest.mark.parametrize(("tokens", "positions", "slots", "error", "numbers"), REFUSED_WRITES)
def test_a_refused_write_changes_nothing(
    tokens: list[int], positions: list[int], slots: list[int], error: type[LabError], numbers: dict[str, int | str]
) -> None:
    """Slot -1 would silently write the last slot. Good slots before the bad one are not written either."""
    cache = KVCache(3, 4, ToyModel())
    cache.write([9, 9], [0, 1], [3, 11])
    before, noted = bits(cache.pool), list(cache.slot_contents)
    with pytest.raises(error) as caught:
        cache.write(tokens, positions, slots)
    assert caught.value.numbers == numbers
    assert (bits(cache.pool), cache.slot_contents) == (before, noted)


@pytest.mark.parametrize(
    ("table", "length", "error", "numbers"),
    [
        ([0, -1], 5, SlotOutOfRangeError, {"slot": -4, "num_slots": 12}),
        ([3], 1, SlotOutOfRangeError, {"slot": 12, "num_slots": 12}),
        ([0, 1], 9, LengthMismatchError, {"tokens": 9, "slots": 8}),
        ([], 1, LengthMismatchError, {"tokens": 1, "slots": 0}),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(
    table: list[int], length: int, error: type[LabError], numbers: dict[str, int | str]
) -> None:
    """A page that is missing or outside the pool raises an error with numbers instead of reading other KV."""
    with pytest.raises(error) as caught:
        KVCache(3, 4, ToyModel()).gather(table, length)
    assert caught.value.numbers == numbers


# --- the device ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("available", "refusal", "expected"),
    [
        (False, None, Device("cpu", "no_cuda")),
        (True, RuntimeError("CUDA error: out of memory\nmore"), Device("cpu", "CUDA error: out of memory")),
        (True, torch.OutOfMemoryError("none left"), Device("cpu", "none left")),
        (True, None, Device("cuda (Test GPU)", "")),
    ],
)
def test_the_device_is_named_honestly(
    monkeypatch: pytest.MonkeyPatch, available: bool, refusal: Exception | None, expected: Device
) -> None:
    """CUDA only if it can allocate; otherwise the CPU, with the reason."""
    asked: list[str] = []

    def ones(size: int, *, device: str) -> torch.Tensor:
        asked.append(device)
        if refusal is not None:
            raise refusal
        return torch.zeros(size)

    monkeypatch.setattr(torch.cuda, "is_available", lambda: available)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "Test GPU")
    monkeypatch.setattr(torch, "ones", ones)
    choose_device.cache_clear()
    try:
        assert choose_device() == expected
    finally:
        choose_device.cache_clear()
    assert asked == (["cuda"] if available else [])


@pytest.mark.cuda
@NO_CUDA
def test_on_cuda_the_pool_lies_on_the_device() -> None:
    """A run labelled CUDA runs on CUDA."""
    choose_device.cache_clear()
    assert choose_device().name.startswith("cuda (")
    assert KVCache(2, 2).pool.device.type == "cuda"
