"""What a first visit costs a network that a whole class shares: bytes, counted on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.cut import wire
from tests.sample import sampled

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.served import Server

# The sandbox has more kinds of control, each with scripts of Streamlit's: 1.64 MB alone, more on a busy machine.
MOST = {"/": 1_600_000, "/allocate": 1_600_000, "/task": 1_600_000, "/sandbox": 1_750_000}
DRAWN = ".js-plotly-plot .main-svg"


@pytest.mark.parametrize("path", sampled(MOST, ("/task",)))
def test_a_first_visit_loads_little_before_the_first_picture(chromium: Browser, server: Server, path: str) -> None:
    """All that the server sends, headers and the websocket too, until a browser that has nothing has drawn."""
    with wire(server.url) as line:
        context = chromium.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(line.url + path)
        page.locator(DRAWN).first.wait_for()
        carried = line.carried
        context.close()
    assert 500_000 < carried <= MOST[path]
