"""The paged KV pool of the serving simulation: the real BlockManager hands out its blocks.

As in nano-vLLM, and as in vLLM's recomputation (Kwon et al., SOSP 2023, section 4.5): when no block is free, the newest
request is preempted. It releases its blocks, waits ahead of all others, and starts again with the tokens that it has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from lab.engine.block_manager import BlockManager
from lab.engine.sequence import Sequence
from lab.serving.contiguous_pool import NOBODY, SEVERAL, START, TOKENS, Kind, PoolUse, Running

OWN = 1 << 20  # token ids of request n begin at (n + 1) * OWN, so requests have only the shared tokens in common


class PagedPool:
    """See contiguous_pool.Pool. The first `shared` tokens of all requests are the same and are found in the cache."""

    def __init__(self, num_slots: int, block_size: int, shared: int = 0) -> None:
        self.manager = BlockManager(num_slots // block_size, block_size)
        self.recomputed = self.work = 0
        self.running: dict[Running, Sequence] = {}  # in order of arrival
        self._num_slots = num_slots
        self._shared = shared
        self._waiting: dict[Running, Sequence] = {}  # refused or preempted requests, which hold no blocks
        self._new: list[Sequence] = []  # admitted in this step, KV not written yet

    @property
    def batch(self) -> int:
        """See Pool."""
        return len(self.running)

    @property
    def duplicates(self) -> int:
        """See Pool: all table entries, less the blocks in use."""
        named = sum(len(seq.block_table) for seq in self.running.values())
        return (named - len(self.manager.used_block_ids)) * self.manager.block_size

    def admit(self, request: Running) -> bool:
        """See Pool."""
        if request not in self._waiting:
            self._waiting[request] = Sequence(str(request.number), self._prompt(request), self.manager.block_size)
        seq = self._waiting[request]
        if not self.manager.can_allocate(seq):
            return False
        self.manager.allocate(seq)
        self.running[request] = self._waiting.pop(request)
        self._new.append(seq)
        self.work += START + seq.num_tokens // TOKENS + len(seq.block_table)
        if request.started:
            self.recomputed += seq.num_tokens - seq.num_cached_tokens
        return True

    def advance(self) -> list[Running]:
        """See Pool."""
        manager = self.manager
        gone: list[Running] = []
        for request, seq in list(self.running.items()):
            if request not in self.running:
                break  # this request was preempted, and so were all newer ones
            seq.append_token((request.number + 1) * OWN + seq.num_tokens)
            while not manager.can_append(seq):
                last = next(reversed(self.running))
                if last is request:
                    seq.withdraw_token()  # it will compute this token when it runs again
                    gone.append(self._preempt(last))
                    break
                gone.append(self._preempt(last))
            else:
                taken = manager.may_append(seq)
                self.work += 1 if taken is None else 2
        if self._shared:  # now the KV of the prompts is written
            for seq in self._new:
                if seq.block_table:
                    manager.hash_blocks(seq)
        self._new.clear()
        return gone

    def use(self) -> PoolUse:
        """See Pool. A slot that several requests share counts once."""
        size = self.manager.block_size
        tokens = reserved = 0
        for request, seq in self.running.items():
            held = seq.num_tokens
            tokens += held
            reserved += min(len(seq.block_table) * size, request.lengths.final) - held
        tokens -= self.duplicates  # only full pages are shared, so every duplicate slot holds a token
        taken = len(self.manager.used_block_ids) * size
        return PoolUse(tokens, reserved, taken - tokens - reserved, self._num_slots - taken)

    def sample(self, slots: list[int]) -> list[tuple[int, Kind]]:
        """See Pool."""
        pages = {block: (r, i) for r, seq in self.running.items() for i, block in enumerate(seq.block_table)}
        return [self._slot(slot, *pages.get(slot // self.manager.block_size, (None, 0))) for slot in slots]

    def release_finished(self) -> None:
        """See Pool."""
        for request in [each for each, seq in self.running.items() if len(seq) == each.lengths.final]:
            self.manager.deallocate(self.running.pop(request))

    def _preempt(self, request: Running) -> Running:
        """Release its blocks; keep its tokens."""
        seq = self._waiting[request] = self.running.pop(request)
        self.manager.deallocate(seq)
        return request

    def _prompt(self, request: Running) -> Iterator[int]:
        own = (request.number + 1) * OWN
        yield from range(self._shared)
        yield from range(own + self._shared, own + request.lengths.prompt)

    def _slot(self, slot: int, request: Running | None, page: int) -> tuple[int, Kind]:
        block_id, offset = divmod(slot, self.manager.block_size)
        if request is None:
            return NOBODY, Kind.EXTERNAL
        position = page * self.manager.block_size + offset
        owner = SEVERAL if self.manager.blocks[block_id].ref_count > 1 else request.number
        bounds = (len(self.running[request]), request.lengths.final)
        return owner, Kind(bisect_right(bounds, position))
