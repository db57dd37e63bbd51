"""What the server sends to one student in a whole question: before the reveal nothing that is right or of others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from lab.quiz.generate import generate
from lab.quiz.words import format_idea
from lessons.classroom.store import Store
from lessons.text.translations import get_translations
from lessons.votable.find import find_votable
from lessons.votable.quiz import QuizVotable
from lessons.votable.votable import Votable
from tests.browser.served import running
from tests.load.classroom import Listener
from tests.load.student import Student
from tests.server.event_loop import in_own_loop

EN = get_translations("en")
ME, OTHER = "a" * 24, "b0b" * 8
TO_TAP = QuizVotable(generate("mark_released", 5, 4, "easy")).spec
CHOICES = (QuizVotable(generate("table", 5, 4, "hard")).spec, "predict.P.consecutive", "library.shared.1")


def has(text: str, heard: list[bytes]) -> bool:
    """Was the text sent? Not as a part of a longer number or name, as in a hash, or of the time in a header."""
    found = re.compile(rb"(?<![\w.])" + re.escape(text.encode()) + rb"(?![\w.]\w)")
    return any(found.search(re.sub(rb"\d\d:\d\d:\d\d", b"", message)) for message in heard)


def find_number() -> str:
    """A question whose right answer is a number that stands in none of its texts."""
    for seed in range(500):
        votable = QuizVotable(generate("cached", seed, 16, "hard"))
        right, texts = str(votable.get_answer()), " ".join([*votable.describe(EN), votable.ask(EN)])
        if len(right) == 2 and right not in texts:
            return votable.spec
    raise AssertionError


def list_secrets(votable: Votable) -> Iterator[str]:
    """What nobody may hear before the reveal, beside the right answer of a number."""
    answers = [votable.get_answer(), *(value for _, value in votable.list_wrong())]
    yield from (votable.explain(value, EN) for value in answers)
    yield from (format_idea(idea, EN) for idea, _ in votable.list_wrong() if idea)
    yield EN.text("quiz_page.engine_said", answer=votable.format_value(votable.get_answer(), EN))
    yield from (EN.text("classroom.votes"), votable.spec, OTHER)
    if votable.question.form == "number":
        yield str(votable.get_answer())


async def play(url: str, store: Store, specs: list[str]) -> None:
    port = urlsplit(url).port or 80
    code, key = store.open_class()
    for who in (ME, OTHER):
        store.join(code, who)
    student, ears = Student(port, "join", "lang=en", {"class_number": ME, "class_joined": code}), Listener()
    leader = Student(port, "class", "lang=en")
    await asyncio.gather(student.open(), leader.open())
    await leader.trigger("class_events", "key", f"{code}.{key}")
    listening = asyncio.create_task(ears.listen(port, f"/class-events/{code}"))
    for number, spec in enumerate(specs, 1):
        votable, student.heard = find_votable(spec), []
        wrong = votable.encode(next(value for _, value in votable.list_wrong()))
        store.take_step(code, key, "ask", spec)
        await leader.draw()
        for step in ("open", "close", "vote_again", "close"):
            await leader.press(f"class_{step}")
            await student.draw()
            if step != "close":
                store.vote(code, OTHER, number, 1 if step == "open" else 2, answer=wrong, sure="sure")
                await student.draw()
        before = [*student.heard, *ears.heard]
        assert has(EN.text("classroom.now.closed_again"), before)  # it listens
        for secret in list_secrets(votable):
            assert not has(secret, before), (spec, secret)
        student.heard = []
        await leader.press("class_reveal")
        await student.draw()
        assert has(
            EN.text("quiz_page.engine_said", answer=votable.format_value(votable.get_answer(), EN)), student.heard
        )
        assert not has(EN.text("classroom.votes"), student.heard)
        assert not has(OTHER, student.heard)
    listening.cancel()
    assert [line for line in ears.heard if b"participants" in line or b"votes" in line] == []
    await asyncio.gather(student.close(), leader.close())


def test_a_student_hears_nothing_right_and_nothing_of_others_before_the_reveal(tmp_path: Path) -> None:
    """A number, marked cells, a choice, a prediction and a step of a scenario, all in one class."""
    database = f"sqlite:///{tmp_path / 'classes.db'}"
    with running("app.py", tmp_path / "log.txt", LAB_DATABASE=database) as server:
        in_own_loop(partial(play, server.url, Store(database), [find_number(), TO_TAP, *CHOICES]))
