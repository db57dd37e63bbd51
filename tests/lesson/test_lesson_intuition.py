"""The first lesson's page without a browser: gates, data sent before and after an answer, links, the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lab.activities import old_links
from lab.activities.intuition.outcomes import observe_outcome
from lab.activities.intuition.progress import QUESTIONS, IntuitionView
from lessons.intuition.questions import format_option, format_values
from lessons.text.translations import Language, get_translations
from tests import player
from tests.links import saved
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address, go, keys, press, sound, task, texts, verdicts
from tests.sample import every_language, some

END = "01-20-11_5.13"
BY_ID = {question.id: question for question in QUESTIONS}
SECRETS = {"where": "[9, 4, 13]", "returns": "2 → 1"}  # what the captions of the scenes behind a gate tell


def in_view(at: AppTest) -> str:
    """What the address shows, in the words of earlier links: answers, scene and frame."""
    attempt, place = old_links.read(address(at, "intuition"), "intuition")
    view = IntuitionView.read(attempt, address(at, "at_intuition") or place)
    return "-".join(f"{each.number}{int(each.is_sure)}" for each in view.answers) + f"_{view.place}"


def intuition(language: Language = "en", record: dict[str, Any] | None = None, **parameters: str) -> AppTest:
    """A session at the lesson, whose browser has this record."""
    return task(language, "intuition", told={} if record is None else record, **parameters)


def sent(at: AppTest) -> str:
    """All data sent to the player; empty if there is none."""
    return "".join(str(each.proto) for each in at.get("bidi_component") if each.proto.id.endswith("-player"))


def reel(at: AppTest) -> dict[str, Any]:
    """The frames in that data."""
    found: dict[str, Any] = player.sent(at, "player")["film"]
    return found


def scenes(at: AppTest) -> set[int]:
    """The scenes of which the browser has frames, or knows places."""
    film = reel(at)
    assert list(film["frames"]) == film["places"]
    return {int(place.split(".")[0]) for place in film["places"]}


def choose(at: AppTest, question: str, option: int, *, sure: bool = False) -> AppTest:
    """Answer the question in view and commit."""
    at.radio(key=f"intuition.{question}").set_value(BY_ID[question].choices[option])
    if sure:
        at.checkbox(key=f"intuition.{question}.sure").check()
    return press(at, "commit")


@every_language
def test_nothing_moves_before_the_first_answer(language: Language) -> None:
    """Only the question is there. Without a choice nothing is committed, and the page says so."""
    at, say = intuition(language), get_translations(language)
    assert (sent(at), address(at, "intuition")) == ("", "")
    assert at.radio(key="intuition.contiguous").label == say.text("intuition.question.contiguous")
    at = press(at, "commit")
    assert say.text("errors.invalid_answer.no_choice") in texts(at)
    assert (sent(at), address(at, "intuition")) == ("", "")
    at = choose(at, "contiguous", 0, sure=True)
    assert in_view(at) == "01_1.1"
    assert sent(at)
    assert verdicts(at) == ["waiting"]


@every_language
def test_the_frames_behind_a_gate_are_not_sent_before_its_answer(language: Language) -> None:
    """Not even in the component's data. The form appears at the last open frame."""
    say, at = get_translations(language), choose(intuition(language), "contiguous", 1)
    for question, last in (("where", 2), ("returns", 4)):
        assert scenes(at) == set(range(1, last + 1))
        assert SECRETS[question] not in sent(at) + texts(at)
        assert f"intuition.{question}" not in keys(at)
        assert say.text("intuition.not_yet", scene=last + 1) in texts(at)
        at = press(at, "to_question")
        assert f"intuition.{question}" in keys(at)
        assert SECRETS[question] not in sent(at) + texts(at)
        at = choose(at, question, BY_ID[question].place({"where": "head", "returns": "last"}[question]))
    assert scenes(at) == {1, 2, 3, 4, 5}
    assert SECRETS["returns"] in json.dumps(reel(at), ensure_ascii=False)
    assert in_view(at) == "10-20-10_5.1"


def test_outcomes_come_with_what_has_been_seen() -> None:
    """An outcome appears once its frame was in view; that of the opening question at the end."""
    at = intuition(intuition="10-20_3.4")
    assert verdicts(at) == ["waiting", "waiting"]
    for place, seen in (("3.5", ["waiting", "same"]), ("4.1", ["waiting", "same"])):
        assert verdicts(go(at, intuition=f"10-20_{place}")) == seen
    for place, seen in (("5.10", ["waiting", "same", "waiting"]), ("5.11", ["waiting", "same", "same"])):
        assert verdicts(go(at, intuition=f"10-20-10_{place}")) == seen
    assert verdicts(go(at, intuition="10-20-10_5.13")) == ["same"] * 3
    assert verdicts(go(at, intuition="00-00-00_5.13")) == ["other"] * 3


@every_language
def test_every_other_answer_is_met_with_its_idea(language: Language) -> None:
    """Each wrong option has its own sentence with the run's numbers."""
    say, at, met = get_translations(language), intuition(language), set()
    for question in QUESTIONS:
        for option in question.options:
            chosen = [option.id if each == question else observe_outcome(each) for each in QUESTIONS]
            given = [each.place(option_id) for each, option_id in zip(QUESTIONS, chosen, strict=True)]
            at = go(at, intuition=f"{'-'.join(f'{each}0' for each in given)}_5.13")
            boxes = [each.value for each in at.markdown if each.value.startswith("≠")]
            assert len(boxes) == (option.id != observe_outcome(question)), (question.id, option.id)
            if boxes:
                idea = say.text(f"intuition.idea.{question.id}_{option.idea}", **format_values(say))
                assert boxes == [f"≠ {idea}"]
                met.add(boxes[0])
    assert len(met) == sum(len(question.options) - 1 for question in QUESTIONS)


