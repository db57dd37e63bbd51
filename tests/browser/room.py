"""Students before one server, with a wire between that a test cuts, holds and mends."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from tests.browser.cut import Wire
from tests.browser.idle import wait_until_idle
from tests.browser.steps import COMMITTED
from tests.links import saved

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, StorageState

LOST = "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState !== 'CONNECTED'"
P = COMMITTED.partition("run=")[2]
OURS: dict[str, Any] = saved(P)


class Room:
    """Pages of students behind one wire, each in a browser of its own that already keeps this record."""

    def __init__(self, chromium: Browser, line: Wire, stack: ExitStack) -> None:
        self.chromium, self.line, self.stack = chromium, line, stack
        self.errors: list[str] = []

    def come(self, path: str, record: dict[str, Any] | None = None) -> Page:
        kept = json.dumps(record or OURS, separators=(",", ":"))
        stored: StorageState = {
            "origins": [{"origin": self.line.url, "localStorage": [{"name": "paged-kv-lab", "value": kept}]}]
        }
        context = self.chromium.new_context(
            locale="en-US",
            viewport={"width": 1280, "height": 900},
            storage_state=stored,
        )
        self.stack.callback(context.close)
        return self.open(context.new_page(), path)

    def open(self, page: Page, path: str) -> Page:
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(self.line.url + path)
        wait_until_idle(page)
        return page


def stored(page: Page) -> dict[str, Any]:
    """What this browser keeps."""
    found: dict[str, Any] = json.loads(page.evaluate("localStorage.getItem('paged-kv-lab')") or "{}")
    return found
