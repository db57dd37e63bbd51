"""Sharing a state of the sandbox: link, QR code, file, saved scenarios; and broken links."""

from __future__ import annotations

import ast
import re
from base64 import b64encode
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import segno
from hypothesis import given, settings
from streamlit.testing.v1 import AppTest

from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.files import read_file, write_file
from lab.sandbox.library import LIBRARY
from lab.sandbox.link import MAX_LINK, encode_scenario
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario, State
from lessons.sandbox.attempt import DEFAULT
from lessons.text.scenario_texts import format_library_title
from lessons.text.sentences import format_list
from lessons.text.translations import Language, get_translations, load_strings
from lessons.widgets.qr_code import LONG, MOST, build_link, build_qr_code, build_qr_html
from tests.links import new, parse_scenario
from tests.pages.session_state import STORED, session_of
from tests.pages.test_pages import address as parameter
from tests.pages.test_pages import go, keys, press, sound, task, texts, titles
from tests.player import read_data
from tests.sample import every_language, examples, some
from tests.sandbox.sandbox_cases import states

PAGE = "https://lab.example.org/course/7/sandbox"
PREPARED = encode_scenario(LIBRARY["task"].scenario)
OWN = new("1.16.4.used_A.n11_aA.tA-3", "sandbox")
LONGER = Scenario(64, 16, "used", tuple(RequestSpec(name, "ab " * 100) for name in "ABCDEFG"))  # than any link


def sandbox(language: Language = "en", kept: object = None, **parameters: str) -> AppTest:
    """A session on the page, at an address behind a proxy."""
    told = {} if kept is None else {"scenarios": kept}
    return task(language, "sandbox", told=told, url=f"{PAGE}?left=over#there", **parameters)


def in_code(at: AppTest) -> dict[str, str]:
    """The parameters of the link under the QR code, each of them once."""
    return {key: value for key, (value,) in parse_qs(urlsplit(scanned(at)).query).items()}


def instead(at: AppTest, key: str) -> str:
    """What the button says instead of copying."""
    (found,) = [read_data(each.proto) for each in at.get("bidi_component") if each.proto.id.endswith(f"-{key}")]
    return str(found["instead"])


def scanned(at: AppTest) -> str:
    """The link under the QR code; the code must encode exactly this text."""
    body = press(at, "show_qr").get("html")
    (figure,) = [str(each.proto.body) for each in body if 'class="kv-qr"' in str(each.proto.body)]
    link = unescape(figure.split("<figcaption>")[1].split("</figcaption>")[0])
    code = segno.make_qr(link, error="l" if len(link) > LONG else "m")
    assert build_qr_html(code, link, get_translations("en").text("scenarios.qr_alt")) in figure
    return link


@pytest.mark.parametrize("place", some(["", "0", "2", "2.1"], 2))
def test_a_link_holds_the_state_and_nothing_else(place: str) -> None:
    """With the step in view, but without presenter mode and the other parameters of the sender's address."""
    at = sandbox(sandbox=PREPARED, at_sandbox=place, present="on.dark", run="4.used__aA", lang="en")
    expected = {"sandbox": PREPARED, **({"at_sandbox": place} if place else {}), "lang": "en"}
    link = scanned(at)
    assert link.startswith(f"{PAGE}?sandbox=")
    assert {key: value[0] for key, value in parse_qs(urlsplit(link).query).items()} == expected
    opened = go(sandbox("zh"), **expected)
    assert (titles(opened), opened.warning.len) == ([get_translations("en").text("sandbox.title")], 0)
    assert in_code(opened) == expected
    assert not any(each.proto.id.endswith("copy_state") for each in opened.get("bidi_component"))  # one is enough


def test_a_state_that_the_address_leaves_out_is_written_out() -> None:
    """So the link still means the same if the default scenario changes."""
    assert in_code(sandbox(lang="en")) == {"sandbox": encode_scenario(DEFAULT), "lang": "en"}


@settings(max_examples=examples(100))
@given(states())
def test_a_link_comes_back_as_it_was(state: State) -> None:
    """For any typed text; the link needs no escapes, so the QR code stays small."""
    try:
        text = encode_scenario(state.scenario)
    except LinkTooLongError:
        return
    link = build_link(PAGE, {"sandbox": text, "at_sandbox": str(state.at), "lang": "zh"})
    assert unquote(link) == link
    found = parse_qs(urlsplit(link).query)
    assert (parse_scenario(found["sandbox"][0]), found["at_sandbox"]) == (state.scenario, [str(state.at)])


def test_an_address_keeps_its_path_and_loses_the_rest() -> None:
    """Behind a proxy, in a sub path; unknown parameters are dropped."""
    assert (
        build_link("http://[::1]:8501/a/sandbox?x=1#y", {"a": "b c&<>"})
        == "http://[::1]:8501/a/sandbox?a=b%20c%26%3C%3E"
    )


