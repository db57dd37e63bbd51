"""The build of plotly.js that the lab serves: its file and its address.

It has only the kinds of trace that the lab draws; the full build in the Plotly wheel is 3.5 times as large.
assets/lib/README.md says where it comes from. A test checks that its version is the wheel's and that it has every kind
of trace in the lab's figures.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent / "assets" / "lib" / "plotly-basic.min.js"


@cache
def compute_digest() -> str:
    """Hash the content, so that the URL changes exactly when the file does."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]


@cache
def get_file_name() -> str:
    """The file's name at the lab's root, with its hash."""
    return f"plotly-{compute_digest()}.min.js"


def get_url() -> str:
    """The file's address relative to a page, which works behind any proxy path.

    Every page lies directly below the root, so `./` is the root; Streamlit loads its own scripts in the same way.
    """
    return f"./{get_file_name()}"
