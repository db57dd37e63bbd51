"""The pages as Streamlit runs them, without a browser: every state that an address can describe, in both languages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Expander

from lab.activities.question import QUESTIONS
from lab.activities.run import encode_run
from lab.trace.timeline import Timeline
from lessons.activity.course import get_page_file
from lessons.text.sentences import format_event
from lessons.text.translations import Language, get_translations
from tests.links import new, parse_run
from tests.pages.session_state import STORED, come_back, session_of
from tests.player import report, shown_texts
from tests.sample import every_language, sampled, some
from tests.text.emphasis import asterisks_shown

SHELL = Path(__file__).parent.parent.parent / "lessons" / "shell.py"
NUMBERS = {"blocks": "3", "empty_slots": "1", "table_after_check": "1", "last_to_join": "7"}
P = "P3-1-1-0-1-7-000000"
SAYING = {"markdown", "caption", "warning", "info", "success"}
OPERATIONS = ["aA", "aB", "tB", "rA", "rB"]
DONE = new(f"4.used_{P}_{'.'.join(OPERATIONS)}")


def task(locale: str = "en", page: str = "task", *, told: Any = None, url: str = "", **parameters: str) -> AppTest:
    """A session that has opened this page, at a server of this address; `told`: the record that its browser has."""
    at = AppTest.from_file(str(SHELL), default_timeout=60)
    at.context["locale"] = locale
    if url:
        at.context["url"] = url
    if told is not None:
        session_of(at)[STORED] = told
    at._registered_pages = _list_pages()
    return go(at.switch_page(get_page_file(page)), **parameters)


@cache
def _list_pages() -> dict[str, Any]:
    """The pages as `st.navigation` knows them; AppTest learns them by drawing one."""
    return AppTest.from_file(str(SHELL), default_timeout=60).run()._registered_pages


def go(session: AppTest, **parameters: str) -> AppTest:
    """The same session at another address, as by Back and Forward."""
    return sound(come_back(session, **parameters))


def sound(at: AppTest) -> AppTest:
    """The page must have been drawn to its end, with no asterisk left where something should be bold."""
    assert [error.value for error in (*at.exception, *at.error)] == []
    assert [shown for text in said(at) for shown in asterisks_shown(text)] == []
    return at


def press(at: AppTest, key: str) -> AppTest:
    """Click the button and draw again."""
    return sound(at.button(key=key).click().run())


def texts(at: AppTest) -> str:
    """Everything that the page says in words of its own."""
    return "\n".join([*said(at), *(str(e.proto.body) for e in at.get("html"))])


def said(at: AppTest) -> list[str]:
    """Each piece of Markdown on the page, and what its players say."""
    return [*(str(getattr(each, "value", "")) for each in at._tree if each.type in SAYING), *shown_texts(at)]


def titles(at: AppTest) -> list[str]:
    """The page's titles; no heading of the page may bring a link of its own, one stop more for the keyboard."""
    assert all(heading.proto.hide_anchor for heading in (*at.title, *at.header, *at.subheader))
    assert not re.search(r"^#|\n#", "\n".join(str(element.value) for element in at.markdown))
    return [title.value for title in at.title]


def keys(at: AppTest) -> set[str]:
    """Keys of the widgets and components on the page."""
    return {str(key) for element in at.main if (key := getattr(element, "key", None))}


def address(at: AppTest, key: str = "run") -> str:
    """A parameter of the address; empty if it is not there."""
    return "".join(at.query_params.get(key, ""))


def verdicts(at: AppTest) -> list[str]:
    """State of each prediction card: waiting, same or other."""
    return [card.split('"')[0] for card in texts(at).split('class="kv-card ')[1:]]


def events_panel(at: AppTest) -> Expander:
    """What opens and closes over the events of the step in view."""
    return next(each for each in at.expander if getattr(each, "key", "") in ("events_True", "events_False"))


def fill(at: AppTest, **typed: str) -> AppTest:
    """Give the right prediction, but for what is typed here, and press the button."""
    for name, text in {**NUMBERS, **typed}.items():
        at.text_input(key=f"predict.P.{name}").set_value(text)
    for name, choice in (("new_page", 1), ("consecutive", 0)):
        at.radio(key=f"predict.P.{name}").set_value(choice)
    return press(at, "commit")