@every_language
def test_an_idea_is_told_as_soon_as_its_answer_has_been_seen(language: Language) -> None:
    """Below its card, not after all scenes. Run beside the engine, it shows only what has been seen."""
    say, at = get_translations(language), intuition(language)

    def boxes() -> list[str]:
        return [each.value for each in at.markdown if each.value.startswith("≠")]

    idea = {
        name: say.text(f"intuition.idea.{name}_{each.options[0].idea}", **format_values(say))
        for name, each in BY_ID.items()
    }
    told: dict[str, tuple[str, ...]] = {"00-00_3.4": (), "00-00_3.5": ("where",), "00-00_4.1": ("where",)}
    told |= {"00-00-00_5.10": ("where",), "00-00-00_5.11": ("where", "returns"), "00-00-00_5.13": tuple(BY_ID)}
    for place, expected in told.items():
        at = go(at, intuition=place)
        assert boxes() == [f"≠ {idea[name]}" for name in expected], place
    at = go(at, intuition="00-00_4.1")
    at.session_state["my_way_where"] = True
    at = sound(at.run())
    release, allocate = (say.text(f"task.op_{name}", seq_id="A") for name in ("release", "allocate"))
    assert allocate in texts(at)
    assert release not in texts(at)


@every_language
def test_the_end_asks_again_and_leads_on(language: Language) -> None:
    """The first answer, the learner's text before the lab's, what the learner knows now, the next lesson."""
    say, at = get_translations(language), intuition(language, {"intuition": END, "done": ["intuition"]}, intuition=END)
    first = format_option(QUESTIONS[0], "yes", say)
    assert say.text("intuition.first_answer.own_sure", answer=first) in texts(at)
    ours = say.text("intuition.why", **format_values(say))
    assert ours not in texts(at)
    at.text_area(key="own.intuition").set_value("Because of the table.")
    at = press(at, "compare")
    assert ours in texts(at)
    assert session_of(sound(at.run()))[STORED]["own_words"]["intuition"] == "Because of the table."
    assert say.text("intuition.able").strip() in texts(at)
    assert "next_lesson" in keys(at)
    at = go(at, intuition="01-20-11_1.1")  # looking back does not take the end away
    assert "next_lesson" in keys(at)
    at = go(at, intuition="00-20-11_1.1")  # somebody else's answers do not have it
    assert "next_lesson" not in keys(at)
    assert say.text("task.card.in_link", answer=first) in texts(at)


def test_an_answer_is_given_once() -> None:
    """At the beginning the form is not offered again. Resuming restores the answers, starting over forgets them."""
    say, at = get_translations("en"), choose(intuition(), "contiguous", 0)
    assert session_of(sound(at.run()))[STORED]["attempts"] == saved("00_1.1", key="intuition")["attempts"]
    at = go(at)
    assert say.text("intuition.answered_before") in [info.value for info in at.info]
    assert "commit" not in keys(at)
    assert in_view(press(at, "resume")) == "00_1.1"
    at = press(at, "start_over_yes")
    assert (address(at, "intuition"), "commit" in keys(at), sent(at)) == ("", True, "")
    at = choose(at, "contiguous", 1)
    assert in_view(at) == "10_1.1"


def test_an_old_form_does_not_answer_again() -> None:
    """Another tab has answered in the meantime, so this press is ignored."""
    at = intuition()
    session_of(at)["record"] = saved("00_1.1", key="intuition")
    assert address(choose(at, "contiguous", 1), "intuition") == ""


@pytest.mark.parametrize("kept", some([7, "x", "01-20-11_5.13<b>", None, [], {}, "01_1.99"], 2))
def test_an_edited_record_does_no_harm(kept: object) -> None:
    """It counts as empty, and the learner can go on."""
    at = intuition(record={"intuition": kept, "own_words": kept, "done": kept})
    assert at.warning.len == 0
    at = go(at, intuition=END)
    assert sent(at)


@pytest.mark.parametrize(
    ("kept", "there"),
    [("10-30-20_5.99", "10-30-20_5.1"), ("10_1.99", "10_1.1"), ("10-20_3.4", "10-20_3.1")],
)
def test_going_on_leads_to_a_picture_that_there_is(kept: str, there: str) -> None:
    """Where the last answer leads, whatever frame an earlier record names."""
    at = intuition(record={"intuition": kept})
    at = press(at, "resume")
    assert at.warning.len == 0
    assert in_view(at) == there
    assert sent(at)


@pytest.mark.parametrize(
    "text", some(["x", "11_3.1", "11_1.99", "01-20-11_5.14", "<script>", "11_1.1\x00", "9" * 3000], 3)
)
@every_language
def test_a_link_that_cannot_be_read_says_so(language: Language, text: str) -> None:
    """The page begins anew and does not echo the link."""
    at, lead = (
        intuition(language, intuition=text),
        get_translations(language).text("site.link_problem", reason="|").split("|")[0],
    )
    assert [warning.value.startswith(lead) for warning in at.warning] == [True]
    assert not any(spoilt in at.warning[0].value for spoilt in ("<", "99", "_"))
    assert (sent(at), "commit" in keys(at)) == ("", True)


def test_the_picture_in_view_is_also_a_table() -> None:
    """With the run's numbers: B holds 9, 4 and 1 after A's release."""
    at = intuition(intuition="01-20-11_5.9")
    at.session_state["film_table"] = True
    at = sound(at.run())
    (table,) = at.table
    assert list(table.value.iloc[:, 0])[:3] == [1, 4, 6]
