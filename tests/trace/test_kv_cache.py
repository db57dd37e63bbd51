"""What is read through block_table equals the contiguous run to the last bit, and wrong reads and writes show."""

from __future__ import annotations

from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.block_manager import BlockManager
from lab.engine.errors import InvalidTokenError, LabError, LengthMismatchError, SlotOutOfRangeError
from lab.engine.sequence import Sequence
from lab.trace.attention import ContiguousMemory, attend_each
from lab.trace.config import VOCABULARY, Config, Request
from lab.trace.kv_cache import KVCache, prove
from lab.trace.operations import Allocate, Append, Release
from lab.trace.timeline import Timeline
from lab.trace.tiny_lm import PATH, Device, TinyLM, choose_device
from lab.trace.vocabulary import NO_WORD, RELIABLE, find_tokens, find_word, get_word
from tests.sample import examples

SHAPES = [(1, 1), (1, 5), (3, 1), (4, 3), (4, 4), (4, 8), (4, 11), (16, 5), (5, 33)]  # block_size, tokens
NO_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
DEVICES = ["cpu", pytest.param("cuda", marks=[pytest.mark.cuda, NO_CUDA])]
WEIGHTS: dict[str, torch.Tensor] = torch.load(PATH, weights_only=True)
QUESTION = find_tokens("Tom likes tea , Ann likes milk . Today bring Tom")


def build_model(device: str = "cpu") -> TinyLM:
    return TinyLM(WEIGHTS, device)


MODEL = build_model()


def bits(tensor: torch.Tensor) -> bytes:
    """The memory of a tensor as bytes, so that NaN equals itself."""
    return tensor.detach().cpu().contiguous().view(torch.uint8).numpy().tobytes()


def by_slot(cache: KVCache) -> torch.Tensor:
    """A view of the pool with one axis for slots: [:, :, slot]."""
    return cache.pool.flatten(2, 3)


def compute_alone(model: TinyLM, tokens: list[int]) -> torch.Tensor:
    """K and V of these tokens without a pool: (2, num_layers, tokens, num_kv_heads, head_dim)."""
    memory = ContiguousMemory()
    model.run([get_word(token) for token in tokens], range(len(tokens)), memory, say=False)
    return torch.stack([memory.kept[layer] for layer in range(model.num_layers)], dim=1)