CASES = ["zh-CN - zh", "zh-Hant-TW - zh", "en-GB - en", "ja-JP - en", "zh-CN en en", "en-GB zh zh", "zh-CN <b> zh"]


@pytest.mark.parametrize("case", some(CASES, 4))
def test_start_speaks_the_address_s_or_the_browser_s_language_and_leads_on(case: str) -> None:
    """Another language does no harm; the button hands on the run and names what it does."""
    (locale, asked), say = case.split()[:2], get_translations("zh" if case.endswith("zh") else "en")
    parameters = {} if asked == "-" else {"lang": asked}
    at = task(locale, "start", **parameters)
    assert (titles(at), at.button(key="go").label) == ([say.text("start.title")], say.text("start.go"))
    at = go(at, run=DONE, **parameters)
    assert at.button(key="go").label == say.text("start.resume")
    at = press(at, "go")
    assert (titles(at), address(at), verdicts(at)) == ([say.text("task.title")], DONE, ["same"] * 6)


def test_start_and_the_shell_need_nothing_heavy() -> None:
    """The first page is there before torch, pandas and Plotly are: run in a new interpreter."""
    lines = ["import sys", "import streamlit", "before = set(sys.modules)"]  # Streamlit itself imports plotly
    for name in ("shell.py", "start/page.py"):
        nodes = ast.walk(ast.parse((SHELL.parent / name).read_text(encoding="utf-8")))
        imports = [ast.unparse(node) for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        assert any("lessons" in line for line in imports)
        lines += [line for line in imports if "__future__" not in line]
    lines += ["print({'torch', 'pandas', 'plotly'} & (set(sys.modules) - before))"]
    lines += ["from streamlit.testing.v1 import AppTest"]  # brings pandas
    lines += ["at = AppTest.from_file(sys.argv[1], default_timeout=60).run()"]
    lines += ["print(len(at.exception), {'torch'} & set(sys.modules))"]
    run = [sys.executable, "-c", "\n".join(lines), str(SHELL)]
    done = subprocess.run(run, cwd=SHELL.parent.parent, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split("\n") == ["set()", "0 set()", ""], done.stderr


def test_the_language_switches_at_any_time_without_losing_anything() -> None:
    """What was typed, what was said about it, the run and the place in it stay."""
    at = fill(task("zh"), last_to_join="abc")
    at = sound(at.segmented_control(key="language").set_value("en").run())
    assert get_translations("en").text("errors.invalid_answer.not_a_number") in texts(at)
    assert [at.text_input(key=f"predict.P.{name}").value for name in NUMBERS] == ["3", "1", "1", "abc"]
    at = go(at, run=DONE, at="3.2", lang="en")
    at = sound(at.segmented_control(key="language").set_value("zh").run())
    assert (address(at), address(at, "at"), address(at, "lang")) == (DONE, "3.2", "zh")
    assert get_translations("zh").text("task.looking_back") in texts(at)


@every_language
def test_run_is_locked_until_a_prediction_is_committed(language: Language) -> None:
    """An empty form is told field by field. Then the form is gone; prediction and operations are in view."""
    at, say = press(task(language), "commit"), get_translations(language)
    for reason, count in (("empty", 4), ("no_choice", 2)):
        assert texts(at).count(say.text(f"errors.invalid_answer.{reason}")) == count
    assert (say.text("task.run_locked") in texts(at), address(at), "operations" in keys(at)) == (True, "", False)
    at.checkbox(key="predict.P.blocks.sure").check()
    assert address(fill(at)) == new("4.used_P3-1-1-0-1-7-100000_")
    assert {"operations", "memory", "commit"} & keys(at) == {"operations", "memory"}
    assert not [*at.text_input, *at.checkbox]
    assert verdicts(at) == ["waiting"] * len(QUESTIONS)
    assert texts(at).count(say.text("task.card.you_sure", answer=3)) == 1
    assert texts(at).count(say.text("task.card.you", answer=7)) == 1
    assert texts(at).count(say.text("task.card.waiting")) == 6


SPOILT = ["", "abc", "-1", "1e9", "3.5", "<b>3</b>", "９９９９", "**3**"]


@pytest.mark.parametrize(("typed", "field"), some(zip(SPOILT, [*NUMBERS] * 2, strict=True), 4))
def test_a_format_error_costs_nothing(field: str, typed: str) -> None:
    """Nothing is committed, every field keeps what was typed, and the form is still open for a better answer."""
    at = fill(task(), **{field: typed})
    assert (address(at), texts(at).count(":red[▲")) == ("", 1)
    assert get_translations("en").text("task.format_note", count=1) in texts(at)
    assert {n: at.text_input(key=f"predict.P.{n}").value for n in NUMBERS} == {**NUMBERS, field: typed}
    assert address(fill(at)) == new(f"4.used_{P}_")


WITNESSES = ("witness", "witness_single")


@pytest.mark.parametrize("turn", sampled(range(3), (0,)))
def test_any_pool_any_block_size_any_order(turn: int) -> None:
    """What is refused is marked as such; on a fresh pool `consecutive` is the witness's, and the page says so.

    Each size with each pool, by turns.
    """
    at, say = task(), get_translations("en")
    orders = ("rA.aB.aA.tB.rB.rB.rA", "aA.aB.tB.rA.rB.aA.aA", "tB.aA.aB.tB.tA.tB.tB.tB")
    queues = ("used", "fresh", "3-1-0-2-4")
    for size, order, queue in zip((1, 5, 16), orders, (*queues[turn:], *queues[:turn]), strict=True):
        run = parse_run(f"{size}.{queue}_{P}_{order}")
        at = go(at, run=encode_run(run))
        assert (at.warning.len, len(verdicts(at))) == (0, 6)
        refusal = Timeline.replay(run.config, run.operations).steps[-1].refusal
        assert (say.text("task.refused_mark") in events_panel(at).label) is (refusal is not None)
        assert refusal is None or f"<strong>{escape(format_event(refusal, say))}</strong>" in texts(at)
    assert verdicts(go(at, run=f"4.fresh_{P}_aA")) == ["same", "same", "waiting", "same", "waiting", "waiting"]
    assert say.text("task.witness", here="0, 1, 2", there="7, 2, 14") in texts(at)
    at = go(at, run=f"16.used_{P}_aA")  # one block: nothing to be next to
    assert say.text("task.witness_single", here="7", there="7, 2, 14") in texts(at)
    at = go(at, run=f"4.used_{P}_aA")  # this run settles it itself
    assert not any(say.text(f"task.{name}", here="|", there="|").split("|")[2] in texts(at) for name in WITNESSES)


@every_language
def test_a_link_without_a_prediction_is_a_demonstration(language: Language) -> None:
    """One may look and step, not operate; `try it yourself` opens the same pool with nothing done."""
    at = task(language, run="4.fresh__aA.aB")
    assert get_translations(language).text("task.demo") in texts(at)
    assert not {"operations", "commit"} & keys(at)
    at = press(report(at, "1"), "try_yourself")
    assert (address(at), address(at, "at"), "commit" in keys(at)) == (new("4.fresh__"), "", True)


BAD_LINKS = ["<script>alert(1)</script>", "4.used_", "4.used__aC", "4.used__aA\x00", "17.used__", "0.fresh__aA"]
BAD_LINKS += ["x" * 9000, "4.used__[a](javascript:alert(1))", "٤.used__aA", "\u202e4.used__", "4.0-0__aA"]
BAD = [{"run": run} for run in BAD_LINKS]
BAD += [{"run": DONE, "at": place} for place in ("6", "3.99", "-1", "<b>", "٣", "1" * 999)]


@every_language
def test_a_link_that_cannot_be_read_says_so_and_gives_the_default_task(language: Language) -> None:
    """Never a traceback, never an echo of what it held; and one can go on from there."""
    at, lead = task(language), get_translations(language).text("task.link_problem", reason="|").split("|")[0]
    default = [element.value for element in at.markdown]
    for parameters in BAD:
        at = go(at, **parameters)
        assert [warning.value.startswith(lead) for warning in at.warning] == [True], parameters
        assert not any(spoilt in at.warning[0].value for spoilt in ("<", "alert", "\u202e", "xxx", "111"))
        assert [element.value for element in at.markdown] == default
    assert (address(fill(at)), address(at, "at"), at.warning.len) == (new(f"4.used_{P}_"), "", 0)
