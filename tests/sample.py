"""What runs by default of tests that come in great number; all of them run with ``-m ""``."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from lessons.text.translations import LANGUAGES

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet


runs_everything = True  # without the option that leaves out what is thorough; pytest_configure sets it before all tests


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


def some(values: Iterable[Any], count: int) -> list[ParameterSet]:
    """All of these, for ``parametrize``; by default only so many of them run: the first, the last and some between."""
    given = list(values)
    usual = {round(i * (len(given) - 1) / max(count - 1, 1)) for i in range(count)}
    return [
        pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=() if i in usual else pytest.mark.thorough)
        for i, each in enumerate(given)
    ]


def examples(number: int) -> int:
    """So many examples for Hypothesis to try; by default it tries a third of them."""
    return number if runs_everything else max(number // 3, 10)


# Both languages have the same keys and placeholders (tests/text); what a page makes of them is seen in one by default.
every_language = pytest.mark.parametrize("language", sampled(LANGUAGES, ("zh",)))
