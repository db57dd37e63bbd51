"""Coroutines in a test that need not know what ran before it in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_own_loop(work: Callable[[], Awaitable[T]]) -> T:
    """What `work` gives, in a thread of its own: after a browser test Playwright's loop still occupies this one."""

    async def run() -> T:
        return await work()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(run())).result()
