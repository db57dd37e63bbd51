"""The word that a request says under a wrong idea, beside the right one, and where it comes from."""

from __future__ import annotations

from lab.misconceptions.play import RunComparison
from lab.misconceptions.reading import Read
from lab.misconceptions.telling import find_owner
from lab.trace.vocabulary import find_word
from lessons.activity.next_words import format_word
from lessons.text.translations import Translations


def describe_words(run: RunComparison, words: Translations) -> list[str]:
    """For each request the word that it says, and beside it the right one, as lines."""
    return [_describe_word(run, read, words) for read in run.reads if not read.expected.reason]


def _describe_word(run: RunComparison, read: Read, words: Translations) -> str:
    if read.refusal:
        return words.text("my_way.says.refused", seq_id=read.seq_id)
    said, expected = (format_word(word, words) for word in (read.said, read.expected))
    key = "wrong" if read.says_wrong else "right" if read.right else "same"
    line = words.text(f"my_way.says.{key}", seq_id=read.seq_id, said=said, expected=expected)
    if not read.says_wrong or read.said.reason:
        return line
    word, source = words.word(read.said.number), read.source
    if source is None:
        key = "nothing" if read.said.number == find_word("nothing") else "in_no_slot"
        return line + words.text("figures.gap") + words.text(f"my_way.says.{key}", word=word)
    owner = find_owner(run.wrong_steps, read.seq_id, source)
    key = "in_slot_self" if owner == read.seq_id else "in_slot"
    values = {"slot": source.slot, "owner": owner, "position": source.position}
    return line + words.text("figures.gap") + words.text(f"my_way.says.{key}", word=word, **values)
