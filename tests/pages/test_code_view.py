"""The code tab: the lines that it shows are those that ran, at every moment of the task, in both languages."""

from __future__ import annotations

from html import unescape

from lab.trace.line_trace import trace_step
from lessons.text.translations import Language, get_translations
from tests.links import parse_run
from tests.pages.test_pages import DONE, go, task
from tests.sample import every_language

RUN = parse_run(DONE)


@every_language
def test_the_lines_shown_are_those_that_ran(language: Language) -> None:
    """After each operation and inside it: every line in order, those that led to the event in view marked."""
    at, say = task(language), get_translations(language)
    at.session_state["look_closer"] = tab = say.text("task.tab_code")
    for index in range(len(RUN.operations)):
        execution = trace_step(RUN.config, RUN.operations, index)
        for event in (None, *range(1, len(execution.step.events))):
            place = f"{index + 1}" if event is None else f"{index + 1}.{event}"
            at = go(at, run=DONE, at=place)
            view = next(view for view in at.tabs if view.label == tab)
            shown = unescape(" ".join(element.proto.body for element in view.get("html")))
            at_lines = [say.text("code.place", function=v.function, line=v.line) for v in execution.visits]
            assert [shown.count(line) for line in at_lines] == [at_lines.count(line) for line in at_lines]
            assert shown.count('aria-current="step"') == (
                0 if event is None else len(execution.get_lines_behind(event))
            )
            for visit in execution.visits:
                assert all(f"{text} = {value}" in shown for text, value in visit.values), (place, visit)


def test_before_the_first_operation_no_line_has_run() -> None:
    """A sentence, not an empty list."""
    at = task("en")
    at.session_state["look_closer"] = get_translations("en").text("task.tab_code")
    at = go(at, run=DONE, at="0")
    assert get_translations("en").text("code.nothing") in [element.value for element in at.markdown]
