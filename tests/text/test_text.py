"""The strings: both languages say the same with the same numbers, in the agreed vocabulary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.engine.errors import InvalidAnswerError, LabError, LengthMismatchError, LimitError
from lab.trace.config import Config, Request
from lab.trace.events import Event, KVWritten
from lab.trace.operations import Operation, parse_operation
from lab.trace.presets import A_PROMPT, B_FIFTH, B_PROMPT, build_task_config
from lab.trace.timeline import Timeline
from lab.trace.vocabulary import load_tokens, load_words
from lessons.text.sentences import format_error, format_event, format_operation, format_values
from lessons.text.translations import LANGUAGES, Language, Translations, get_translations, load_strings
from tests.sample import examples
from tests.text.emphasis import asterisks_shown

ROOT = Path(__file__).parent.parent.parent
ZH, EN = load_strings("zh"), load_strings("en")
# Code and names are the same in every language.
IDENTIFIER = re.compile(r"`[^`]*`|\b[a-z]+(?:_[a-z]+)+\b|\b(?:ref|token|allocate|deallocate|K|V)\b")


def placeholders(text: str) -> list[str]:
    """The names in braces, sorted. Raises ValueError for a stray brace."""
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def prose(text: str) -> str:
    """A string without its placeholders, code and names."""
    return IDENTIFIER.sub("", re.sub(r"\{[\w:]*\}", "", text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_placeholders(language: Language) -> None:
    """A missing string, or a number that only one language shows, is a bug."""
    said = load_strings(language)
    assert sorted(said) == sorted(EN)
    assert {key: placeholders(text) for key, text in said.items()} == {k: placeholders(text) for k, text in EN.items()}
    assert all(name for text in said.values() for name in placeholders(text))  # a bare {} would take any value
    assert {key for key, text in said.items() if not text.strip()} <= {"figures.gap"}


def test_each_language_is_written_in_its_script() -> None:
    """Only code and names are equal in both. English has no Chinese; every Chinese sentence has some."""
    names = {f"site.lang_{language}" for language in LANGUAGES}  # a language is named in itself
    han = re.compile(r"[\u4e00-\u9fff\u3000-\u303f\uff00-\uffef]")
    assert [key for key, text in EN.items() if han.search(text) and key not in names] == []
    rest = {key: prose(text) for key, text in ZH.items() if not han.search(text)}
    assert [key for key, text in rest.items() if re.search(r"[^\W\d_]", text) and key not in names] == []


PAIRS = {
    "logical page": "逻辑页",
    "physical block": "物理块",
    "free queue": "空闲队列",
    "free block": "空闲.?.?块|空闲队列里",
    "empty slot": "空位",
    "block_table": "block_table|块表",
    "releas": "释放",
    "prefix": "前缀|Prefix",
    "hash": "哈希|hash",
    "scenario": "情景",
}


@pytest.mark.parametrize(("english", "chinese"), PAIRS.items())
def test_a_term_has_one_translation(english: str, chinese: str) -> None:
    """Wherever English uses the term, Chinese uses the agreed one."""
    using = [key for key, text in EN.items() if english in text.lower()]
    assert using
    assert [key for key in using if not re.search(chinese, ZH[key])] == []


AVOIDED_ZH = {
    # The operating system's words, or an empty slot of a request mixed up with a free block.
    "a term of its own": r"页表|帧|页框|空闲槽|空槽|空闲位|空闲页",
    # Pages, blocks, slots and offsets count from 0, so an ordinal would name the next one.
    "counted from 0": r"第 ?(?:\{(?:pages?|block|slot|offset|position)\}|0|1|0、1、2) ?(?:个逻辑)?[页块槽格号]",
    "one word for one thing": r"队头|场景|小测|动手验证|一位不差|觉得是|(?<!系统)提示(?!词)",
    "English left in a sentence": r"(?:[\u4e00-\u9fff，。：；“（] ?|^)(?:prefix|prompt|hash)(?![\w`.])",
    # Requests, blocks and calls do not let go, forget, act on somebody's behalf or come home.
    "a thing is not a person": r"替 ?\{|放开|放手|忘掉|主人|住在|动手(?!实验)|池空|池也空|看一看：|看一眼|"
    r"问一[问下]|来问|去做|没有人|还没有谁|谁也|谁都|谁先|谁动|谁计|谁决|谁改|谁读|谁检|取谁|别人(?!的。)|大家|看出了|数数的",
    "an idea is named, not told": r"^以为",
    "stiff": r"混在一起的|弄反了$",
}


@pytest.mark.parametrize("kind", AVOIDED_ZH)
def test_words_that_chinese_avoids(kind: str) -> None:
    """Kinds of wording that once confused a learner."""
    pattern = AVOIDED_ZH[kind]
    assert [(key, text) for key, text in ZH.items() if re.search(pattern, text)] == []


AVOIDED_EN = {
    # A block is not a frame; free is an adjective, the verb is release.
    "a term of its own": r"frame|\bpage table|\bfree[ds]\b|\bfreeing\b|\bfree \{(seq|block)",
    # KV "lives" in a slot: "lies" would also mean "tells lies".
    "no lies": r"\b(?:lie|lies|lay|lain|lying)\b",
    "counted from 0": r"\b(?:page|block|slot|offset) number \{",
    # Requests, blocks and calls do not let go, forget or count on anything; learners may.
    "a thing is not a person": r"\b(?:lets?|letting) go\b|count(?:s|ed|ing)? on\b|\b(?:forgets?|forgot)\b"
    r"|[Nn]obody|[Ss]omebody (?:else )?(?:came|comes|reads|writes|asks|first|waits)|\b(?:act|ask) for \{",
    "not by the ear": r"\bat last\b|contiguous reserve\b|with which .* begins as well",
}


@pytest.mark.parametrize("kind", AVOIDED_EN)
def test_words_that_english_avoids(kind: str) -> None:
    """The same kinds of fault as in Chinese."""
    pattern = re.compile(AVOIDED_EN[kind])
    assert [(key, text) for key, text in EN.items() if pattern.search(text) and not key.startswith("site.forget")] == []


IDEAS = [key for key in EN if key.startswith("misconceptions.name.")]


def test_an_idea_is_named_by_a_noun_phrase() -> None:
    """A name stands in lists and after a colon, so it is no clause."""
    verb = r"\bthought to\b|^(?!.*\bthat\b).*\b(?:is|are|must|takes?|allocates|erases|counts|computes|comes|refuses)\b"
    assert IDEAS
    assert [EN[key] for key in IDEAS if re.search(verb, EN[key])] == []


PAGES = {"task": ("site.nav_task", "task.title"), "library": ("scenarios.library", "scenarios.title")}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_name(page: str) -> None:
    """A link to a page is the page's title, or the part of it before the colon."""
    link, title = PAGES[page]
    for text in (EN, ZH):
        assert re.split("[:：]", text[title])[0] == text[link]


