"""Typed text becomes tokens: equal text gives equal tokens, and no visible character is split."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.sandbox.tokens import LONGEST_CLUSTER, LONGEST_WORD, clean_text, tokenize

FAMILY = "👩‍👩‍👧"
WAVE = "👋🏽"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", ()),
        ("  \t\n ", ()),
        ("The quick brown fox.", ("The", "quick", "brown", "fox", ".")),
        ("分页让显存不必连续摆放", tuple("分页让显存不必连续摆放")),
        ("你好，世界！", ("你", "好", "，", "世", "界", "！")),
        ("block_size=4", ("block_size", "=", "4")),
        ("it's don’t 'so'", ("it's", "don’t", "'", "so", "'")),
        ("naïve Straße Ελλάδα Привет", ("naïve", "Straße", "Ελλάδα", "Привет")),
        ("用vLLM跑2次", ("用", "vLLM", "跑", "2", "次")),
        ("ひらカタ한글", ("ひ", "ら", "カ", "タ", "한", "글")),
        (f"{FAMILY}{WAVE}🙂❤️", (FAMILY, WAVE, "🙂", "❤️")),
        ("🇨🇳🇫🇷x", ("🇨🇳", "🇫🇷", "x")),
        ("हिन्दी", ("हिन्दी",)),
        ("<b>x</b>", ("<", "b", ">", "x", "<", "/", "b", ">")),
        ("a" * 30, ("a" * 12, "a" * 12, "a" * 6)),
        ("...", (".", ".", ".")),
        ("x\u0301y", ("x\u0301y",)),
        ("\u0301", ("\u0301",)),
    ],
)
def test_what_is_a_token(text: str, tokens: tuple[str, ...]) -> None:
    """Words, punctuation and single Chinese characters. Combining marks and emoji stay whole."""
    assert tokenize(text) == tokens


def test_the_same_text_written_in_another_way_is_the_same() -> None:
    """Composed or not, with any number of spaces, and with invisible characters."""
    assert tokenize("cafe\u0301") == tokenize("caf\u00e9")
    assert clean_text(" a \u202e b\x00\ud800\u200b c\r\n") == "a b c"
    assert clean_text(FAMILY) == FAMILY


@given(st.text())
@example("a\u0300 \u0301\u200d\u200d\u202e b")
@example("e" + "\u0301" * 100)
def test_any_text(text: str) -> None:
    """Cleaning twice changes nothing; the tokens joined are the text without spaces; no token is too long."""
    cleaned = clean_text(text)
    tokens = tokenize(text)
    assert clean_text(cleaned) == cleaned
    assert tokenize(cleaned) == tokens
    assert "".join(tokens) == "".join(cleaned.split())
    assert all(0 < len(token) <= LONGEST_WORD * LONGEST_CLUSTER for token in tokens)
    assert not {unicodedata.category(c) for c in cleaned} & {"Cc", "Cs"}
    cleaned.encode("utf-8")


@given(st.text(alphabet="<b>/&;ax* _`$[]"))
def test_no_token_is_markup(text: str) -> None:
    """A character with a meaning in markup is a token of its own."""
    assert all(len(token) == 1 for token in tokenize(text) if set(token) & set("<>/&;*`$[]"))


def test_words_that_the_model_knows_are_whole() -> None:
    """Only if it knows them all: otherwise a text is split as it always was."""
    assert tokenize("小明 喜欢 茶 ， 小红 喜欢 牛奶") == ("小明", "喜欢", "茶", "，", "小红", "喜欢", "牛奶")
    assert tokenize("tom likes TEA") == ("tom", "likes", "TEA")
    assert tokenize("小明 喜欢 猫") == ("小", "明", "喜", "欢", "猫")
    assert tokenize("小明喜欢茶") == ("小", "明", "喜", "欢", "茶")
    assert tokenize("Tom likes tea, too") == ("Tom", "likes", "tea", ",", "too")