def test_a_qr_code_has_its_quiet_zone_and_a_level_that_fits() -> None:
    """Black on white in every theme; a long link at level L; no code for a link that is too long."""
    short, long_ = build_qr_code("x" * LONG), build_qr_code("x" * (LONG + 1))
    assert short is not None
    assert long_ is not None
    assert (short.error, long_.error) == ("M", "L")
    assert (build_qr_code("x" * MOST) is None, build_qr_code("x" * (MOST + 1)) is None) == (False, True)
    picture = unquote(build_qr_html(short, "<b>", '"').split("charset=utf-8,")[1].split('"')[0])
    side = short.symbol_size(border=4)[0]
    assert f"viewBox='0 0 {side} {side}'" in picture
    assert re.findall(r'(?:fill|stroke)=["\'](.*?)["\']', picture) == ["#fff", "#000"]
    assert "<b>" not in build_qr_html(short, "<b>", '"')


@every_language
def test_a_long_link_says_that_it_is_hard_to_scan(language: Language) -> None:
    """A short link does not; if a state is too long for any link, both places say to use a file."""
    say = get_translations(language)
    hint = say.text("scenarios.qr_long", characters="|").partition("|")
    for count, hard in ((1, False), (9, True)):
        text = encode_scenario(
            Scenario(64, 16, "used", tuple(RequestSpec(name, "ab " * 20) for name in "ABCDEFGHI"[:count]))
        )
        at = press(sandbox(language, sandbox=text), "show_qr")
        hints = [each.value for each in at.info if each.value.startswith(hint[0]) and each.value.endswith(hint[2])]
        assert bool(hints) is hard
    at = upload(sandbox(language), write_file(State(LONGER, 0)))
    assert parameter(at, "sandbox").startswith("2.sandbox.kept.")
    too_long = say.text("errors.link_too_long", characters="|", limit=MAX_LINK).split("|")[-1]
    assert [each.value.endswith(too_long) for each in press(at, "show_qr").info] == [True]
    assert instead(at, "copy_link") == say.text("scenarios.link_too_long")
    presented = go(at, **{**at.query_params, "present": "on"})
    assert instead(presented, "present_link") == say.text("scenarios.link_too_long")
    at = go(at, lang=language, sandbox=PREPARED)
    assert instead(at, "copy_link") == ""


def test_without_an_address_there_is_no_code() -> None:
    """In an old browser. Copying still works."""
    at = sandbox(sandbox=OWN)
    at.context.pop("url")
    at = press(at, "show_qr")
    assert [each.value for each in at.info] == [get_translations("en").text("scenarios.qr_none")]
    assert instead(at, "copy_link") == ""


# --- files and saved scenarios --------------------------------------------------------------------------------------


def upload(at: AppTest, data: bytes) -> AppTest:
    """Upload a file; the field is new after each file that was opened."""
    at.file_uploader[0].set_value(("state.json", data, "application/json"))
    return sound(at.run())


def test_a_file_opens_at_its_place_and_can_be_undone() -> None:
    """A bad file in between changes nothing."""
    state = State(parse_scenario(OWN), 2)
    at = upload(sandbox(sandbox=PREPARED), write_file(state))
    assert (parameter(at, "sandbox"), parameter(at, "at_sandbox")) == (OWN, "2")
    at = upload(at, b"{")
    assert (parameter(at, "sandbox"), parameter(at, "at_sandbox"), at.warning.len) == (OWN, "2", 1)
    at = upload(at, write_file(State(parse_scenario(PREPARED), 0)))
    assert (parameter(at, "sandbox"), parameter(at, "at_sandbox"), at.warning.len) == (PREPARED, "0", 0)


def test_a_state_is_kept_under_its_name() -> None:
    """A prepared one has its title by default; two presses save it once; the position is part of it."""
    at, say = sandbox(sandbox=PREPARED, at_sandbox="1"), get_translations("en")
    for _ in "twice":
        at = press(at, "keep_state")
    title = format_library_title("task", say)
    assert say.text("scenarios.kept_as") in texts(at)
    at = go(at, sandbox=OWN, lang="en")
    assert say.text("scenarios.kept_as") not in texts(at)
    at.text_input(key="kept.name").set_value("**mine**")
    at = sound(press(at, "keep_state").run())
    assert at.text_input(key="kept.name").value == ""
    stored = session_of(at)[STORED]["scenarios"]
    assert [(name, read_file(file.encode())) for name, file in stored] == [
        (title, State(parse_scenario(PREPARED), 1)),
        ("**mine**", State(parse_scenario(OWN), 4)),
    ]
    at.text_input(key="kept.name").set_value("half a name")
    at = sound(press(at, "forget_yes").run())
    assert at.text_input(key="kept.name").value == ""
    assert "scenarios" not in session_of(at)[STORED]


