"""Run a coroutine in a test, whatever ran before in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_own_loop(work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` in a thread of its own and return its result: Playwright's loop still occupies this thread."""

    async def run() -> T:
        return await work()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(run())).result()
