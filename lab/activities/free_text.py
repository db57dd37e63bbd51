"""Which of four ingredients a learner's own sentence states: why can B not reuse its page?

The text becomes clauses of known words (free_text_clauses.py), and each verb of a clause becomes a statement: which
function does what, asserted or denied. The result says which ingredients are there; it does not grade prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.activities.free_text_clauses import NAMES, SMALL_WORDS, Clause, Mark, read_sentences, refers_back

_NO = {"no", "nothing", "none", "不到", "不了"}

DEEDS = frozenset({"check", "take", "add"})
VERBS = DEEDS | {"new_page", "full"}
OBJECTS = frozenset({"table", "entry", "block", "thing"})
# "takes no block", "取不到"; but "finds no block" is a check
_NOT_THE_PAGE = frozenset({"block", "free", "table", "topic"})  # what else may have room
DENIED_AFTER = {"check": {"nothing"}, "take": _NO, "add": _NO}
SAYING = DEEDS | {"stating", "passive", "need", "negation", "verb"}
TOPICS = NAMES | OBJECTS - {"thing"} | {"page", "slot", "token", "topic", "other_reason", "new_page"}

_COUNTERFACTUAL = re.compile(r" ?(?:(?:如果|若|要是|假如|倘若)(?:没有?|不|无)|without|unless|if not)")
_WHY = re.compile(r"^.{0,20}(?:为什么|为何)|^ ?(?:why|what)\b")
_YES_OR_NO = re.compile(r"^ ?(?:do|does|did|is|are|can|could|will) .*\?$|吗 ?\?$")
_RHETORICAL = re.compile(r"难道|岂|right ?\?$")


INGREDIENTS = ("crosses", "check", "act", "table")  # in the order in which an explanation gives them
DENIABLE = ("full", *INGREDIENTS)  # "full": that B's page is full


@dataclass(frozen=True)
class FreeTextReading:
    """What a text states: ingredients ("crosses", "check", "act", "table"), and three faults with their own feedback.

    `denied`: what the text only denies and never asserts; members of DENIABLE.
    """

    found: frozenset[str] = frozenset()
    roles_swapped: bool = False
    full_only: bool = False
    nonsense: bool = False
    denied: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ClauseStatement:
    """A verb, its subject (can, may, other_function, or none), whether it is asserted, and what it is about."""

    verb: str
    actor: str | None
    holds: bool
    about: frozenset[str]


@dataclass
class Memory:
    """What the next clause may refer to: the last name, the last clause's subject, its statement, and the table."""

    name: str | None = None
    actor: str | None = None
    deed: ClauseStatement | None = None
    table: bool = False


def read_explanation(text: str) -> FreeTextReading:
    """Read one answer, in Chinese or English or both. Never fails; reads at most MAX_LENGTH characters."""
    memory = Memory()
    statements: list[ClauseStatement] = []
    marks: list[Mark] = []
    for sentence in read_sentences(text):
        stated = [statement for clause in sentence.clauses for statement in _read_clause(clause, memory)]
        if _WHY.search(sentence.text) and ("?" in sentence.text or not stated):
            continue
        marks += sentence.marks
        if _COUNTERFACTUAL.match(sentence.text):
            stated = [replace(statement, holds=True) for statement in stated]
        if not _YES_OR_NO.search(sentence.text) or _RHETORICAL.search(sentence.text):
            statements += stated
    kinds = frozenset(mark.kind for mark in marks)
    on_topic = any(map(_is_on_topic, statements)) or (kinds & TOPICS and kinds & SAYING)
    if _is_list_only(kinds) or not on_topic:
        return FreeTextReading(nonsense=True)
    ingredients = _find_ingredients(statements) | _find_by_order(marks, statements)
    swapped = _are_roles_swapped(statements)
    full = any(statement.verb == "full" and statement.holds for statement in statements)
    alone = not (ingredients or swapped or kinds & (NAMES | {"table", "other_reason"}))
    return FreeTextReading(
        ingredients,
        swapped,
        full and alone,
        denied=_find_denied(statements) - ingredients - ({"full"} if full else set()),
    )


def _is_list_only(kinds: frozenset[str]) -> bool:
    """Is the clause only a list of names, with no verb?"""
    return len(kinds & {"can", "may", "table"}) > 1 and not kinds & (SAYING | {"first", "full", "again"})


def _read_clause(clause: Clause, memory: Memory) -> list[ClauseStatement]:
    """The statements of a clause, given the clauses before it; updates `memory` for the next clause."""
    kinds = clause.kinds
    names = [mark.kind for mark in clause.marks if mark.kind in NAMES]
    inherited = _inherit_actor(clause, memory)
    about = kinds | ({"table"} if "entry" in kinds and memory.table else set())
    statements = _read_verbs(clause, inherited, about)
    deed, again = memory.deed, "again" in kinds
    if not statements and deed and (names or inherited) and (again or not (deed.holds or kinds - NAMES - {"stating"})):
        # "may_append does", or "but may_append" after a denial
        statements = [replace(deed, actor=names[0] if names else inherited, holds=True)]
    memory.name = names[0] if names else memory.name
    memory.actor = names[-1] if names else inherited
    memory.deed = next((s for s in reversed(statements) if s.verb in DEEDS), deed if again else None)
    memory.table = memory.table or "table" in kinds
    return statements


def _inherit_actor(clause: Clause, memory: Memory) -> str | None:
    """The subject of a clause without a name: "... and takes", "which takes", "it takes"; not "it is taken"."""
    main = [mark for mark in clause.marks if mark.kind not in SMALL_WORDS]
    if clause.joined and main and main[0].kind in DEEDS:
        return memory.actor
    return memory.name if main and refers_back(main[0]) and "passive" not in clause.kinds else None


