"""The addresses at which other devices reach this machine, found without sending anything.

An address with `localhost` works on this machine only: on another device such a link leads to that device itself.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit

import streamlit as st
from streamlit.web.server import server_util

from lessons.server import sticky_process

_EVERYWHERE = ("", "0.0.0.0", "::")
# The machine would send from one of its own addresses to each of these: to the internet (an address reserved for
# documentation), to home networks, and to hotspots that a laptop opens (Windows, macOS, NetworkManager).
_DESTINATIONS = (
    *("192.0.2.1", "192.168.0.254", "192.168.1.254", "10.0.0.254", "172.16.0.254"),
    *("192.168.137.254", "192.168.2.254", "10.42.0.254"),
)


@dataclass(frozen=True)
class LocalOnly:
    """The page's address works on this machine only. `others`: addresses of the same page for other devices."""

    others: tuple[str, ...]


def find_addresses() -> list[str]:
    """Find the addresses of this machine on which the server listens and which other devices can reach."""
    if sticky_process.get_process_name():
        return []  # one of several processes: the proxy has the address
    listens = st.get_option("server.address") or ""
    addresses = [_find_source(address) for address in _DESTINATIONS] if listens in _EVERYWHERE else [listens]
    return [address for address in dict.fromkeys(addresses) if _is_reachable(address)]


def print_addresses() -> None:
    """Print the addresses for the class. Streamlit prints only `localhost` (see .streamlit/config.toml)."""
    for address in find_addresses():
        print(f"  Other devices in the same network: {server_util.get_url(address)}", flush=True)


def find_local_only(page: str, find_client: Callable[[], str | None]) -> LocalOnly | None:
    """Return LocalOnly if this page's address works on this machine only, else None.

    find_client  gives the address that the browser connects from; None for this machine. If it is another address, or
                 if the page has another port than the server, there is a container or a tunnel in between. Its address
                 is unknown here, so `others` is then empty.
    """
    url = urlsplit(page)
    if not _is_local(url.hostname or ""):
        return None
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    if find_client() is not None or port != st.get_option("server.port"):
        return LocalOnly(())
    return LocalOnly(tuple(urlunsplit(url._replace(netloc=f"{address}:{port}")) for address in find_addresses()))


def _is_local(host: str) -> bool:
    with suppress(ValueError):
        address = ip_address(host)
        return address.is_loopback or address.is_unspecified
    return host == "localhost" or host.endswith(".localhost")


def _find_source(address: str) -> str:
    """This machine's address on the route to ``address``; empty if there is no route. UDP: nothing is sent."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return str(probe.getsockname()[0])
    return ""


def _is_reachable(host: str) -> bool:
    with suppress(ValueError):
        address = ip_address(host)
        return not (address.is_loopback or address.is_link_local or address.is_unspecified or address.version == 6)
    return bool(host) and not _is_local(host)
