"""torch, pandas and Plotly are imported on first use, and then behave like the modules themselves."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from importlib import import_module
from pathlib import Path
from threading import Event

import pytest

from lab.trace import late_imports

ROOT = Path(__file__).parent.parent.parent
USES = {
    "torch": "from lab.trace.timeline import Timeline; Timeline(Config(2, 4, (1, 0), (Request('A', (1, 2), (3,)),)))",
    "pandas": "from lab.figures.picture import Picture, pd; pd.DataFrame([1])",
    "plotly": "from lab.figures.picture import Picture; Picture({'data': [], 'layout': {}}, '', list).figure",
}


@pytest.mark.parametrize(("package", "use"), USES.items())
def test_a_package_comes_with_its_first_use(package: str, use: str) -> None:
    """The import of a module that uses it does not import it."""
    importing, using = use.split("; ", maxsplit=1)
    lines = ["import sys", "from lab.trace.config import Config, Request", importing]
    lines += [f"print({package!r} in sys.modules)", using, f"print({package!r} in sys.modules)"]
    run = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_what_is_taken_is_the_module_s_own() -> None:
    """Also in isinstance, and for a test that replaces a function of the module."""
    assert sorted(late_imports.__all__) == sorted(late_imports.MODULES)
    for name, module in late_imports.MODULES.items():
        late, real = getattr(late_imports, name), import_module(module)
        public = [each for each in dir(real) if not each.startswith("_")][:50]
        assert public
        assert all(getattr(late, each) is getattr(real, each) for each in public)
    with pytest.raises(AttributeError):
        getattr(late_imports.torch, "no_such_thing")  # noqa: B009  (mypy knows that there is none)


def test_who_comes_while_a_package_is_imported_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that reconnect to a server that has just started; a submodule must not be begun before its package."""
    package = tmp_path / "half_made"
    package.mkdir()
    (package / "__init__.py").write_text("import sys\nsys.gate[0].set()\nsys.gate[1].wait(30)\nvalue = 1\n")
    (package / "part.py").write_text("from half_made import value\n")
    begun, go_on = Event(), Event()
    monkeypatch.setattr(sys, "gate", (begun, go_on), raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))

    def use(name: str) -> object:
        return late_imports._LateModule(name).value  # type: ignore[attr-defined]  # not there for mypy

    with ThreadPoolExecutor() as threads:
        first = threads.submit(use, "half_made")
        assert begun.wait(30)
        others = [threads.submit(use, name) for name in ("half_made", "half_made.part")]
        assert not wait(others, timeout=0.2).done
        go_on.set()
        assert [each.result(30) for each in (first, *others)] == [1, 1, 1]
