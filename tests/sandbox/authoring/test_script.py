"""An author's words: texts in one language or both, questions that the engine answers, a library scenario edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from lab.engine.errors import InvalidLinkError, LabError
from lab.sandbox.editing import Entry
from lab.sandbox.errors import AuthorTextTooLongError, CalledAlikeError
from lab.sandbox.history import History
from lab.sandbox.key_questions import KeyQuestion, build_key_question, get_about
from lab.sandbox.library import (
    LIBRARY,
    adopt_questions,
    find_prepared,
    get_prompt_after,
    get_prompt_before,
    inherit_questions,
    list_prompts,
)
from lab.sandbox.link import MAX_LINK, encode_scenario
from lab.sandbox.log import list_steps
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.sandbox.script import ABOUT, LIMITS, NO_TEXT, AuthorPrompt, BilingualText, Script, list_kinds
from lab.sandbox.script_link import decode_text, encode_text
from lab.trace.events import AllocateChecked, AppendChecked
from lab.trace.operations import Append, Release, parse_operation
from lab.trace.timeline import Timeline
from lessons.sandbox.sentences import format_undo
from lessons.text.scenario_texts import (
    format_ask,
    format_origin,
    format_point,
    format_step,
    format_title,
)
from lessons.text.scenario_words import ScenarioWords
from lessons.text.translations import LANGUAGES, get_translations
from lessons.votable.find import find_votable
from lessons.votable.key_step import name_prompt
from lessons.votable.votable import MAX_SPEC
from tests.links import parse_scenario

OPERATIONS = tuple(map(parse_operation, ["aA", "aB", "tB", "kA", "cA", "mA", "rA", "aC"]))
REQUESTS = (RequestSpec("A", 11), RequestSpec("B", 4, "A", 8), RequestSpec("C", 60))


def write(*prompts: AuthorPrompt, title: BilingualText = NO_TEXT, **changes: object) -> Scenario:
    """A scenario with these prompts."""
    made = Scenario(16, 4, "used", REQUESTS, OPERATIONS, script=Script(title, prompts=prompts))
    return replace(made, **changes)  # type: ignore[arg-type]


def ask(scenario: Scenario) -> KeyQuestion:
    """The engine's question of the first key step."""
    prepared = find_prepared(scenario)
    assert prepared is not None
    asked = build_key_question(list_prompts(prepared)[0])
    assert asked is not None
    return asked


def test_a_missing_language_falls_back_to_the_other() -> None:
    """And what is written in both is shown in the page's."""
    prompt = AuthorPrompt(
        1, "", BilingualText("Which?"), BilingualText(zh="这些。"), BilingualText("Slowly.", "慢慢来。")
    )
    scenario = write(prompt, title=BilingualText(zh="我的"))
    for language in LANGUAGES:
        words, asked = ScenarioWords(language, scenario), get_prompt_before(scenario, 0)
        assert asked is not None
        assert (format_title(scenario, words), format_ask(asked, words)) == ("我的", "Which?")
        assert format_point(asked, words) == "这些。"
        assert scenario.script.find(1).remark.get(language) == {"en": "Slowly.", "zh": "慢慢来。"}[language]
        assert get_about(asked) is None
        assert build_key_question(asked) is None


@pytest.mark.parametrize("name", LIMITS)
def test_every_text_has_its_limit(name: str) -> None:
    """In either language; at the limit it is kept."""
    kind: Callable[..., object] = Script if name in ("title", "sentence") else partial(AuthorPrompt, 1)
    for language in LANGUAGES:
        kind(**{name: BilingualText(**{language: "x" * LIMITS[name]})})
        with pytest.raises(AuthorTextTooLongError) as refused:
            kind(**{name: BilingualText(**{language: "x" * (LIMITS[name] + 1)})})
        assert refused.value.numbers == {"name": name, "characters": LIMITS[name] + 1, "limit": LIMITS[name]}


