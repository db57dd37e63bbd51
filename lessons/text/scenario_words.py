"""Translations for a scenario of the sandbox or the library."""

from __future__ import annotations

from lab.sandbox.scenario import Scenario
from lessons.text.translations import Language, Translations


class ScenarioWords(Translations):
    """Translations that show a token by the text it has in the scenario."""

    def __init__(self, language: Language, scenario: Scenario) -> None:
        super().__init__(language)
        self._scenario = scenario

    @property
    def identity(self) -> tuple[object, ...]:
        """The language and the requests, whose texts the tokens have."""
        return (self.language, self._scenario.requests)

    def token(self, token_id: int, /) -> str:
        """The text of the token. Untrusted: typed, or from a link."""
        return self._scenario.token(token_id)
