"""A page that a test has left, made ready for the next one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page


def emptied(page: Page, origin: str) -> bool:
    """Leave the page and have its context forget everything; False (and closed) where that cannot be."""
    context = page.context
    for tab in context.pages:
        if tab is not page:
            tab.close()
    if page.is_closed():
        context.close()
        return False
    page.evaluate("() => sessionStorage.clear()")
    page.goto("about:blank")
    context.clear_cookies()
    context.clear_permissions()
    session = context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
    session.send("Page.resetNavigationHistory")  # a browser keeps 50 addresses: one more would not be counted
    session.detach()
    return True
