"""What the lab keeps in a session of Streamlit's AppTest, and such a session's Back button."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from lessons.state.session import KEY

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

STORED = "browser_store.record"  # as the browser has told it


def session_of(at: AppTest) -> dict[str, Any]:
    """The dict itself: what is put in is there at the next run."""
    if KEY not in at.session_state:
        at.session_state[KEY] = {}
    kept: dict[str, Any] = at.session_state[KEY]
    return kept


def come_back(at: AppTest, /, **parameters: str) -> AppTest:
    """Run at this address as Back and Forward do: the browser says that they were pressed, AppTest cannot."""
    at.query_params.clear()
    at.query_params.update(parameters)
    with patch("lessons.state.url.is_history_navigation", lambda: True):
        return at.run()
