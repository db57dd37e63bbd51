"""Translations for a scenario of the sandbox or the library."""

from __future__ import annotations

from lab.sandbox.scenario import Scenario
from lessons.text.translations import Language, Translations

_NAMES = ("seq_id", "seq", "other")  # placeholders that hold a request's id
# Here the id stands beside the name, as the cells show it.
_TITLES = ("figures.memory.request", "figures.memory.name", "sandbox.request")


class ScenarioWords(Translations):
    """Translations that show a token by the text it has in the scenario, and a request by what people call it."""

    def __init__(self, language: Language, scenario: Scenario) -> None:
        super().__init__(language)
        self._scenario = scenario
        self._called = {seq_id: name for seq_id, name in scenario.called.items() if name != seq_id}

    @property
    def identity(self) -> tuple[object, ...]:
        """The language and the requests, whose texts the tokens have."""
        return (self.language, self._scenario.requests)

    def text(self, key: str, /, **values: object) -> str:
        """The string with this key, its placeholders filled; a request's name has only characters of CALLED."""
        for name in _NAMES if self._called else ():
            seq_id = values.get(name)
            if isinstance(seq_id, str) and seq_id in self._called:
                values[name] = f"{self._called[seq_id]} ({seq_id})" if key in _TITLES else self._called[seq_id]
        return super().text(key, **values)

    def request(self, seq_id: str, /) -> str:
        """What people call a request. Untrusted, but it has only characters of CALLED."""
        return self._called.get(seq_id, seq_id)

    def token(self, token_id: int, /) -> str:
        """The text of the token. Untrusted: typed, or from a link."""
        return self._scenario.token(token_id)
