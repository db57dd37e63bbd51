"""torch, pandas and Plotly are imported on first use, and then behave like the modules themselves."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

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
