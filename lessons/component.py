"""What every component of the lab needs: its JavaScript as text, and the value of the event that called back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

_ASSETS = Path(__file__).resolve().parent.parent / "assets"


def asset(*names: str) -> str:
    """The files of ``assets/`` joined in order. A component's module cannot import another, so helpers go first."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)


def event(key: str, name: str) -> Any:
    """Inside a callback of the component ``key``: the value that the browser just sent as ``name``, else None.

    Anyone can send anything over the websocket: the caller checks the type.
    """
    values = st.session_state.get(key)
    return values.get(name) if isinstance(values, dict) else None
