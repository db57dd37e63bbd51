"""Presenter mode and the notes of prepared scenarios: what is covered, until when, and what a class never sees."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.figures.projector import get_projector_colors
from lab.figures.theme import LIGHT
from lab.sandbox.facts import collect_values
from lab.sandbox.library import LIBRARY, Prompt, get_summary_key, list_prompts, resize_prepared
from lab.sandbox.link import encode_scenario
from lab.trace.presets import PLAN
from lessons.server.asset_files import read_assets
from lessons.state.presenting import SIZES, PresenterMode
from lessons.text.scenario_texts import format_library_title
from lessons.text.sentences import format_operation
from lessons.text.sentences import format_values as told_in
from lessons.text.translations import Language, get_translations, load_strings
from lessons.votable.find import find_votable
from lessons.votable.key_step import name_prompt
from tests.links import parse_scenario
from tests.pages.test_pages import DONE, address, go, keys, press, task, texts, titles, verdicts
from tests.player import read_data, report
from tests.sample import every_language, sampled, some


def prepared(key: str, at: int | str = 0, language: Language = "en", **parameters: str) -> AppTest:
    """The sandbox with this scenario from the library, at this place."""
    link = encode_scenario(LIBRARY[key].scenario)
    return task(page="sandbox", sandbox=link, at_sandbox=str(at), lang=language, **parameters)


def said(note: Prompt, what: str, language: Language = "en") -> str:
    """The words of a note, as the page has them."""
    say = get_translations(language)
    return escape(say.text(note.ask if what == "ask" else note.point, **told_in(collect_values(note), say)))


def component(at: AppTest, key: str) -> dict[str, Any]:
    """What a component was given."""
    (found,) = (each for each in at.get("bidi_component") if each.proto.id.endswith(f"-{key}"))
    return read_data(found.proto)


def rows(at: AppTest, what: str = "what") -> list[str]:
    """What the list of operations says of each."""
    return [row[what] for row in component(at, "memory")["rows"]]


# --- the notes, for somebody alone ---------------------------------------------------------------------------------


@every_language
def test_a_question_comes_before_its_step_and_the_point_after_it(language: Language) -> None:
    """Made with the button, the step is one place further; what it changes is not told before."""
    first, second, third = list_prompts(LIBRARY["exact"])
    say = get_translations(language)
    at = prepared("exact", 0, language)
    assert said(first, "ask", language) in texts(at)
    assert said(first, "point", language) not in texts(at)
    assert not any(rows(at))
    at = press(at, "sandbox_notes_make_step")
    assert address(at, "at_sandbox") == "1"
    shown = texts(at)
    assert -1 < shown.find(said(first, "point", language)) < shown.find(said(second, "ask", language))
    at = go(at, **{**parameters(at), "at_sandbox": "3"})
    assert said(third, "point", language) in texts(at)
    assert say.text("present.note.finished", total=3) in texts(at)
    assert say.text(get_summary_key("exact")) in texts(at)
    assert "sandbox_notes_make_step" not in keys(at)
    assert all(rows(at))  # nothing is left to be predicted


def parameters(at: AppTest) -> dict[str, str]:
    return {name: address(at, name) for name in at.query_params}


def test_between_the_questions_there_is_a_way_to_the_next() -> None:
    at = press(prepared("preempted"), "sandbox_notes_to_question")
    assert address(at, "at_sandbox") == "5"
    assert said(list_prompts(LIBRARY["preempted"])[0], "ask") in texts(at)


def test_inside_a_step_its_question_stands() -> None:
    """Event by event is a way to the answer too; the point waits for the end of the step."""
    note = list_prompts(LIBRARY["task"])[0]
    at = prepared("task", "1.2")
    assert said(note, "ask") in texts(at)
    assert said(note, "point") not in texts(at)
    assert address(press(at, "sandbox_notes_make_step"), "at_sandbox") == "1"


def test_off_the_prepared_way_there_is_a_way_back() -> None:
    """Another operation than the prepared one makes it the learner's own, without the library's title and questions."""
    scenario = LIBRARY["task"].scenario
    other = encode_scenario(scenario.up_to(1).then(scenario.operations[3]))
    at = task(page="sandbox", sandbox=other)
    title = format_library_title("task", get_translations("en"))
    assert get_translations("en").text("authoring.edited_from", title=title) in unescape(texts(at))
    assert f">{title}<" not in texts(at)
    assert "kv-note" not in texts(at).split("</style>")[-1]
    at = press(at, "sandbox_notes_back")
    assert (parse_scenario(address(at, "sandbox")), address(at, "at_sandbox")) == (scenario, "0")


def test_where_the_log_was_cut_the_step_is_made_again() -> None:
    """Who began over alone has no operations ahead; the button does the prepared one."""
    scenario = LIBRARY["task"].scenario
    at = press(task(page="sandbox", sandbox=encode_scenario(scenario.up_to(2))), "sandbox_notes_make_step")
    assert (parse_scenario(address(at, "sandbox")), address(at, "at_sandbox")) == (scenario.up_to(3), "")
    assert said(list_prompts(LIBRARY["task"])[1], "point") in texts(at)


def test_a_scenario_of_ones_own_has_no_notes() -> None:
    assert "sandbox_notes" not in str(task(page="sandbox").main)


@pytest.mark.parametrize("key", sampled(("single", "preempted"), ("single",)))
def test_a_prepared_scenario_can_be_walked_through(key: str) -> None:
    """Each question and each point is said at its place, presented, with nothing uncovered too early."""
    at = prepared(key, present="on")
    for note in list_prompts(LIBRARY[key]):
        at = go(at, **{**parameters(at), "at_sandbox": str(note.step - 1)})
        assert said(note, "ask") in texts(at)
        assert said(note, "point") not in texts(at)
        at = press(at, "present_reveal") if covered(at) else at
        at = press(at, "present_reveal")
        assert covered(at)
        assert said(note, "point") not in texts(at)
        assert said(note, "point") in texts(press(at, "present_reveal"))


def covered(at: AppTest) -> bool:
    return 'class="kv-placeholder"' in texts(at)


# --- presented -----------------------------------------------------------------------------------------------------


@every_language
def test_the_point_is_covered_until_revealed_and_again_at_the_next_place(language: Language) -> None:
    """Reveal makes the step first, then uncovers; another place and back, and it is covered again."""
    note = list_prompts(LIBRARY["task"])[0]
    at = prepared("task", 0, language, present="on")
    assert not any(rows(at))
    at = press(at, "present_reveal")
    assert (address(at, "at_sandbox"), covered(at)) == ("1", True)
    assert said(note, "point", language) not in texts(at)
    assert get_translations(language).text("present.placeholder_point") in texts(at)
    at = press(at, "present_reveal")
    assert (address(at, "at_sandbox"), covered(at)) == ("1", False)
    assert said(note, "point", language) in texts(at)
    assert at.button(key="present_reveal").disabled
    here = parameters(at)
    at = go(go(at, **{**here, "at_sandbox": "2"}), **here)
    assert covered(at)


def test_a_press_for_another_place_is_ignored() -> None:
    """The button was drawn before the place changed: what comes with the press says so."""
    at = prepared("task", 0, present="on")
    at.query_params["at_sandbox"] = "3"  # the browser's Back, say; the page has not been drawn again
    at = at.button(key="present_reveal").click().run()
    assert address(at, "at_sandbox") == "3"
    assert covered(at)


def test_reset_goes_back_to_the_prepared_state() -> None:
    """To the library's for a log that follows it; an author's own is not replaced on stage by the one it began as."""
    scenario = LIBRARY["twice"].scenario
    own = scenario.up_to(1).then(scenario.operations[2])
    for opened, wanted in ((scenario.up_to(2), scenario), (own, own)):
        at = press(task(page="sandbox", sandbox=encode_scenario(opened), present="on.dark"), "present_reset")
        assert (parse_scenario(address(at, "sandbox")), address(at, "at_sandbox")) == (wanted, "0")
    assert address(at, "present") == "on.dark"


@every_language
def test_the_second_window_gets_every_question_and_the_class_none_too_early(language: Language) -> None:
    """A later question, or its operation alone, would answer an earlier one; so would the answer and the point."""
    say, asked = get_translations(language), list_prompts(LIBRARY["preempted"])
    at = prepared("preempted", 7, language, present="on")
    notes = remarks(at)
    for note, stands in zip(asked, ["asked", "asked", "now", "later", "later", "later"], strict=False):
        (line,) = [line for line in notes if unescape(said(note, "ask", language)) in line]
        assert line.startswith(say.text(f"present.pane.{stands}"))
        assert (said(note, "ask", language) in texts(at)) == (stands == "now")
    votable = find_votable(name_prompt(asked[2]))
    assert votable.list_wrong() != []
    assert f"✓ {votable.format_value(votable.get_answer(), say)}" in notes
    assert unescape(said(asked[2], "point", language)) in notes
    assert said(asked[2], "point", language) not in texts(at)
    assert sum(line.startswith("✗ ") for line in notes) == len(votable.list_wrong())


def remarks(at: AppTest) -> list[str]:
    """What goes to the second window, line by line."""
    return [line for remark in component(at, "present_remarks")["remarks"] for line in remark]


def test_larger_and_smaller_within_limits() -> None:
    """The size is in the address; what was in older links beside it says nothing any more."""
    at = press(prepared("task", 1, present="on.dark.bare"), "present_larger")
    assert address(at, "present") == "on.dark.x115"
    assert "--pkl-zoom: 1.15" in texts(at)
    assert component(at, "memory")["zoom"] == 1.15
    assert address(press(press(at, "present_smaller"), "present_smaller"), "present") == "on.dark.x90"
    largest = prepared("task", 1, present=f"on.x{SIZES[-1]}")
    assert address(press(largest, "present_larger"), "present") == f"on.x{SIZES[-1]}"


@pytest.mark.parametrize(
    ("page", "place", "steps"), [("task", "at", len(PLAN)), ("allocate", "at_allocate", 1), ("append", "at_append", 2)]
)
def test_a_run_is_stepped_without_a_prediction(page: str, place: str, steps: int) -> None:
    """No field comes first; Reveal makes the next step, Reset goes back, and a class can be asked."""
    at = task(page=page, present="on")
    start = component(at, "memory")["at"]
    assert "present_ask" in keys(at)
    assert not at.text_input
    assert not at.radio
    at = press(at, "present_reveal")
    assert int(address(at, place)) == int(start) + 1
    assert len(component(at, "memory")["rows"]) >= steps
    assert remarks(at)
    at = press(at, "present_reset")
    assert address(at, place) == start
    at = press(at, "present_leave")  # a learner answers first, whatever the presenter has looked at
    assert "present_reveal" not in keys(at)
    assert at.warning == []
    assert component(at, "memory")["film"]["places"] == [start] or page != "task"


def test_the_first_lesson_is_stepped_without_answers() -> None:
    at = report(task(page="intuition", present="on"), "5.1", key="player")
    assert address(at, "at_intuition") == "5.1"
    assert component(at, "player")["at"] == "5.1"
    assert not at.radio
    at = press(at, "present_leave")
    assert at.radio


@pytest.mark.parametrize("mode", ["", "on"])
def test_what_lies_behind_the_next_question_has_no_name(mode: str) -> None:
    """That Allocate B comes a second time tells that it is refused the first time. Afterwards all have their names."""
    operations = LIBRARY["whole"].scenario.operations
    named = [format_operation(operation, get_translations("en")) for operation in operations]
    for cursor, many in (("0", 2), ("1", 2), ("2.1", 2), ("2", 4), ("", 4)):
        assert rows(prepared("whole", cursor, present=mode), "name") == [*named[:many], *"…" * (4 - many)]
    other = encode_scenario(LIBRARY["whole"].scenario.up_to(0).then(*reversed(operations)))  # no question fits
    assert "…" not in rows(task(page="sandbox", sandbox=other, at_sandbox="1", present=mode), "name")


def test_what_sums_up_comes_once_the_last_point_is_revealed() -> None:
    """And the answer is not over the question."""
    say = get_translations("en")
    last = say.text("present.note.finished", total=2)
    at = prepared("whole", 3, present="on")
    assert say.text(get_summary_key("whole")) not in texts(at)
    at = press(at, "present_reveal")
    at = press(at, "present_reveal") if address(at, "at_sandbox") == "3" else at
    assert (covered(at), last in texts(at), say.text(get_summary_key("whole")) in texts(at)) == (True, False, False)
    at = press(at, "present_reveal")
    assert (covered(at), last in texts(at), say.text(get_summary_key("whole")) in texts(at)) == (False, True, True)


@every_language
def test_another_of_the_sizes_keeps_the_question(language: Language) -> None:
    """To compare them is what that scenario is for."""
    (note,) = list_prompts(LIBRARY["sizes"])
    for size, kept in ((8, True), (2, False)):
        link = encode_scenario(resize_prepared(LIBRARY["sizes"], size))
        at = task(page="sandbox", sandbox=link, at_sandbox="2", lang=language)
        assert (said(note, "ask", language) in texts(at)) == kept
        say = get_translations(language)
        edited = say.text("authoring.edited_from", title=format_library_title("sizes", say))
        assert (edited in unescape(texts(at))) != kept
        at = go(at, sandbox=link, at_sandbox="3", lang=language)
        assert (get_translations(language).text("present.note.finished_one") in texts(at)) == kept


@pytest.mark.parametrize("text", some(["", "off", "no.dark", "onward", "<b>on</b>"], 2))
def test_anything_else_in_the_address_presents_nothing(text: str) -> None:
    at = task(page="sandbox", present=text)
    assert {"present", "copy_link", "language"} <= keys(at)
    assert "largest" not in component(at, "memory")


def test_what_is_presented_has_no_chrome_and_other_colours() -> None:
    """Neither navigation nor language; pictures in the projector's colours, larger where there is room."""
    at = press(prepared("task", 1, present="on"), "present_contrast")
    assert address(at, "present") == PresenterMode(dark=True).text == "on.dark"
    assert not {"language", "copy_link", "forget", "present"} & keys(at)
    assert "--pkl-paper: #000000" in texts(at)
    data = component(at, "memory")
    assert (data["contrast"], data["largest"] > 1) == (get_projector_colors(True), True)
    at = press(at, "present_contrast")
    assert "--pkl-paper: #ffffff" in texts(at)
    assert component(at, "memory")["contrast"] == get_projector_colors(False)
    at = press(at, "present_leave")
    assert address(at, "present") == ""
    assert {"language", "copy_link", "present"} <= keys(at)
    assert "--pkl-paper" not in texts(at)
    assert "contrast" not in component(at, "memory")
    assert address(press(at, "present"), "present") == "on"


