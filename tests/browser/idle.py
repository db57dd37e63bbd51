"""When a page has come to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

_IDLE = """([quiet, looks]) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const idle = app?.dataset.testScriptState === "notRunning" && app.dataset.testConnectionState === "CONNECTED"
    && !document.querySelector('[data-testid="stSkeleton"]');
  const now = performance.now();
  if (!idle || window.__busySeen === undefined) [window.__busySeen, window.__looks] = [now, 0];
  window.__looks += 1;
  return idle && now - window.__busySeen >= quiet && window.__looks > looks;
}"""
# A browser that the machine kept waiting may come to its second look only when the moment is over, before the page's
# own timers had their turn: after_run.js looks every 40 ms, twice.
_LOOKS = 8


def wait_until_idle(page: Page | Frame, quiet_ms: int = 250) -> None:
    """Wait until Streamlit is connected and has run nothing for a moment.

    The moment is needed: a widget's click reaches the server before the page says that a script runs.
    """
    page.evaluate("() => { window.__busySeen = undefined }")
    page.wait_for_function(_IDLE, arg=[quiet_ms, _LOOKS], timeout=30_000)
