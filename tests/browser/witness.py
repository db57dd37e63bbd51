"""What a page did that it should not have done: errors in the console, requests to anyone else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page, Request

# Streamlit probes these below the path of a deep link, where they do not exist, and the browser reports each 404.
PROBES = ("_stcore/health", "_stcore/host-config")


@dataclass
class Witness:
    """What a page did that it should not have done."""

    origin: str
    loads: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append((f"uncaught: {error}", page.url)))
        page.on("request", self._request)

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