def test_no_two_requests_are_called_the_same() -> None:
    """Not even in another case, nor like another's letter."""
    for called in ("system", "System", "a"):
        with pytest.raises(CalledAlikeError):
            write(requests=(replace(REQUESTS[0], called="system"), replace(REQUESTS[1], called=called), REQUESTS[2]))


@pytest.mark.parametrize(
    ("about", "step"),
    [(about, step.first) for about in ABOUT for step in list_steps(OPERATIONS, ()) if about in list_kinds(step)],
)
def test_every_question_is_answered_by_a_run(about: str, step: int) -> None:
    """Compared with a fresh run, by other means where there are any; every wrong option is another answer."""
    asked = ask(write(AuthorPrompt(step, about)))  # type: ignore[arg-type]
    ran = Timeline.replay(asked.config, asked.operations).steps[-1]
    view = ran.after.sequence(ran.operation.seq_id)
    if about == "refused":
        assert asked.answer == ("refused" if ran.refusal else "accepted")
    elif ran.refusal is not None and about in ("table", "empty"):
        assert asked.answer == "refused"
    elif about == "empty":
        assert view is not None
        assert asked.answer == f"n.{len(view.block_table) * 4 - view.used_slots}"
    elif about == "needed":
        (checked,) = [each for each in ran.events if isinstance(each, AllocateChecked | AppendChecked)]
        assert asked.answer == f"n.{checked.needs}"
        taken = len(ran.before.free_block_ids) - len(ran.after.free_block_ids)
        assert ran.refusal or about == "check" or taken in (0, checked.needs)
    assert len(asked.options) == len({*asked.choices}) >= 2
    assert asked.answer in asked.choices
    assert asked.answer not in [option for _, option in asked.wrong]


def test_whose_table_holds_a_block_after_a_release() -> None:
    """B still holds what it shares with A; that the release frees it is a named wrong idea."""
    asked = ask(write(AuthorPrompt(7, "owner")))
    assert asked.answer == "names.B"
    assert ("released_at_first", "nobody") in asked.wrong


def test_a_refused_allocate_can_be_asked_about() -> None:
    """C needs more blocks than there are."""
    assert ask(write(AuthorPrompt(8, "table"))).answer == "refused"
    assert ask(write(AuthorPrompt(8, "needed"))).answer == "n.15"


def test_an_edited_library_scenario_is_its_authors_own() -> None:
    """Without the library's title and texts; the questions whose operations stayed are kept, and the engine answers."""
    library = LIBRARY["task"].scenario
    longer = inherit_questions(
        replace(library, requests=(replace(library.requests[0], own=12), *library.requests[1:])), library
    )
    for language in LANGUAGES:
        words = get_translations(language)
        assert format_title(library, words) != format_title(longer, words) == words.text("authoring.untitled")
        assert format_title(library, words) in format_origin(longer, words)
        assert not format_origin(library, words)
        for prompt in list_prompts(find_prepared(longer) or LIBRARY["task"]):
            assert format_ask(prompt, words) == find_votable(name_prompt(prompt)).ask(words)
    assert [prompt.step for prompt in longer.script.prompts] == [1, 3, 4]
    assert inherit_questions(library.up_to(2), library).script == Script()  # shorter is still the library's
    other = inherit_questions(library.up_to(2).then(Release("A")), library)
    assert [prompt.step for prompt in other.script.prompts] == [1]
    assert get_prompt_after(other, 1) is not None
    named = replace(library, script=Script(BilingualText("Mine")))
    assert format_title(named, get_translations("en")) == "Mine"


def test_a_title_alone_keeps_the_librarys_questions() -> None:
    """What an author begins with has them, each with what the engine answers; what an author wrote stays as it is."""
    library = LIBRARY["shared"].scenario
    given = adopt_questions(library).script
    assert [(prompt.step, prompt.about) for prompt in given.prompts] == [(2, "table"), (3, "joined"), (4, "joined")]
    named = replace(library, script=replace(given, title=BilingualText("Mine")))
    assert [prompt.step for prompt in list_prompts(find_prepared(named) or LIBRARY["task"])] == [2, 3, 4]
    assert adopt_questions(named) is named
    left = replace(library, operations=library.operations[:1])
    assert not adopt_questions(left.then(Release("A"))).script  # an old link's, which had none


