"""Frames that somebody has seen lately. The same run always gives the same pictures, so they are drawn once for all."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable

from lessons.widgets.film import Chunk

_MOST = 400  # chunks; a chunk has the frames of one operation
_kept: OrderedDict[Hashable, Chunk] = OrderedDict()
_lock = threading.Lock()


def find_chunk(key: Hashable) -> Chunk | None:
    """The frames with this key, or None."""
    with _lock:
        if (chunk := _kept.get(key)) is not None:
            _kept.move_to_end(key)
        return chunk


def keep_chunk(key: Hashable, chunk: Chunk) -> Chunk:
    """Keep the frames for everybody; those that nobody has asked for lately go. Returns them."""
    with _lock:
        _kept[key] = chunk
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
    return chunk