@every_language
def test_the_prediction_of_the_task_is_covered_until_revealed(language: Language) -> None:
    """Its answers and outcomes, and again behind every step."""
    at = task(run=DONE, present="on", lang=language)
    assert (verdicts(at), covered(at)) == ([], True)
    assert get_translations(language).text("present.placeholder_prediction") in texts(at)
    at = press(at, "present_reveal")
    assert (len(verdicts(at)), covered(at)) == (6, False)
    at = report(at, "4")
    assert (verdicts(at), covered(at)) == ([], True)


@pytest.mark.parametrize(("page", "run"), [("allocate", "ten_9@3-7-00_aA"), ("intuition", "10_1.1")])
def test_the_predictions_of_lessons_are_covered_too(page: str, run: str) -> None:
    at = task(page=page, **{page: run})
    plain = len(verdicts(at))
    at = go(at, **{page: run, "present": "on"})
    assert (verdicts(at), covered(at), plain > 0) == ([], True, True)
    assert len(verdicts(press(at, "present_reveal"))) == plain


def test_what_tells_the_verdict_is_covered_with_the_prediction() -> None:
    """The idea behind a wrong answer of the first lesson, and the task's whole Explain part."""
    film = {"intuition": "2.intuition_0s.3t.1t_", "at_intuition": "2.3"}
    for page, link in (("intuition", film), ("task", {"run": DONE, "part": "explain"})):
        at = task(page=page, present="on", **link)
        assert (covered(at), any(sign in texts(at) for sign in "≠✓")) == (True, False)
        at = press(at, "present_reveal")
        assert (covered(at), any(sign in texts(at) for sign in "≠✓")) == (False, True)


