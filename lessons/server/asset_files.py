"""The files of assets/ as text: the scripts and styles of components and pages."""

from __future__ import annotations

from pathlib import Path

_ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"


def read_assets(*names: str) -> str:
    """Join files of ``assets/`` in this order. A component's module cannot import another one, so put helpers first."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)


def read_style(*names: str) -> str:
    """Return css files of ``assets/`` as one style element for ``st.html``."""
    return f"<style>\n{read_assets(*names)}</style>"
