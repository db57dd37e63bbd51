"""The player on a page without a browser: what was sent, and the place that a browser reports."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from functools import lru_cache
from typing import Any
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from lessons.widgets import player


def read_data(component: Any) -> dict[str, Any]:
    """What was sent to this component of the lab."""
    (data,) = json.loads(component.json)
    read: dict[str, Any] = data
    return read


def sent(at: AppTest, key: str = "memory") -> dict[str, Any]:
    """What the player with this key has in the browser, its film read."""
    (component,) = (each for each in at.get("bidi_component") if each.proto.id.endswith(f"-{key}"))
    data = read_data(component.proto)
    return {**data, "film": read_film(data["film"])}


def sent_ahead(at: AppTest) -> dict[str, Any] | None:
    """The operation that the browser could draw before it is pressed, its frames read; None if there is none."""
    for component in at.get("bidi_component"):
        if component.proto.id.endswith("-ahead"):
            ahead = read_data(component.proto)
            return {**ahead, "frames": unpack(ahead["packed"])["frames"]}
    return None


@lru_cache(256)  # most of a page's frames come again at the next press
def unpack(packed: str) -> dict[str, Any]:
    """The frames of a chunk, as player_film.js unpacks them. Nobody may change what this returns."""
    chunk: dict[str, Any] = json.loads(gzip.decompress(b64decode(packed)))
    return chunk


def read_film(film: dict[str, Any]) -> dict[str, Any]:
    """The film with all its frames in order, each with its chunk."""
    frames: dict[str, Any] = {}
    for chunk in map(unpack, film["packed"].values()):
        frames |= {at: {**frame, "chunk": chunk} for at, frame in chunk["frames"].items()}
    return {**film, "frames": frames}


def frame(at: AppTest, key: str = "memory") -> dict[str, Any]:
    """The frame in view."""
    data = sent(at, key)
    shown: dict[str, Any] = data["film"]["frames"][data["at"]]
    return shown


def shown_texts(at: AppTest) -> list[str]:
    """What the players on the page say at the places in view."""
    found = []
    for each in at.get("bidi_component"):
        data = read_data(each.proto)
        if "film" in data:
            now = read_film(data["film"])["frames"][data["at"]]
            found += [now[name] for name in ("title", "headline", "sentence") if name in now]
            step = int(data["at"].split(".")[0])
            found += [row["name"] for row in data["rows"][step - 1 : step] if step]
    return found


def whole_figure(frame: dict[str, Any]) -> dict[str, Any]:
    """The only figure of the frame, as player_film.js puts it together."""

    def whole(part: dict[str, Any]) -> dict[str, Any]:
        lists = {name: [film["pool"][i] for i in values] for name, values in part["a"].items()}
        return {**part["v"], **{name: film["pool"][i] for name, i in part["p"].items()}, **lists}

    (parts,), film = frame["figures"].values(), frame["chunk"]
    return {
        "data": [whole(film["traces"][i]) for i in parts["traces"]],
        "layout": whole(film["layouts"][parts["layout"]]),
    }


def report(at: AppTest, place: object, key: str = "memory", **changed: object) -> AppTest:
    """The browser reports that it rests at this place."""
    data = sent(at, key)
    message = {"at": place, "log": data["log"], "serial": (data["heard"] or 0) + 1, **changed}
    return told(at, key, "seek", message)


def told(at: AppTest, key: str, name: str, value: object) -> AppTest:
    """The browser sends this to the component with this key, which AppTest cannot; then the page is drawn again."""
    mount, waiting = player._mount, [value]

    def handle(**given: Any) -> Any:
        if given["key"] == key and waiting:
            event = waiting.pop()
            with patch.object(player, "get_event", lambda _, asked: event if asked == name else None):
                given[f"on_{name}_change"]()
        return mount(**given)

    with patch.object(player, "_mount", handle):
        at.run()
    assert not waiting
    return at.run()


def told_late(at: AppTest, key: str, name: str, value: object, pressed: str) -> AppTest:
    """As `told`, but a button reaches the server in the same run, and its callback comes first."""
    mount, handlers = player._mount, []

    def handle(**given: Any) -> Any:
        if given["key"] == key:
            handlers.append(given[f"on_{name}_change"])
            if len(handlers) == 2:
                with patch.object(player, "get_event", lambda _, asked: value if asked == name else None):
                    handlers[0]()
        return mount(**given)

    with patch.object(player, "_mount", handle):
        at.run()
        at.button(key=pressed).click().run()
    return at.run()
