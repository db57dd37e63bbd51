"""The texts of a question and its feedback in one language. The strings are quiz.*; every number comes from a run.

A placeholder may give a format: `{n:tokens}` counts a noun of figures.* ("1 token", "3 tokens"), `{ids:ranges}` joins
neighbours ("4-7, 12"), `{ids:sum}` adds ("4 + 4 + 3"), `{ids:code}` writes a Python list in every language,
`{ids:or_none}` writes "none" for an empty list, and `{ids:blocks}` does too and adds the word "blocks", because a
single id alone reads like a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from lab.activities.ideas import find_idea
from lab.activities.question import Fact, Grade, Option
from lab.engine.words import Words
from lab.quiz.concepts import get_base_kind
from lab.quiz.question import QuizQuestion
from lab.trace.operations import Allocate, Append, AppendToken, Operation


class _Number:
    """A whole number that can be formatted with a noun."""

    def __init__(self, value: int, words: Words) -> None:
        self.value, self.words = value, words

    def __format__(self, noun: str) -> str:
        if not noun:
            return str(self.value)
        return self.words.text(f"figures.{noun}.{'one' if self.value == 1 else 'many'}", n=self.value)


class _IdList:
    """A list of ids, slots or names."""

    def __init__(self, ids: tuple[int, ...] | tuple[str, ...], words: Words) -> None:
        self.ids, self.words = ids, words

    def __format__(self, how: str) -> str:
        if how not in ("", "code") and not self.ids:
            return self.words.text("quiz.none")
        between = {"sum": " + ", "code": ", "}.get(how) or self.words.text("figures.comma")
        text = between.join(_join_ranges(self.ids) if how == "ranges" else map(str, self.ids))
        if how == "blocks":
            return self.words.text(f"quiz.block_{'one' if len(self.ids) == 1 else 'many'}", ids=text)
        return text


def _join_ranges(ids: tuple[int, ...] | tuple[str, ...]) -> Iterator[str]:
    """`4–7` for 4, 5, 6, 7. In a range, the difference between value and index stays the same."""
    for _, pairs in groupby(enumerate(map(int, ids)), key=lambda pair: pair[1] - pair[0]):
        run = [value for _, value in pairs]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}"


def _fill_values(facts: Mapping[str, Fact], words: Words) -> dict[str, object]:
    """The values, ready to fill a text; also `last_pages`, one clause a request, if there are values for last pages."""
    values: dict[str, object] = {
        name: _Number(fact, words)
        if isinstance(fact, int)
        else (_IdList(fact, words) if isinstance(fact, tuple) else fact)
        for name, fact in facts.items()
    }
    names, blocks, last = (facts.get(name) for name in ("names", "last_blocks", "last"))
    if isinstance(names, tuple) and isinstance(blocks, tuple) and isinstance(last, tuple):
        values["last_pages"] = words.text("figures.semicolon").join(
            words.text("quiz.last_page", seq_id=name, block=block, last=filled, block_size=facts["block_size"])
            for name, block, filled in zip(names, blocks, last, strict=True)
        )
    return values


def describe_scene(question: QuizQuestion, words: Words) -> list[str]:
    """The pool and its operations, one sentence each, in order. Empty if the question has no scenario of its own."""
    if question.form == "several":
        return []
    config = question.config
    pool: dict[str, Fact] = {
        "block_size": config.block_size,
        "blocks": len(config.free_block_ids),
        "queue": config.free_block_ids,
    }
    lines = [words.text(f"quiz.scene.{'pool' if question.shows_queue else 'size'}", **_fill_values(pool, words))]
    arrived: list[str] = []
    for operation, group in groupby(_list_told_operations(question)):
        times, seq_id = len(list(group)), operation.seq_id
        if isinstance(operation, Allocate):
            lines.append(_describe_arrival(question, seq_id, arrived, words))
            arrived.append(seq_id)
        elif isinstance(operation, Append):
            lines.append(words.text("quiz.scene.append", **_fill_values({"seq_id": seq_id, "times": times}, words)))
        else:
            lines.append(words.text("quiz.scene.release", seq_id=seq_id))
    if any(isinstance(operation, AppendToken) for operation in question.operations):
        lines[-1] = words.text("figures.gap").join((lines[-1], words.text("quiz.scene.none_free")))
    return lines


def _list_told_operations(question: QuizQuestion) -> Iterator[Operation]:
    """The operations that the scene mentions. An append step by step ends it: the question is about the rest."""
    for operation in question.operations:
        if isinstance(operation, AppendToken):
            yield Append(operation.seq_id)
            return
        yield operation


def _describe_arrival(question: QuizQuestion, seq_id: str, arrived: list[str], words: Words) -> str:
    """A request arrives, with what it has in common with an earlier one."""
    prompt = question.config.request(seq_id).prompt
    values: dict[str, Fact] = {"seq_id": seq_id, "tokens": len(prompt)}
    for other in arrived:
        earlier = question.config.request(other).prompt
        same = next((i for i, (a, b) in enumerate(zip(prompt, earlier, strict=False)) if a != b), None)
        if same == 0:
            continue
        same = min(len(prompt), len(earlier)) if same is None else same
        how = "same" if same < len(prompt) else ("start" if same < len(earlier) else "copy")
        return words.text(f"quiz.scene.allocate_{how}", **_fill_values({**values, "same": same, "other": other}, words))
    return words.text("quiz.scene.allocate", **_fill_values(values, words))


def ask(question: QuizQuestion, words: Words) -> str:
    """The question itself, in one or two sentences."""
    return words.text(f"quiz.ask.{get_base_kind(question.name.kind)}", **_fill_values(question.numbers, words))


def format_option(option: Option, words: Words) -> str:
    """One option to choose or to put in order."""
    return words.text(f"quiz.option.{option.text}", **_fill_values(option.numbers, words))


def format_feedback(question: QuizQuestion, result: Grade, words: Words) -> list[str]:
    """The feedback on an answer: one or two sentences, or one text for each statement of a "several" question.

    A wrong answer without a known idea gets the same as a right one: how the engine's own answer comes about.
    """
    kind, values = question.name.kind, _fill_values(result.facts, words)
    if result.verdicts:
        return [words.text(f"quiz.told.{kind}_{verdict.option_id}", **values) for verdict in result.verdicts]
    if result.idea:
        return [words.text(f"quiz.why.{kind}_{result.idea}", **values)]
    return [explain_answer(question, result, words)]


def explain_answer(question: QuizQuestion, result: Grade, words: Words) -> str:
    """How the engine's answer comes about, whatever the learner answered."""
    case = result.facts.get("case", "")
    kind = get_base_kind(question.name.kind)
    key = f"quiz.right.{kind}_{case}" if case else f"quiz.right.{kind}"
    return words.text(key, **_fill_values(result.facts, words))


def format_idea(idea: str, words: Words) -> str:
    """The name of an idea or slip, for a summary."""
    return words.text(find_idea(idea).name_key)


def format_kind(kind: str, words: Words) -> str:
    """The name of a kind of question, for a summary."""
    return words.text(f"quiz.kind.{get_base_kind(kind)}")


def format_difficulty(difficulty: str, words: Words) -> str:
    """The name of a difficulty."""
    return words.text(f"quiz.difficulty.{difficulty}")