def test_an_inserted_step_moves_the_librarys_questions_and_undo_names_it() -> None:
    """Each stays with its step; nothing was cut off."""
    history, say = History.of(LIBRARY["shared"].scenario, 2), get_translations("en")
    after = history.did(Entry(Append("A"), "decode", 3), keep_rest=True)
    assert [(prompt.step, prompt.about) for prompt in after.scenario.script.prompts] == [
        (2, "table"),
        (9, "joined"),
        (10, "joined"),
    ]
    step = after.scenario.steps[2]
    assert format_undo(after, say) == say.text("sandbox.undo_added", operations=format_step(step, say), count=0)


def test_an_old_link_that_had_left_its_scenario_opens_as_before() -> None:
    """Same run, no question; only the library's title is gone."""
    old = "2.sandbox.16.4.used.task_A.n12_B.n4__aA.aB-1".replace("-1", "")
    opened = parse_scenario(old)
    assert (opened.key, opened.script) == ("task", Script())
    assert get_prompt_before(opened, 0) is None
    assert encode_scenario(opened) == old


@pytest.mark.parametrize("text", ["Hi", "你好，世界", "a你", "🙂", "é" * 40])
def test_texts_in_links_come_back_in_the_shorter_encoding(text: str) -> None:
    """A Chinese character takes under 3 characters of the address."""
    assert decode_text(encode_text(text)) == text
    assert len(encode_text("字" * 60)) <= 1 + 60 * 8 / 3
    assert len(encode_text("x" * 60)) == 1 + 80


@pytest.mark.parametrize(
    "part",
    [
        *("x", "x.te", "x.teuSGk.teuSGk", "x.aeuSGk", "q0.aeuSGk", "q1", "q1.kcolour", "q1.ktable.ktable", "q1.teuSGk"),
        *("q99.ktable", "q1.aeu!", "q1.aevSGk", "q1.aeuSGl", "q1.aeuSGk.ktable", "q3.ktable_q1.ktable", "y"),
        "q1.ktable_q1.kempty",
    ],
)
def test_a_link_with_a_spoilt_script_is_refused(part: str) -> None:
    """By a typed error, as everywhere."""
    good = encode_scenario(write(AuthorPrompt(1, "table")))
    assert parse_scenario(good).script.prompts
    with pytest.raises(LabError):
        parse_scenario(good.replace("q1.ktable", part))


def test_a_long_question_is_sent_to_a_class_without_the_words_that_do_not_fit() -> None:
    """The engine's question is always sent; the notes for oneself never are."""
    long, words = BilingualText("x" * 600, "字" * 600), get_translations("en")
    for point, kept in ((BilingualText("short"), True), (long, False)):
        scenario = write(
            AuthorPrompt(1, "table", BilingualText("Which?"), point, BilingualText("secret")), title=BilingualText("T")
        )
        prompt = get_prompt_before(scenario, 0)
        assert prompt is not None
        spec = name_prompt(prompt)
        votable = find_votable(spec)
        assert len(spec) <= MAX_SPEC
        assert encode_text("secret") not in spec
        assert (votable.spec, votable.name(words)) == (spec, words.text("classroom.key_name", title="T", number=1))
        assert (votable.is_plain, votable.describe(words)) == (True, ["Which?"])
        assert (votable.explain("", words) == point.get("en")) == kept
        assert votable.grade(votable.get_answer()).right
    with pytest.raises(InvalidLinkError):
        find_votable("scenario.1." + encode_scenario(write(AuthorPrompt(1, "", BilingualText("Plain?")))))
    assert MAX_LINK < MAX_SPEC + 1
