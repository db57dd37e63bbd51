"""What all tests share."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, settings
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import local_script_runner

from tests import sample


def pytest_configure(config: pytest.Config) -> None:
    """How often Hypothesis tries depends on what was asked for; how long an example takes depends on the machine."""
    sample.runs_everything = "not thorough" not in config.option.markexpr
    settings.register_profile("lab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("lab")


@pytest.fixture(scope="session", autouse=True)
def _installed_packages_are_looked_through_once() -> None:
    """Streamlit's AppTest reads the metadata of every installed package at each session's first run.

    That takes longer than the run. What is installed does not change while the tests run, so it is read once.
    """
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(scope="session", autouse=True)
def _scripts_are_compiled_once() -> None:
    """AppTest compiles the shell and the page again for each run; a server keeps them, as this does."""
    scripts = ScriptCache()
    pytest.MonkeyPatch().setattr(local_script_runner, "ScriptCache", lambda: scripts)