@pytest.mark.parametrize("page", some(["start", "append", "share", "code", "quiz", "report", "memory", "library"], 3))
def test_every_page_can_be_presented(page: str) -> None:
    """And left again, whatever it draws."""
    at = task(page=page, present="on")
    assert len(titles(at)) == 1
    assert "present_leave" in keys(at)
    assert address(press(at, "present_leave"), "present") == ""


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_key_has_one_meaning_and_is_listed(language: Language) -> None:
    """The keys of the presenter's bar, of the player and of a lecture."""
    lines = [text for key, text in load_strings(language).items() if key.startswith("present.key.")]
    listed = [key.lower() for line in lines for key in re.findall("`(.+?)`", line)]
    assert len(listed) == len(set(listed))
    script = read_assets("components/presenter/presenter.js")
    pressed = re.findall(r'^\s*"?([^\s":]+)"?: "', script.split("const BUTTONS = {")[1].split("}")[0], re.MULTILINE)
    named = {"escape": "esc", "=": "+"}
    assert {named.get(key, key) for key in pressed} <= set(listed)
    assert not {"j", "k"} & set(pressed)


# --- the colours ---------------------------------------------------------------------------------------------------


def test_a_browser_can_swap_each_colour_for_the_projectors() -> None:
    """tests/figures/test_figures.py has their contrasts."""
    for white in (False, True):
        assert list(get_projector_colors(white)) == [color for _, color in LIGHT.colors()]
