"""The build of plotly.js that the lab serves: its file and its address.

It has only the kinds of trace that the lab draws; the full build in the Plotly wheel is 3.5 times as large.
assets/lib/README.md says where it comes from. A test checks that its version is the wheel's and that it has every kind
of trace in the lab's figures.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lessons.server.hashed_files import serve_file

SOURCE = Path(__file__).resolve().parent.parent.parent / "assets" / "lib" / "plotly-basic.min.js"


@cache
def get_url() -> str:
    """The file's address relative to a page. It is served from the first call on."""
    return serve_file("plotly.js", SOURCE.read_bytes())