def list_slots(table: list[int], size: int, positions: range) -> list[int]:
    return [table[position // size] * size + position % size for position in positions]


def filled(length: int, block_size: int, model: TinyLM = MODEL) -> tuple[KVCache, list[int], list[int]]:
    """A cache with the KV of `length` tokens, written through a table in random order; its tokens and the table."""
    random = Random(length * 100 + block_size)
    pages = -(-length // block_size)
    table = random.sample(range(pages + 3), pages)
    tokens = [random.randrange(VOCABULARY) for _ in range(length)]
    cache = KVCache(pages + 3, block_size, model)
    cache.write(tokens, range(length), list_slots(table, block_size, range(length)), table)
    return cache, tokens, table


def holding(tokens: list[int], table: list[int], block_size: int = 4, seq_id: str = "A") -> Sequence:
    """A request with these tokens and this block_table."""
    seq = Sequence(seq_id, tokens, block_size)
    seq.block_table[:] = table
    return seq


# --- bit-equality --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("block_size", "length"), SHAPES)
def test_paged_is_bit_equal_to_contiguous(block_size: int, length: int, device: str) -> None:
    """KV written in one go, token by token, or in two pieces: no token's arithmetic sees how many others there are."""
    model = build_model(device)
    at_once, tokens, table = filled(length, block_size, model)
    reference = at_once.read_contiguous(tokens)
    assert reference.shape[0] == length
    assert torch.equal(at_once.read(tokens, table), reference)
    for pieces in ([*range(length)], [0, length // 2]):
        other = KVCache(len(table) + 3, block_size, model)
        for start, end in zip(pieces, [*pieces[1:], length], strict=True):
            positions, pages = range(start, end), table[: -(-end // block_size)]
            other.write(tokens[start:end], positions, list_slots(table, block_size, positions), pages)
            so_far = other.read(tokens[:end], pages) if end else reference[:0]
            assert torch.equal(so_far, other.read_contiguous(tokens[:end]) if end else reference[:0]), (start, end)
        assert bits(other.pool) == bits(at_once.pool)
    assert prove(at_once, holding(tokens, table, block_size)).bit_equal


def test_all_rows_in_one_product_would_not_be() -> None:
    """The discipline is needed: with one product over all rows a prompt's KV depends on how it was cut."""
    batched = build_model()
    batched.multiply = torch.matmul
    tokens = [*QUESTION, *QUESTION]
    memory = ContiguousMemory()
    for position, token in enumerate(tokens):
        batched.run([get_word(token)], [position], memory, say=False)
    one_by_one = torch.stack([memory.kept[layer] for layer in range(2)], dim=1)
    assert not torch.equal(one_by_one, compute_alone(batched, tokens))
    torch.testing.assert_close(one_by_one, compute_alone(batched, tokens), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_attention_is_attention(device: str) -> None:
    """Compare with softmax written out in float64, because both sides of the proof could be wrong in the same way."""
    generator = torch.Generator().manual_seed(1)
    queries, keys_values = torch.randn(6, 4, 16, generator=generator), torch.randn(2, 9, 2, 16, generator=generator)
    for num_tokens in (None, 6):  # slots 6 to 8 come after the tokens, and nothing hides them if they are read
        found = attend_each(queries.to(device), range(6), keys_values.to(device), num_tokens).cpu()
        for position in range(6):
            seen = [*range(position + 1), *(range(6, 9) if num_tokens else ())]
            for head in range(4):
                keys, values = keys_values[:, seen, head // 2].double()
                weights = torch.softmax(keys @ queries[position, head].double() / 16**0.5, 0)
                torch.testing.assert_close(found[position, head].double(), weights @ values, rtol=1e-4, atol=1e-4)


def test_kv_depends_on_token_and_position_and_on_all_before() -> None:
    """In the first layer on the token and (K only) the position; in the second also on what came before."""
    same, shifted = compute_alone(MODEL, [7] * 40), compute_alone(MODEL, [3, *[7] * 39])
    assert len({tuple(same[0, 0, position, 0].tolist()) for position in range(40)}) == 40
    assert torch.equal(same[1, 0], same[1, 0, :1].expand_as(same[1, 0]))
    assert torch.equal(same[:, 0, 1:], shifted[:, 0, 1:])
    assert (same[:, 1, 1:] != shifted[:, 1, 1:]).flatten(2).any(dim=2).all()


def test_two_ids_of_one_word_have_the_same_kv() -> None:
    """Tom has one id in a fact and another in a question."""
    assert torch.equal(compute_alone(MODEL, [1, 2, 3]), compute_alone(MODEL, [11, 6, 17]))
    assert not torch.equal(compute_alone(MODEL, [900]), compute_alone(MODEL, [901]))  # unknown ones differ


# --- wrong reads show ----------------------------------------------------------------------------------------------


def test_swapped_full_blocks_show_at_earlier_positions_only() -> None:
    """K contains the position, so the last token sees the same set of keys; earlier tokens do not."""
    cache, tokens, table = filled(11, 4)
    swapped = (cache.read(tokens, [table[1], table[0], table[2]]) - cache.read_contiguous(tokens)).abs().amax(dim=1)
    assert swapped[7:].max() < 1e-3  # from position 7 on, both pages are visible completely
    assert swapped[:7].min() > 1e-2


def test_a_moved_partial_block_shows_everywhere() -> None:
    """Its empty slots move into the middle. They hold old KV here, so the last token's output is wrong too."""
    cache, tokens, table = filled(11, 4)
    every = range(cache.num_slots)
    cache.write([1] * len(every), every, every, range(cache.num_slots // 4))
    cache.write(tokens, range(11), list_slots(table, 4, range(11)), table)
    reference = cache.read_contiguous(tokens)
    assert torch.equal(cache.read(tokens, table), reference)
    for wrong in ([table[0], table[2], table[1]], [table[2], table[0], table[1]]):
        moved = (cache.read(tokens, wrong) - reference).abs().amax(dim=1)
        assert moved[-1] > 1e-2
        assert moved[:-1].max() > 1e-2


@pytest.mark.parametrize("position", [0, 4, 10])
@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("layer", [0, 1])
def test_one_damaged_slot_shows(position: int, part: int, layer: int) -> None:
    """A change in K or V shows, in any layer and at any position."""
    cache, tokens, table = filled(11, 4)
    by_slot(cache)[part, layer, table[position // 4] * 4 + position % 4] += 1
    proof = prove(cache, holding(tokens, table))
    assert not proof.bit_equal
    assert proof.difference > 1e-3


def test_a_page_that_is_missing_cannot_be_proved() -> None:
    """A token without a page is refused: there is no proof over only the tokens that have one."""
    cache, tokens, table = filled(9, 4)
    with pytest.raises(LengthMismatchError) as caught:
        prove(cache, holding(tokens, table[:2]))
    assert caught.value.numbers == {"tokens": 9, "slots": 8}


@pytest.mark.parametrize("device", DEVICES)
def test_the_nan_in_empty_slots_never_leaks(device: str) -> None:
    """The tail of the last block is NaN, and reading it would show."""
    cache, tokens, table = filled(9, 4, build_model(device))
    tail = by_slot(cache)[:, :, table[2] * 4 + 1 : table[2] * 4 + 4]
    assert tail.isnan().all()
    assert cache.gather(table, 9).isfinite().all()
    assert cache.read(tokens, table).isfinite().all()
    assert cache.gather(table, 12)[:, :, 9:].isnan().all()
    assert cache.read([*tokens, 0], table)[-1].isnan().all()
    leaking, right = prove(cache, holding([*tokens, 0], table)), prove(cache, holding(tokens, table))
    assert leaking.difference != right.difference == 0
    assert (leaking.bit_equal, right.bit_equal) == (False, True)


# --- what is said --------------------------------------------------------------------------------------------------


def prove_written(tokens: list[int], *, damaged: int | None = None) -> tuple[str, float, str]:
    """Reason, probability and word of a request alone in a pool; with a NaN in the slot of `damaged`."""
    table = list(range(-(-len(tokens) // 4)))
    cache = KVCache(len(table), 4, MODEL)
    cache.write(tokens, range(len(tokens)), range(len(tokens)), table)
    if damaged is not None:
        by_slot(cache)[:, :, damaged] = torch.nan
    proof = prove(cache, holding(tokens, table))
    assert damaged is not None or proof.paged == proof.contiguous
    number = proof.paged.number
    assert (number == NO_WORD) == bool(proof.paged.reason)
    return proof.paged.reason, proof.paged.probability, "" if number == NO_WORD else str(number)


def test_the_word_and_why_there_is_none() -> None:
    """A word only if the model knows all words of a request that is not too long, and read numbers."""
    reason, probability, word = prove_written([*QUESTION])
    assert (reason, word) == ("", str(find_word("tea")))
    assert 0.9 < probability <= 1
    assert prove_written([*QUESTION], damaged=2) == ("nan", 0.0, "")
    assert prove_written([500, *QUESTION]) == ("unknown", 0.0, "")
    assert prove_written([*QUESTION, *[1] * (RELIABLE - 11)])[0] == ""
    assert prove_written([*QUESTION, *[1] * (RELIABLE - 10)]) == ("long", 0.0, "")


def test_a_proof_tells_what_was_read() -> None:
    """The slots and the difference are those of the run."""
    cache, tokens, table = filled(6, 4)
    by_slot(cache)[1, 0, table[0] * 4] += 0.5
    proof = prove(cache, holding(tokens, table, seq_id="B"))
    paged, reference = cache.read(tokens, table), cache.read_contiguous(tokens)
    assert proof.seq_id == "B"
    assert proof.slots == tuple([table[0] * 4 + i for i in range(4)] + [table[1] * 4 + i for i in range(2)])
    assert proof.difference == (paged.double() - reference.double()).abs().max().item() > 0


def test_a_scenarios_own_words_are_used() -> None:
    """In the sandbox, token ids are numbered anew: `words` tells which word each of them is."""
    words = [get_word(token) for token in QUESTION]
    cache = KVCache(3, 4, MODEL, words)
    cache.write(range(11), range(11), range(11), [0, 1, 2])
    assert prove(cache, holding([*range(11)], [0, 1, 2])).paged.number == find_word("tea")


# --- with the manager ----------------------------------------------------------------------------------------------


def run(manager: BlockManager, cache: KVCache, tokens: list[int], seq_id: str) -> Sequence:
    """Allocate and write only what is not cached, as the model runner does."""
    seq = Sequence(seq_id, tokens, manager.block_size)
    manager.allocate(seq)
    start = seq.num_cached_tokens
    cache.write(tokens[start:], range(start, len(tokens)), seq.slots(start), seq.block_table)
    manager.hash_blocks(seq)
    return seq


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("block_size", [1, 2, 4])
def test_a_shared_prefix_gives_the_same_output_as_alone(block_size: int, device: str) -> None:
    """A wrote B's first pages. The output is bit-equal to that of B alone in a pool."""
    model = build_model(device)
    together, apart = KVCache(16, block_size, model), KVCache(16, block_size, model)
    manager = BlockManager(16, block_size, range(15, -1, -1))
    a = run(manager, together, [1, 2, 3, 4, 5, 6], "A")
    b = run(manager, together, [1, 2, 3, 4, 9, 9, 9], "B")
    alone = run(BlockManager(16, block_size), apart, [1, 2, 3, 4, 9, 9, 9], "B")
    assert b.num_cached_tokens == 4
    assert b.block_table[: 4 // block_size] == a.block_table[: 4 // block_size]
    output = together.read(b.token_ids, b.block_table)
    assert torch.equal(output, apart.read(alone.token_ids, alone.block_table))
    assert torch.equal(output, together.read_contiguous(b.token_ids))
    assert prove(together, a).bit_equal
    assert prove(together, b).bit_equal


def test_random_histories_are_bit_equal() -> None:
    """Any block size, prompts with common beginnings, known and unknown words; many requests found a prefix."""
    random, found = Random(1), 0
    for _ in range(60):
        size, blocks = random.randint(1, 16), random.randint(4, 40)
        common = [random.randrange(90) for _ in range(30)]
        prompts = [
            (*common[: random.randrange(30)], *(random.randrange(VOCABULARY) for _ in range(random.randint(1, 12))))
            for _ in range(5)
        ]
        queue = tuple(random.sample(range(blocks), blocks))
        requests = tuple(Request(name, prompt, (1, 2, 3)) for name, prompt in zip("ABCDE", prompts, strict=True))
        timeline = Timeline(Config(blocks, size, queue, requests), MODEL)
        for _ in range(14):
            kind = random.choice((Allocate, Allocate, Append, Append, Release))
            timeline.apply(kind(random.choice("ABCDE")))
        for proof in timeline.proofs(14):
            assert proof.bit_equal, (size, timeline.operations)
            assert proof.difference == 0
            found += timeline.live[proof.seq_id].num_cached_tokens > 0
    assert found > 30


def test_release_does_not_erase() -> None:
    """The freed blocks keep their KV, readable through the old table, until they are written again."""
    manager, cache = BlockManager(4, 4), KVCache(4, 4, MODEL)
    a = run(manager, cache, list(range(10)), "A")
    table, before, noted = list(a.block_table), bits(cache.pool), list(cache.slot_contents)
    manager.deallocate(a)
    assert (bits(cache.pool), cache.slot_contents) == (before, noted)
    assert a.block_table == []
    assert prove(cache, holding(a.token_ids, table)).bit_equal


# --- the pool and its slots ----------------------------------------------------------------------------------------


def test_a_new_pool_is_nan_and_a_write_touches_its_slots_only() -> None:
    """Keys and values of a slot are in one block, in every layer: [:, :, slot // size, slot % size]."""
    cache = KVCache(3, 4, MODEL)
    assert cache.pool.shape == (2, 2, 3, 4, 2, 16)
    assert cache.pool.isnan().all()
    cache.write([5, 6], [0, 1], [4, 5], [1])
    expected = compute_alone(MODEL, [5, 6])
    assert torch.equal(cache.pool[:, :, 1, 0], expected[:, :, 0])
    assert torch.equal(cache.pool[:, :, 1, 1], expected[:, :, 1])
    assert cache.pool.isnan().all(dim=(0, 1, 4, 5)).flatten().tolist() == [slot not in {4, 5} for slot in range(12)]


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(st.permutations(range(4)), st.lists(st.integers(0, 1023), min_size=1, max_size=12))))
def test_slot_contents_tells_what_the_tensor_holds(writes: list[tuple[list[int], list[int]]]) -> None:
    """slot_contents agrees with the tensor: KV computed again is equal, and None means never written."""
    cache = KVCache(4, 3, MODEL)
    expected = torch.full_like(by_slot(cache), torch.nan)
    contents: list[tuple[int, int] | None] = [None] * 12
    for table, tokens in writes:
        slots = list_slots(table, 3, range(len(tokens)))
        cache.write(tokens, range(len(tokens)), slots, table)
        expected[:, :, slots] = compute_alone(MODEL, tokens)
        for position, slot in enumerate(slots):
            contents[slot] = (tokens[position], position)
    assert bits(by_slot(cache)) == bits(expected)
    assert cache.slot_contents == contents


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
    cache = KVCache(3, 4, MODEL)
    cache.write([9, 9], [0, 1], [3, 11], [0])
    before, noted = bits(cache.pool), list(cache.slot_contents)
    with pytest.raises(error) as caught:
        cache.write(tokens, positions, slots, [0])
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
        KVCache(3, 4, MODEL).gather(table, length)
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
