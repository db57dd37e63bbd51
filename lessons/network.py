"""How other devices reach this machine: its own addresses, found without asking anybody.

A page opened as `localhost` works on this machine only: a link or a code made from it leads any other device to itself.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit

import streamlit as st
from streamlit.web.server import server_util

from lessons import replica

_EVERYWHERE = ("", "0.0.0.0", "::")
# Towards each of these the machine would send from an address of its own: to the world (an address that nobody has), to
# networks at home, and to those that a laptop opens itself (Windows, macOS, NetworkManager).
_TOWARDS = (
    *("192.0.2.1", "192.168.0.254", "192.168.1.254", "10.0.0.254", "172.16.0.254"),
    *("192.168.137.254", "192.168.2.254", "10.42.0.254"),
)


@dataclass(frozen=True)
class OnlyHere:
    """A page whose address works on this machine only. `others`: addresses of the same page for other devices."""

    others: tuple[str, ...]


def own_addresses() -> list[str]:
    """This machine's addresses in its networks, as far as the server listens to them."""
    if replica.process_name():
        return []  # one of several: a proxy has the address
    listens = st.get_option("server.address") or ""
    found = [_from(address) for address in _TOWARDS] if listens in _EVERYWHERE else [listens]
    return [address for address in dict.fromkeys(found) if _others_can_use(address)]


def announce() -> None:
    """Print what to write on the board. Streamlit itself prints `localhost` alone (see .streamlit/config.toml)."""
    for address in own_addresses():
        print(f"  Other devices in the same network: {server_util.get_url(address)}", flush=True)


def only_here(page: str, client: str | None) -> OnlyHere | None:
    """Does this page's address work on this machine only? None: others can open it too.

    client  the address that the browser comes from, None for this machine. Where it is another one, or the page has
            another port than the server, something stands between (a container, a tunnel), and nobody here knows what
            address that has.
    """
    here = urlsplit(page)
    if not _is_local(here.hostname or ""):
        return None
    port = here.port or {"http": 80, "https": 443}.get(here.scheme)
    if client is not None or port != st.get_option("server.port"):
        return OnlyHere(())
    return OnlyHere(tuple(urlunsplit(here._replace(netloc=f"{address}:{port}")) for address in own_addresses()))


def _is_local(host: str) -> bool:
    with suppress(ValueError):
        address = ip_address(host)
        return address.is_loopback or address.is_unspecified
    return host == "localhost" or host.endswith(".localhost")


def _from(address: str) -> str:
    """The own address from which this machine would send there; empty where it cannot. Sends nothing: that is UDP."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return str(probe.getsockname()[0])
    return ""


def _others_can_use(host: str) -> bool:
    with suppress(ValueError):
        address = ip_address(host)
        return not (address.is_loopback or address.is_link_local or address.is_unspecified or address.version == 6)
    return bool(host) and not _is_local(host)