def test_no_name_of_a_page_stands_behind_a_colon() -> None:
    """Titles have a colon of their own."""
    for text in (EN, ZH):
        for key in ("start.begin", "start.go_on", "site.next_lesson", "quiz_page.to_lesson"):
            assert re.search("“{(name|title)}”", text[key]), text[key]


def test_an_empty_slot_is_not_a_free_block() -> None:
    """空闲块 is a block that nobody owns: the English text has a block there, never an empty slot."""
    assert [k for k, text in ZH.items() if "空闲块" in text and "block" not in EN[k]] == []
    slots = [k for k, text in EN.items() if re.search("empty slot", text, re.I) and "free block" not in text]
    assert [k for k in slots if "空闲块" in ZH[k]] == []


def test_what_is_appended_is_a_token() -> None:
    """append_token and may_append are named in full; the plain verb is used for tokens only."""
    for text in (ZH, EN):
        verb = re.compile("append|追加", re.IGNORECASE)
        bare = [key for key, said in text.items() if verb.search(prose(said))]
        assert bare
        assert [key for key in bare if "token" not in text[key]] == []
        assert text["events.token_appended"].startswith("append_token")
        for key in ("block_taken_may_append", "page_has_room"):
            assert text[f"events.{key}"].startswith("may_append")
        assert text["events.append_checked"].startswith("can_append")


