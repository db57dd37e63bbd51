"""The next word beside each live request: on every page with a picture of a run, and why there is none."""

from __future__ import annotations

from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.trace.kv_cache import Proof, Word
from lab.trace.operations import Allocate
from lab.trace.presets import A_PROMPT
from lab.trace.vocabulary import NO_WORD, RELIABLE, find_word
from lessons.activity.next_words import list_next_words, list_silent
from lessons.text.translations import LANGUAGES, Language, get_translations
from tests.lesson.test_lesson_flow import lesson_page
from tests.pages.test_pages import task, texts
from tests.sample import every_language
from tests.sandbox.sandbox_page import opened


def word(text: str, probability: float = 1.0) -> Word:
    number = find_word(text)
    assert number is not None
    return Word(number, probability)


TEA, SOUP, NAN = word("tea", 0.99949), word("soup"), Word(NO_WORD, reason="nan")


@every_language
def test_the_word_and_the_difference_stand_together(language: str) -> None:
    """Equal ones on a line; another word, or none, beside the right one."""
    say = next(get_translations(each) for each in LANGUAGES if each == language)
    tea, soup = (say.word(each.number) for each in (TEA, SOUP))
    right = Proof("A", (0,), 0.0, bit_equal=True, paged=TEA, contiguous=TEA)
    wrong = Proof("B", (1,), 12.345, bit_equal=False, paged=SOUP, contiguous=TEA)
    nothing = Proof("C", (2,), float("nan"), bit_equal=False, paged=NAN, contiguous=TEA)
    first, same, second, third = list_next_words((right, wrong, nothing), say)
    assert f"“{tea}”" in first
    assert "0.999" in first
    assert "0.0" in same
    assert second.index(soup) < second.index(tea)
    assert "12" in second
    assert "NaN" in third
    assert tea in third
    assert list_next_words((), say) == []
    lines = list_silent({"A": "", "B": "unknown", "C": "long", "D": "unknown"}, say)
    assert len(lines) == 2
    assert "B" in lines[0]
    assert "D" in lines[0]
    assert str(RELIABLE) in lines[1]


def test_where_a_word_comes_from_is_told_beside_a_word_only() -> None:
    """Tokens of no text have no next word."""
    say = get_translations("en")
    question = " ".join(say.token(token_id) for token_id in A_PROMPT)
    for content, told in ((question, True), (11, False)):
        at = opened(Scenario(16, 4, "used", (RequestSpec("A", content),), (Allocate("A"),)))
        assert (say.text("next_word.about.proves") in texts(at)) == told


@every_language
def test_the_pages_show_them(language: Language) -> None:
    """The task, a lesson and the sandbox, between operations; inside an operation the tensor proves nothing."""
    say = get_translations(language)
    tea = f"A{{}}“{say.word(TEA.number)}”".format(": " if language == "en" else "：")
    assert tea in texts(task(language, run="4.used__aA"))
    assert tea not in texts(task(language, run="4.used__aA", at="1.2"))
    assert tea in texts(lesson_page("share", language, share="chain_1-1-11_aA.aB"))
    question = " ".join(say.token(token_id) for token_id in A_PROMPT)
    known = Scenario(16, 4, "used", (RequestSpec("A", question), RequestSpec("B", 4)), (Allocate("A"), Allocate("B")))
    shown = texts(opened(known, language))
    assert tea in shown
    assert say.text("next_word.unknown", seq_ids="B") in shown
