"""What the tests of the components share: where things are on the page of `components_script.py`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

NODE = ".pkl-plot > div"
FIRST_MARKER = f"{NODE} .points path >> nth=0"


def said(page: Page, name: str) -> str:
    """What the script printed as ``name=...``."""
    return page.get_by_text(re.compile(f"^{name}=")).inner_text().removeprefix(f"{name}=")


def wait_for(page: Page, text: str) -> None:
    page.get_by_text(text, exact=True).wait_for()


def operation(page: Page, name: str) -> Locator:
    return page.locator(f"button[data-operation={name}]")


def fill_of(page: Page) -> str:
    return str(page.locator(FIRST_MARKER).evaluate("path => getComputedStyle(path).fill"))
