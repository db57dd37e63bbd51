"""What runs by default of tests that come in great number; all of them run with ``-m ""``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from lessons.text.translations import LANGUAGES

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet


def sampled(values: Iterable[Any], usual: Collection[Any]) -> list[ParameterSet]:
    """All of these, for ``parametrize``; by default only the usual ones run, which must be among them."""
    given = list(values)
    strange = [each for each in usual if each not in given]
    assert strange == [], "not among the values"
    parameters = []
    for each in given:
        parts = each if isinstance(each, tuple) else (each,)
        marks = () if each in usual else (pytest.mark.thorough,)
        parameters.append(pytest.param(*parts, id="-".join(map(str, parts)), marks=marks))
    return parameters


# Both languages have the same keys and placeholders (tests/text); what a page makes of them is seen in one by default.
every_language = pytest.mark.parametrize("language", sampled(LANGUAGES, ("zh",)))