def _read_verbs(clause: Clause, inherited: str | None, about: frozenset[str]) -> list[ClauseStatement]:
    """One statement for each verb; an odd number of negations since the previous verb denies it."""
    result: list[ClauseStatement] = []
    negations, checking, last = 0, False, ""
    for i, mark in enumerate(clause.marks):
        checking = checking and mark.kind not in NAMES | {"order"}
        denies_last = last in DENIED_AFTER and mark.text in DENIED_AFTER[last]
        if result and (denies_last or (mark.kind == "need" and negations % 2)):
            result[-1] = replace(result[-1], holds=not result[-1].holds)
            negations = 0
        elif mark.kind == "negation":
            negations += 1
        elif mark.kind == "verb":
            negations = 0
        elif mark.kind == "room":
            for_earlier_tokens = any(each.kind == "token" for each in clause.marks[:i])
            if not (checking or about & _NOT_THE_PAGE or for_earlier_tokens):
                holds = (negations + ("retracted" in about)) % 2 == 1
                result.append(ClauseStatement("full", None, holds, about))
            negations = 0
        elif mark.kind in (VERBS - {"take", "add"} if checking else VERBS):  # "asks whether it may take" does not take
            actor, denied = _find_actor(clause.marks, i)
            alike = bool(result) and not negations and (last == "or" or result[-1].verb == mark.kind)
            holds = result[-1].holds if alike else (negations + denied + ("retracted" in about)) % 2 == 0
            result.append(ClauseStatement(mark.kind, actor or inherited, holds or "otherwise" in about, about))
            negations, checking = 0, checking or mark.kind == "check"
        last = mark.kind
    taken_up = "used_up" in about or negations % 2 or any(s.verb == "take" and s.holds for s in result)
    return [*result, ClauseStatement("full", None, True, about)] if "slot" in about and taken_up else result


def _find_actor(marks: Sequence[Mark], at: int) -> tuple[str | None, bool]:
    """The name that a verb belongs to: "by name", else before it, else after it. Also: does "is not" deny that name?"""
    before = [i for i in reversed(range(at)) if marks[i].kind in NAMES]
    after = [i for i in range(at + 1, len(marks)) if marks[i].kind in NAMES]
    by = [i for i in after if marks[i].text.startswith("by ")]
    index = next(iter([*by, *before, *after]), None)
    if index is None:
        return None, False
    return marks[index].kind, index > at and any(mark.kind == "negation" for mark in marks[at:index])


def _is_on_topic(statement: ClauseStatement) -> bool:
    return statement.verb in {"new_page", "full"} or statement.actor is not None or "table" in statement.about


def _adds_entry(statement: ClauseStatement) -> bool:
    """Does the table gain an entry that is not a token?"""
    about = statement.about
    return statement.verb == "add" and "table" in about and bool("token" not in about or about & {"entry", "block"})


def _find_ingredients(statements: Sequence[ClauseStatement]) -> frozenset[str]:
    """The ingredients that are asserted of the right function, or without naming a function."""
    ingredients: set[str] = set()
    can_takes = any(s.verb == "take" and s.actor == "can" and s.holds for s in statements)
    for s in statements:
        if s.actor == "can" and not s.holds and (s.verb == "take" or _adds_entry(s)):
            ingredients.add("check")  # "can_append takes no block" says so too
        if not s.holds:
            continue
        if s.verb == "new_page":
            ingredients.add("crosses")
        if s.verb == "check" and (s.actor == "can" or (s.actor is None and s.about & {"block", "free"})):
            ingredients.add("check")
        if s.verb == "take" and s.actor is None and s.about & {"block", "thing"} and "slot" not in s.about:
            ingredients.add("act")
        if s.actor == "may" and (s.verb == "take" or (s.verb == "add" and s.about & OBJECTS)):
            ingredients.add("act")
        if _adds_entry(s):
            ingredients.add("table")
    return frozenset(ingredients - {"check"} if can_takes else ingredients)


def _find_by_order(marks: Sequence[Mark], statements: Sequence[ClauseStatement]) -> frozenset[str]:
    """ "First can_append, then may_append" states both roles by the order alone."""
    names = [mark.kind for mark in marks if mark.kind in NAMES]
    ordered = any(mark.kind == "first" for mark in marks) and not any(statement.actor for statement in statements)
    return frozenset({"check", "act"}) if ordered and names == ["can", "may"] else frozenset()


def _find_denied(statements: Sequence[ClauseStatement]) -> frozenset[str]:
    """What the text denies: "the page is not full", "no new page is needed", "may_append takes nothing"."""
    denied: set[str] = set()
    for s in (s for s in statements if not s.holds):
        if s.verb == "full":
            denied.add("full")
        if s.verb == "new_page":
            denied.add("crosses")
        if s.verb == "check" and s.actor == "can":
            denied.add("check")
        if s.verb == "take" and s.actor == "may":
            denied.add("act")
        if _adds_entry(s) and s.actor != "can":
            denied.add("table")
    return frozenset(denied)


def _are_roles_swapped(statements: Sequence[ClauseStatement]) -> bool:
    """Does can_append take a block or write the table, or does may_append only check?"""
    can = [s for s in statements if s.actor == "can" and s.holds]
    may = {s.verb for s in statements if s.actor == "may" and s.holds}
    return any(s.verb == "take" or _adds_entry(s) for s in can) or ("check" in may and not may & {"take", "add"})
