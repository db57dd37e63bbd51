"""Files that the lab serves at addresses with the hash of their content, so that browsers keep them for ever."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from lessons.server.base_path import add_base_path
from lessons.server.compression import accepts_gzip, compress

_FOLDER = "file"
_MEDIA_TYPES = {"js": "text/javascript", "css": "text/css"}
_files: dict[str, bytes] = {}  # by address


def serve_file(name: str, content: bytes) -> str:
    """Serve the content of a file with this name (`plot.js`) from now on.

    Returns its address relative to a page, which works behind any proxy path: every page lies directly below the root,
    so `./` is the root; Streamlit loads its own scripts in the same way. The address changes exactly when the content
    does.
    """
    stem, _, kind = name.rpartition(".")
    address = f"./{_FOLDER}/{stem}-{hashlib.sha256(content).hexdigest()[:16]}.{kind}"
    _files[address] = content
    return address


@cache
def compress_served(address: str) -> bytes:
    """The compressed content of the file at this address. Compressed once for everybody. Raises KeyError."""
    return compress(_files[address])


def _send(request: Request) -> Response:
    address = f"./{_FOLDER}/{request.path_params['name']}"
    if address not in _files:  # of another version of the lab
        return PlainTextResponse("no such file", status_code=404, headers={"Cache-Control": "no-store"})
    etag = f'"{address}"'
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    body = compress_served(address)
    if accepts_gzip(request.headers):
        headers["Content-Encoding"] = "gzip"
    else:
        body = gzip.decompress(body)
    return Response(body, media_type=_MEDIA_TYPES[address.rpartition(".")[2]], headers=headers)


def build_route() -> BaseRoute:
    """The route of all these files."""
    return Route(add_base_path(f"/{_FOLDER}/{{name}}"), _send)