def test_a_full_shelf_says_so() -> None:
    """It also says what to do."""
    file = write_file(State(parse_scenario(OWN), 0)).decode()
    at = press(sandbox(kept=[[f"n{i}", file] for i in range(20)]), "keep_state")
    assert [each.value for each in at.warning] == [get_translations("en").text("errors.shelf_full", limit=20)]


# --- links that cannot be opened -----------------------------------------------------------------------------------


def coded(text: bytes) -> str:
    return b64encode(text, altchars=b"-~").decode().rstrip("=")


BROKEN = {
    "pool": ["2.16.4.used_", "1.16.4.old_A.n1_", "<script>", "1.16_A.n1_aA"],
    "request": [
        "1.16.4.used_a_",
        "1.16.4.used_A.n1.n2_",
        f"1.16.4.used_A.w{coded(bytes([255]))}_",
        "1.16.4.used_A.wA_",
    ],
    "log": ["1.16.4.used_A.n1_zA", "1.16.4.used_A.n1_aA..aA", "1.16.4.used_A.n1_<b>"],
    "text": ["1.16.4.used_A.n1_aA.aA", "1.16.4.used_A.n1_aA-1", f"1.16.4.used_A.w{coded(b' a')}_"],
    "at": ["9", "-1", "1.99", "<b>"],
    "kept": ["kept.0123456789abcdef", "kept.", "kept.<b>"],
}


@every_language
def test_every_part_of_a_link_that_is_broken_has_its_sentence(language: Language) -> None:
    """The sentence says what to do and repeats nothing, and the sandbox shows its default state."""
    at, say = sandbox(language), get_translations(language)
    for part, texts_ in BROKEN.items():
        for text in texts_:
            given_ = {"sandbox": "1.16.4.used_A.n1_aA", "at_sandbox": text} if part == "at" else {"sandbox": text}
            at = go(at, lang=language, **given_)
            reason = say.text(f"scenarios.link_part.{part}")
            key = "scenarios.link_kept" if part == "kept" else "scenarios.link_broken"
            assert [each.value for each in at.warning] == [say.text(key, reason=reason)], text
            assert "sandbox_begin" in keys(at)


def test_every_part_that_the_code_names_has_a_sentence() -> None:
    """The parts are read from the code that raises InvalidLinkError for a sandbox's link."""
    root = Path(__file__).parent.parent.parent
    parts = {"at"}  # of lab.activities.attempt.parse_cursor
    names = ("lab/sandbox/link.py", "lab/sandbox/script_link.py", "lab/trace/operations.py")
    for name in (*names, "lessons/sandbox/oversized_links.py"):
        for call in ast.walk(ast.parse((root / name).read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "InvalidLinkError":
                parts |= {ast.literal_eval(word.value) for word in call.keywords if word.arg == "part"}
    assert {f"scenarios.link_part.{part}" for part in parts} == {k for k in load_strings("en") if "link_part." in k}


LIMITS = [
    ("1.99.4.used_A.n1_aA", "limit"),
    ("1.0.4.used_", "invalid_size"),
    ("1.16.4.used_A.n999_", "limit"),
    ("1.16.4.used_A.n1_aA-999", "limit"),
    ("1.16.4.used_A.n1_aB", "unknown_request"),
    ("1.16.4.used_A.n1_A.n2_", "request_exists"),
    ("1.16.4.used_A_", "empty_prompt"),
    ("1.16.4.used_A.n3_B.sC-2_", "same_as"),
    ("1.3.4.0-1_A.n1_", "invalid_free_queue"),
    ("1" * 2001, "link_too_long"),
]


@every_language
def test_a_link_over_a_limit_names_it(language: Language) -> None:
    """As the sandbox does."""
    at, say = sandbox(language), get_translations(language)
    for text, code in LIMITS:
        at = go(at, lang=language, sandbox=text)
        (warning,) = [each.value for each in at.warning]
        pattern = re.sub(r"\\\{\w+\\\}", ".*", re.escape(load_strings(language)[f"errors.{code}"]))
        assert re.search(pattern, warning), (text, warning)
        assert warning.startswith(say.text("scenarios.link_problem", reason="|").split("|")[0])
    (warning,) = [each.value for each in go(at, lang=language, sandbox="1.4.4.0-0-1-7_A.n1_").warning]
    assert re.match(r"[^:：]+[.。]", warning)  # the reason is a sentence of its own
    for name, ids in (("twice", (0,)), ("unknown", (7,))):  # as next to the field
        assert say.text(f"sandbox.queue_{name}", ids=format_list(ids, say), num_blocks=4) in warning
    (warning,) = [each.value for each in go(at, lang=language, sandbox="1.4.4.0-1_A.n1_").warning]
    assert say.text("sandbox.queue_missing", ids=format_list((2, 3), say)) in warning
