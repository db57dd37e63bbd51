"""What all tests share."""

from __future__ import annotations

from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from tests import sample


def pytest_configure(config: pytest.Config) -> None:
    """How often Hypothesis tries depends on what was asked for."""
    sample.runs_everything = "not thorough" not in config.option.markexpr


@pytest.fixture(scope="session", autouse=True)
def _page_tests_do_once_what_is_the_same_each_time() -> None:
    """For each run of a page, Streamlit's AppTest reads the metadata of every installed package and compiles the page.

    That takes longer than some pages. While the tests run, neither packages nor pages change, so both are done once.
    """
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
    compiled = ScriptCache()
    setattr(local_script_runner, "ScriptCache", lambda: compiled)  # noqa: B010  (not exported, so mypy says)


@pytest.fixture(scope="session", autouse=True)
def _page_tests_wait_without_looking() -> None:
    """AppTest looks every millisecond whether the page's thread has ended, and takes computing from it each time."""
    look = local_script_runner.require_widgets_deltas

    def wait(runner: LocalScriptRunner, timeout: float = 3) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        look(runner, timeout if runner.script_stopped() else 0)

    local_script_runner.require_widgets_deltas = wait