PROMPTS = {"A": (1, 2, 3, 4, 5), "B": (1, 2, 3, 4), "C": (9,) * 9}
EVENTFUL = Config(6, 2, (3, 1, 0, 4, 2, 5), tuple(Request(name, ids, (6,)) for name, ids in PROMPTS.items()))
STORY = "aA aB aA rB tA tA rA aB rB aC tC tC tC tC aA"


class Asked(Translations):
    """Translations that remember which strings were asked for."""

    def __init__(self, language: Language) -> None:
        super().__init__(language)
        self.keys: set[str] = set()

    def text(self, key: str, /, **values: object) -> str:
        self.keys.add(key)
        return super().text(key, **values)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_can_be_said(language: Language) -> None:
    """Both engines' runs with every kind of event use every string about an event."""
    story = [parse_operation(text) for text in STORY.split()]
    steps = [s for config in (EVENTFUL, EVENTFUL.run_by("vllm")) for s in Timeline.replay(config, story).steps]
    events, asked = [event for step in steps for event in step.events], Asked(language)
    assert {type(event) for event in events} == set(get_args(Event))
    for event in events:
        line = format_event(event, asked)
        for name in ("block_id", "len_after", "needs", "num_tokens", "ref_after", "page"):
            if hasattr(event, name):
                assert re.search(rf"(?<!\d){getattr(event, name)}(?!\d)", line), (name, line)
    assert {key for key in EN if key.startswith("events.")} <= asked.keys


OPERATIONS = st.builds(lambda kind, name: kind(name), st.sampled_from(get_args(Operation)), st.sampled_from("AB"))


@settings(max_examples=examples(60))
@given(st.integers(1, 16), st.integers(1, 16), st.lists(OPERATIONS, max_size=30))
def test_every_event_of_any_run_can_be_said(block_size: int, blocks: int, operations: list[Operation]) -> None:
    """No placeholder without its value, in either language."""
    for step in Timeline.replay(build_task_config(block_size, tuple(range(blocks))), operations).steps:
        for language in LANGUAGES:
            say = get_translations(language)
            assert all(re.fullmatch(r"[^{}\n]+", format_event(event, say)) for event in step.events)
            assert step.operation.seq_id in format_operation(step.operation, say)


def subclasses(of: type[LabError]) -> Iterator[type[LabError]]:
    """Every kind of error below this one."""
    for kind in of.__subclasses__():
        yield kind
        yield from subclasses(kind)


KINDS = sorted(set(subclasses(LabError)) - {InvalidAnswerError}, key=lambda kind: kind.code)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_refusal_has_a_sentence(kind: type[LabError]) -> None:
    """Build an error with the numbers that it requires."""
    error = kind(**{name: f"<{name}>" for name in placeholders(kind.message)})
    for language in LANGUAGES:
        assert set(placeholders(load_strings(language)[f"errors.{kind.code}"])) <= {*error.numbers, "what"}
        assert "{" not in format_error(error, get_translations(language))


