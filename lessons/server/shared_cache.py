"""What the process keeps for everybody: results that are the same whoever asks, each computed once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SharedCache(Generic[Value]):
    """At most `most` results by their keys; those that nobody has asked for lately go."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The result with this key, else a new one, which is kept. Two threads may compute the same one."""
        with self._lock, suppress(KeyError):
            self._kept.move_to_end(key)
            return self._kept[key]
        value = compute()
        with self._lock:
            self._kept[key] = value
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value
