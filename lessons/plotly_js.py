"""plotly.js with the kinds of trace that the lab draws: where it lies and what it is called on this server.

The Plotly wheel ships all kinds of trace, three and a half times as many bytes. assets/lib/README.md says where this
one is from; a test holds it to the version of the wheel and to the kinds that the lab's figures have.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "assets" / "lib" / "plotly-basic.min.js"


@cache
def digest() -> str:
    """A hash of the content, so that the URL changes exactly when the file does."""
    return hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]


@cache
def file_name() -> str:
    """Its name at the lab's root."""
    return f"plotly-{digest()}.min.js"


def url() -> str:
    """Its address as a page asks for it: relative to the page, so that it is found below any path of any proxy.

    Every page lies directly below the root, where Streamlit also looks for its own scripts.
    """
    return f"./{file_name()}"