def reasons_in_code() -> Iterator[str]:
    """The reasons of InvalidAnswerError, read from the code that raises it."""
    for path in (ROOT / "lab" / "activities" / "answer.py", ROOT / "lessons" / "widgets" / "question_form.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "InvalidAnswerError":
                for node in ast.walk(call.keywords[0].value):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value


def test_every_reason_for_a_format_error_has_a_sentence_of_its_own() -> None:
    """And no sentence is left over."""
    reasons = set(reasons_in_code())
    assert {f"errors.invalid_answer.{reason}" for reason in reasons} == {k for k in EN if "invalid_answer." in k}
    for language in LANGUAGES:
        assert len({format_error(InvalidAnswerError(reason=r), get_translations(language)) for r in reasons}) == len(
            reasons
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_limit_is_named_in_words(language: Language) -> None:
    """The sentence says what is too large, with both numbers. (test_link knows which limits a link can exceed.)"""
    names = {"num_blocks", "block_size", "pool", "prediction", "operations", "tokens", "requests", "questions"}
    assert {f"errors.limit_names.{name}" for name in names} == {key for key in EN if "limit_names." in key}
    for name in names:
        said = format_error(LimitError(name=name, value=7001, limit=7000), get_translations(language))
        assert get_translations(language).text(f"errors.limit_names.{name}") in said
        assert {"7000", "7001"} <= set(re.findall(r"\d+", said))


def test_tokens_have_a_text_in_each_language() -> None:
    """Every token has one, and in the task it fits in a cell; B's Chinese text is the chapter's."""
    ids = {t for request in build_task_config().requests for t in (*request.prompt, *request.continuation)}
    for language in LANGUAGES:
        say = get_translations(language)
        assert all(texts[language] == say.token(token_id).strip() for token_id, texts in load_tokens().items())
        assert all(1 <= len(say.token(token_id)) <= 5 for token_id in ids)
        assert len({say.word(word) for word in range(len(load_words()))}) == len(load_words())
    en, zh = get_translations("en"), get_translations("zh")
    assert " ".join(map(en.token, A_PROMPT)) == "Tom likes tea , Ann likes milk . Today bring Tom"
    assert "".join(map(zh.token, A_PROMPT)) == "小明喜欢茶，小红喜欢牛奶。今天端给小明"
    assert "".join(map(zh.token, (*B_PROMPT, B_FIFTH))) == "你好世界！"
    assert zh.token(999) == "999"


def test_a_missing_string_is_an_error() -> None:
    """There is no fallback to an empty text, the key or another language."""
    for key in ("task.no_such_string", "task.op_release"):  # the second needs a seq_id
        with pytest.raises(KeyError):
            get_translations("en").text(key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_bold_ends_where_it_should(language: Language) -> None:
    """Markdown shows no asterisk: bold text neither begins nor ends with punctuation beside a letter."""
    assert all(map(asterisks_shown, ("**回答：**槽", "a ** b", "**a")))
    assert not any(map(asterisks_shown, ("**回答**：槽，`a**b`", "**Ours.** It :red[**does**]")))
    filled = {key: re.sub(r"\{[^}]*\}", "x", text) for key, text in load_strings(language).items()}
    assert {key: found for key, text in filled.items() if (found := asterisks_shown(text))} == {}


def test_ids_in_a_row_have_the_comma_of_the_language() -> None:
    """Lists of block ids and ranges of slots; Python's notation only where a Python list is quoted."""
    event = KVWritten("A", (1,) * 8, tuple(range(8)), slots=(36, 37, 38, 39, 16, 17, 18, 19))
    for say, comma in ((get_translations("zh"), "、"), (get_translations("en"), ", ")):
        assert f"36–39{comma}16–19" in format_event(event, say)
        told = format_values({"ids": (4, 1), "n": 2}, say)
        assert [format(told["ids"], how) for how in ("", "code")] == [f"4{comma}1", "4, 1"]
        assert told["n"] == 2


def test_one_token_is_one_token() -> None:
    """Not `1 tokens`."""
    error = LengthMismatchError(tokens=1, slots=0)
    assert format_error(error, get_translations("en")) == "1 token for 0 slots."
    assert format_error(error, get_translations("zh")) == "1 个 token 对着 0 个槽。"
