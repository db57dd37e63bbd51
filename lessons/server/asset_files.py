"""The files of assets/ as text: the scripts and styles of components and pages."""

from __future__ import annotations

import re
from pathlib import Path

_ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
_COMMENT = re.compile(r"^[ \t]*(?://.*\n|/\*(?:[^*]|\*(?!/))*\*/[ \t]*\n)", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def read_assets(*names: str) -> str:
    """Join files of ``assets/`` in this order. A component's module cannot import another one, so put helpers first.

    Comments on lines of their own and indentation are left out: Streamlit sends these texts to every browser again
    and again.
    """
    return "\n".join(_strip((_ASSETS / name).read_text(encoding="utf-8")) for name in names)


def _strip(text: str) -> str:
    return _INDENT.sub("", _COMMENT.sub("", text))


def read_style(*names: str) -> str:
    """Return css files of ``assets/`` as one style element for ``st.html``."""
    return f"<style>\n{read_assets(*names)}</style>"
