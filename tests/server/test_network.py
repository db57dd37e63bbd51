"""Addresses at which other devices reach this machine, and addresses that work on this machine only."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import streamlit as st
from streamlit import config

from lessons.server import network, sticky_process
from lessons.server.network import LocalOnly

PORT = 8501


@pytest.fixture
def options() -> Iterator[None]:
    """Leave the server's options as they were."""
    before = {name: st.get_option(name) for name in ("server.address", "server.port", "server.baseUrlPath")}
    config.set_option("server.port", PORT)
    yield
    for name, value in before.items():
        config.set_option(name, value)


class FakeSocket:
    """A machine with two networks; the first one leads to the internet."""

    def __init__(self, *_: object) -> None:
        self.own = ""

    def __enter__(self) -> FakeSocket:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def connect(self, there: tuple[str, int]) -> None:
        self.own = "10.42.0.1" if there[0].startswith("10.42.") else "192.168.3.7"

    def getsockname(self) -> tuple[str, int]:
        return self.own, 5

    def send(self, *_: object) -> None:
        raise AssertionError("nothing is to be sent")


@pytest.fixture
def two_networks(monkeypatch: pytest.MonkeyPatch, options: None) -> None:
    monkeypatch.setattr(socket, "socket", FakeSocket)
    monkeypatch.delenv(sticky_process.VARIABLE, raising=False)


@pytest.mark.usefixtures("two_networks")
@pytest.mark.parametrize(
    ("listens", "found"),
    [
        (None, ["192.168.3.7", "10.42.0.1"]),
        ("0.0.0.0", ["192.168.3.7", "10.42.0.1"]),
        ("::", ["192.168.3.7", "10.42.0.1"]),
        ("192.168.3.7", ["192.168.3.7"]),
        ("lab.example", ["lab.example"]),
        ("127.0.0.1", []),
        ("localhost", []),
        ("::1", []),
    ],
)
def test_the_addresses_are_those_that_the_server_listens_to(listens: str | None, found: list[str]) -> None:
    config.set_option("server.address", listens)
    assert network.find_addresses() == found


@pytest.mark.usefixtures("two_networks")
def test_the_start_prints_them_with_port_and_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config.set_option("server.address", None)
    config.set_option("server.baseUrlPath", "kvlab")
    network.print_addresses()
    printed = capsys.readouterr().out
    assert [line.split()[-1] for line in printed.splitlines()] == [
        f"http://192.168.3.7:{PORT}/kvlab",
        f"http://10.42.0.1:{PORT}/kvlab",
    ]
    monkeypatch.setenv(sticky_process.VARIABLE, "one")
    network.print_addresses()
    assert capsys.readouterr().out == "", "a proxy has the address"


def test_without_a_network_nothing_is_found(monkeypatch: pytest.MonkeyPatch, options: None) -> None:
    def unreachable(*_: object) -> None:
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(FakeSocket, "connect", unreachable)
    monkeypatch.setattr(socket, "socket", FakeSocket)
    assert network.find_addresses() == []


def _find_no_client() -> None:
    """The browser is on the server's machine."""


@pytest.mark.usefixtures("two_networks")
@pytest.mark.parametrize("host", ["localhost", "lab.localhost", "127.0.0.1", "127.8.0.1", "[::1]", "0.0.0.0"])
def test_a_page_of_this_machine_alone_has_other_addresses(host: str) -> None:
    config.set_option("server.address", None)
    page = f"http://{host}:{PORT}/kvlab/sandbox"
    others = (f"http://192.168.3.7:{PORT}/kvlab/sandbox", f"http://10.42.0.1:{PORT}/kvlab/sandbox")
    assert network.find_local_only(page, _find_no_client) == LocalOnly(others)
    in_container = network.find_local_only(page, lambda: "172.17.0.1")
    assert in_container == LocalOnly(()), "its own address is of no use"
    assert network.find_local_only(page.replace(str(PORT), "9000"), _find_no_client) == LocalOnly(()), "a tunnel"
    assert network.find_local_only(f"http://{host}/sandbox", _find_no_client) == LocalOnly(())


@pytest.mark.usefixtures("two_networks")
@pytest.mark.parametrize(
    "page", ["http://192.168.3.7:8501/", "https://lab.example/task", "http://localhost.example/", ""]
)
def test_a_page_that_others_can_open_is_left_alone(page: str) -> None:
    assert network.find_local_only(page, _find_no_client) is None
