"""What a page did that it should not have done: errors in the console, requests to anyone else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Error, Page, Request

# Streamlit probes these below the path of a deep link, where they do not exist, and the browser reports each 404.
PROBES = ("_stcore/health", "_stcore/host-config")


@dataclass
class Witness:
    """What a page did that it should not have done."""

    origin: str
    loads: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    watched: Page | None = None

    def watch(self, page: Page) -> None:
        self.watched = page
        page.on("console", self._console)
        page.on("pageerror", self._uncaught)
        page.on("request", self._request)

    def leave(self) -> None:
        """Look no longer: what comes now is no longer this test's."""
        if self.watched is not None:
            self.watched.remove_listener("console", self._console)
            self.watched.remove_listener("pageerror", self._uncaught)
            self.watched.remove_listener("request", self._request)

    def _uncaught(self, error: Error) -> None:
        self.errors.append((f"uncaught: {error}", self.watched.url if self.watched else ""))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append((message.text, message.location.get("url", "")))

    def _request(self, request: Request) -> None:
        if request.is_navigation_request():
            self.loads.append(request.url)
        if not request.url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.foreign.append(request.url)

    def verdict(self) -> list[str]:
        """Everything objectionable: all but Streamlit's own two probes at each load of a deep link."""
        allowed = [
            f"{load.split('?')[0]}/{probe}" for load in self.loads if urlsplit(load).path != "/" for probe in PROBES
        ]
        complaints = [f"request to {url}" for url in self.foreign]
        for text, url in self.errors:
            if "404" in text and url in allowed:
                allowed.remove(url)
            else:
                complaints.append(f"{text} ({url})")
        return complaints
