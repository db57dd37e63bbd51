"""The files of assets/ as text: the scripts and styles of components and pages."""

from __future__ import annotations

from pathlib import Path

_ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"


def read_assets(*names: str) -> str:
    """The files of ``assets/`` joined in order. A component's module cannot import another, so helpers go first."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)
