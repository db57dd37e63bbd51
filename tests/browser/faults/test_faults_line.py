"""The line between browser and server is cut in the middle of a run, or the server dies: all goes on from there."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lab.activities.attempt import parse_log
from lab.quiz.round import Round, play_turns
from lab.quiz.words import format_option
from lab.trace.operations import encode_operation
from lessons.text.translations import LANGUAGES, get_translations
from tests.browser.idle import wait_until_idle
from tests.browser.room import LOST, P, Room, stored
from tests.browser.served import Server, running
from tests.browser.steps import COMMITTED, operations, outcomes, parameter, press
from tests.links import encode_round, parse_round, parse_run, saved

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.once
say = get_translations("en")
ROUND = Round(473, 4, "easy", 5)  # its first question is one of choice


@contextmanager
def forgetful(folder: Path) -> Iterator[Server]:
    """The lab, whose sessions end with their connection."""
    with running("app.py", folder / "log.txt", STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL="0") as server:
        yield server


def wait_for_operations(page: Page, text: str, **more: object) -> None:
    """Wait until the address holds these operations, and everything has come to rest; it is still these.

    `more`: what else is stored.
    """
    page.wait_for_function("t => new URL(location).searchParams.get('run').split('_')[2] === t", arg=text)
    page.locator(".pkl-operations:not(.pkl-pending)").wait_for()
    wait_until_idle(page)
    assert operations(page) == [encode_operation(each) for each in parse_log(text)]
    assert stored(page) == saved(P + text) | more
    assert (outcomes(page).first.text_content() or "").startswith("✓")
    ours = [get_translations(code).text("task.card.you_sure", answer=3) for code in LANGUAGES]
    assert page.locator(".kv-card .a").first.text_content() in ours


def choose_first(page: Page) -> None:
    """Choose the right option of the round's first question, and how sure one is; nothing is sent but the choices."""
    question = play_turns(ROUND)[0].question
    right = next(option for option in question.options if option.id == question.answer)
    for name in (format_option(right, say), say.text("quiz_page.sure.think")):
        page.get_by_role("radio", name=name, exact=True).locator("xpath=ancestor::label").click()


def submit(page: Page) -> Round:
    """Press the button once; the round is then one answer further, and so is the record."""
    page.get_by_role("button", name=say.text("quiz_page.submit"), exact=True).click()
    page.get_by_role("heading", name=say.text("quiz_page.right")).wait_for()
    wait_until_idle(page)
    assert parameter(page, "quiz") in stored(page)["attempts"].values()
    return parse_round(parameter(page, "quiz"))


def press_while_cut(pages: list[Page], task: Page, operation: str) -> None:
    """Everybody has lost the connection; an operation is pressed all the same."""
    for page in pages:
        page.wait_for_function(LOST)
    task.locator(f'button[data-operation="{operation}"]').click()


def wait_for_complaint(page: Page) -> None:
    """Streamlit says that the server does not answer: it has tried for long."""
    page.get_by_role("dialog").wait_for(timeout=60_000)


@pytest.mark.thorough
def test_a_cut_line(server: Server, behind_wire: Callable[[Server], Room]) -> None:
    """Cut shortly, then for so long that Streamlit complains: what was pressed meanwhile happens once, by itself."""
    room = behind_wire(server)
    task, quiz = room.come(COMMITTED), room.come(f"/quiz?quiz={encode_round(ROUND)}")
    press(task, "aA")
    choose_first(quiz)
    wait_until_idle(quiz)
    wait_until_idle(task)

    room.line.cut()
    press_while_cut([task, quiz], task, "aB")
    room.line.wait_for_refused()
    room.line.mend()
    wait_for_operations(task, "aA.aB")

    room.line.cut()
    press_while_cut([task, quiz], task, "tB")
    for page in (task, quiz):
        wait_for_complaint(page)
    room.line.mend()
    wait_for_operations(task, "aA.aB.tB")
    wait_until_idle(quiz)
    assert task.get_by_role("dialog").count() == quiz.get_by_role("dialog").count() == 0
    assert len(submit(quiz).answers) == 1


