"""plotly.js as the Plotly wheel ships it: where it lies, what it is called on this server, and its gzipped bytes."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def source() -> Path:
    """The file in the installed wheel, found without importing plotly."""
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("plotly is not installed")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


@cache
def digest() -> str:
    """A hash of the content, so that the URL changes exactly when the file does."""
    return hashlib.sha256(source().read_bytes()).hexdigest()[:16]


@cache
def file_name() -> str:
    """Its name at the lab's root."""
    return f"plotly-{digest()}.min.js"


def url() -> str:
    """Its address as a page asks for it: relative to the page, so that it is found below any path of any proxy.

    Every page lies directly below the root, where Streamlit also looks for its own scripts.
    """
    return f"./{file_name()}"


@cache
def gzipped() -> bytes:
    """The file compressed, once for the life of the process (4.8 MB become 1.4 MB)."""
    return gzip.compress(source().read_bytes(), compresslevel=9, mtime=0)