@pytest.mark.thorough
def test_an_answer_that_is_lost_on_its_way(server: Server, behind_wire: Callable[[Server], Room]) -> None:
    """The server has done it, the browser does not hear of it: it is done once. So it is on a slow line.

    Those that are pressed while the line is slow wait for it, and each is done once too.
    """
    room = behind_wire(server)
    task = room.come(COMMITTED)
    stream = room.line.streams[-1]
    room.line.hold(stream)
    task.locator('button[data-operation="aA"]').click()
    room.line.wait_for_answer(stream)
    room.line.cut()
    task.wait_for_function(LOST)
    room.line.mend()
    wait_for_operations(task, "aA")

    stream = room.line.streams[-1]
    room.line.hold(stream)
    task.evaluate("() => document.querySelectorAll('button[data-operation]').forEach(each => each.click())")
    pressed = task.locator("button[data-operation]").evaluate_all("all => all.map(each => each.dataset.operation)")
    room.line.wait_for_answer(stream)
    task.get_by_text(say.text("site.lang_zh"), exact=True).click()  # sent with the address from before the press
    room.line.hold(stream, held=False)
    task.wait_for_url("**lang=zh*")
    task.get_by_role("heading", name=get_translations("zh").text("task.run_title"), exact=True).wait_for()
    wait_for_operations(task, f"aA-2.{'.'.join(pressed[1:])}", done=["run"])


@pytest.mark.thorough
def test_a_session_that_the_server_has_forgotten(tmp_path: Path, behind_wire: Callable[[Server], Room]) -> None:
    """The cut outlasts the session, in the middle of a run, of a round, of a form: one press is enough to go on."""
    with forgetful(tmp_path) as server:
        room = behind_wire(server)
        task, quiz = room.come(COMMITTED), room.come(f"/quiz?quiz={encode_round(ROUND)}")
        form = room.come("/task", {"done": ["x"]})
        form.get_by_label(say.text("task.question.blocks")).fill("3")
        form.keyboard.press("Tab")
        press(task, "aA")
        choose_first(quiz)
        for page in (task, quiz, form):
            wait_until_idle(page)
        room.line.cut()
        press_while_cut([task, quiz, form], task, "aB")
        room.line.wait_for_refused()
        room.line.mend()
        wait_for_operations(task, "aA.aB")
        wait_until_idle(quiz)
        assert len(submit(quiz).answers) == 1
        wait_until_idle(form)
        assert form.get_by_label(say.text("task.question.blocks")).input_value() == "3"
        form.get_by_role("button", name=say.text("task.commit")).click()
        form.get_by_text(say.text("task.format_note", count=5)).wait_for()
        assert stored(form) == {"done": ["x"]}


@pytest.mark.thorough
def test_a_server_that_is_killed_and_started_again(tmp_path: Path, behind_wire: Callable[[Server], Room]) -> None:
    """At the same address. Who was in the middle of a run has all of it, and its record."""
    with ExitStack() as stack:
        first = stack.enter_context(forgetful(tmp_path))
        room = behind_wire(first)
        task, quiz = room.come(COMMITTED), room.come(f"/quiz?quiz={encode_round(ROUND)}")
        press(task, "aA")
        choose_first(quiz)
        for page in (task, quiz):
            wait_until_idle(page)
        os.kill(first.pid, signal.SIGKILL)
        press_while_cut([task, quiz], task, "aB")
        second = tmp_path / "second"
        second.mkdir()
        server = stack.enter_context(forgetful(second))
        room.line.server_port = int(server.url.rpartition(":")[2])
        wait_for_operations(task, "aA.aB")
        wait_until_idle(quiz)
        assert len(submit(quiz).answers) == 1
        assert parse_run(parameter(task, "run")).is_predicted
