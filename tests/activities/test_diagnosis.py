"""From a wrong answer to its idea, the right one or none; and texts for every possible answer."""

from __future__ import annotations

import ast
import re
from itertools import product
from pathlib import Path

import pytest

from lab.activities.cases.task import RESIZED, TASK
from lab.activities.counterexample import run_counterexample
from lab.activities.diagnosis import diagnose, diagnose_one, get_confused_pair, get_rules
from lab.activities.free_text import INGREDIENTS
from lab.activities.ideas import find_idea
from lab.activities.question import FORMS, QUESTIONS, Grade, Question, observe_outcomes
from lab.activities.run import Run
from lab.activities.trace_points import Number, Outcome, TracePoint, iterate_trace_points
from lab.trace.operations import parse_operation
from lab.trace.presets import USED_QUEUE, build_fresh_queue, build_task_config
from lab.trace.snapshot import Snapshot
from lab.trace.timeline import Step, Timeline
from lessons.lesson.glossary import ROWS
from lessons.task.chapter_question import OPTIONS
from lessons.text.sentences import explain_grade
from lessons.text.translations import LANGUAGES, Language, get_translations, load_strings
from tests.links import parse_run, predict
from tests.sample import every_language, sampled

LESSONS = Path(__file__).parent.parent.parent / "lessons"
SUGGESTED = "aA aB tB rA rB"
ORDERS = [
    SUGGESTED,
    "aB aA tB rB rA",
    "aB tB rB aA rA",
    "aA rA aB tB tB",
    "aB aA rB aB tB rA",
    "aA tA tA tA tA tA rA aB tB",
    "tB rA aA aA aB tB aB tA rA rA rB tB",
]
ASKED: dict[str, Question] = {question.id: question for form in FORMS.values() for question in form}
LOGICAL, PHYSICAL, EMPTY = "logical_page", "physical_block", "empty_slot"
CHECK = ("check", "allocate")

# Every idea, the answers that it gives, and the two concepts that it confuses (none: most slips).
Named = tuple[str, int, str, tuple[int, ...], tuple[str, ...]]
NAMED: list[Named] = [
    ("floor_for_ceil", 4, "blocks", (2,), (LOGICAL, EMPTY)),
    ("slip_size_for_count", 4, "blocks", (4,), ()),
    ("slip_block_per_token", 4, "blocks", (11,), ()),
    ("slip_one_too_many", 5, "blocks", (4,), ()),
    ("slip_other_size", 8, "blocks", (3,), ()),
    ("slip_other_size", 8, "empty_slots", (1,), ()),
    ("used_as_empty", 4, "empty_slots", (3,), ("used_slot", EMPTY)),
    ("no_fragmentation", 4, "empty_slots", (0,), (LOGICAL, EMPTY)),
    ("slip_whole_page", 4, "empty_slots", (4,), ()),
    ("slip_free_blocks", 4, "empty_slots", (13,), (PHYSICAL, EMPTY)),
    ("full_page_reused", 4, "new_page", (0,), (LOGICAL, EMPTY)),
    ("slip_append_always_takes", 8, "new_page", (1,), CHECK),
    ("ids_consecutive", 4, "consecutive", (1,), (LOGICAL, PHYSICAL)),
    ("check_allocates", 4, "table_after_check", (2,), CHECK),
    ("slip_entry_per_token", 4, "table_after_check", (5,), ()),
    ("slip_table_empty", 4, "table_after_check", (0,), ()),
    ("slip_table_order", 4, "last_to_join", (14, 2), ()),
    ("id_is_index", 4, "last_to_join", (0, 1), (LOGICAL, PHYSICAL)),
    ("slip_tail_unchanged", 4, "last_to_join", (13,), ()),
    ("slip_joins_head", 4, "last_to_join", (11,), ()),
    ("used_as_empty", 8, "b_empty_slots", (5,), ("used_slot", EMPTY)),
    ("no_fragmentation", 8, "b_empty_slots", (0,), (LOGICAL, EMPTY)),
    ("slip_larger_wastes_more", 8, "b_empty_slots", (4, 6, 7), ()),
]
UNKNOWN = [("blocks", 4, (0, 1, 5, 7, 12, 999)), ("empty_slots", 4, (2, 5, 16, 999)), ("b_empty_slots", 8, (1, 2))]
UNKNOWN += [("table_after_check", 4, (3, 4, 9, 999)), ("last_to_join", 4, (3, 5, 9, 10, 16, 999))]


RULES = {(question.id, idea) for question in ASKED.values() for idea, _ in get_rules(question)}


def replay(order: str, size: int = 4, queue: tuple[int, ...] = USED_QUEUE) -> list[Step]:
    return Timeline.replay(build_task_config(size, queue), [parse_operation(text) for text in order.split()]).steps


def run(order: str = SUGGESTED, size: int = 4, queue: tuple[int, ...] = USED_QUEUE) -> list[TracePoint]:
    return list(iterate_trace_points(replay(order, size, queue)))


def collect_outcomes(points: list[TracePoint]) -> dict[str, Outcome]:
    """The outcomes that the page compares with; the counterexample's if ids were consecutive by luck."""
    outcomes = observe_outcomes(points, tuple(ASKED.values()))
    return {name: run_counterexample() if name == "consecutive" else fact for name, fact in outcomes.items()}


def one(question: str, answer: int, points: list[TracePoint]) -> Grade:
    return diagnose_one(ASKED[question], answer, collect_outcomes(points)[question], points)


@pytest.mark.parametrize("named", NAMED, ids=lambda named: f"{named[0]}-{named[2]}")
def test_a_wrong_answer_names_its_idea_and_the_pair_that_it_confuses(named: Named) -> None:
    idea, size, question, answers, pair = named
    for answer in answers:
        found = one(question, answer, run(size=size))
        assert (found.idea, get_confused_pair(found.idea), found.right) == (idea, pair, False), answer


def test_the_table_above_knows_every_idea() -> None:
    """Each rule of each question is met by an answer."""
    assert {(named[2], named[0]) for named in NAMED} == RULES


@pytest.mark.parametrize(("question", "size", "answers"), UNKNOWN)
def test_an_answer_that_no_idea_gives_is_not_guessed_at(question: str, size: int, answers: tuple[int, ...]) -> None:
    """The page derives the engine's answer instead."""
    for answer in answers:
        found = one(question, answer, run(size=size))
        assert (found.idea, get_confused_pair(found.idea), found.right) == ("", (), False), answer
        for language in LANGUAGES:
            assert str(found.value) in re.findall(r"\d+", explain_grade("task", found, get_translations(language)))


@pytest.mark.parametrize(("form", "size"), [("P", 4), ("P", 1), ("Q", 8)])
def test_right_answers_have_no_idea(form: str, size: int) -> None:
    points = run(size=size)
    outcomes = collect_outcomes(points)
    right = tuple(outcomes[question.id].value for question in FORMS[form])
    begun = Run.of_task(build_task_config(), {"P": TASK, "Q": RESIZED}[form])
    found = diagnose(predict(begun, right, sure=True), outcomes, points)
    assert [(d.idea, d.right, d.question) for d in found] == [("", True, question.id) for question in FORMS[form]]


def test_sure_and_wrong_comes_first() -> None:
    """Then wrong, then right, each in the order of the questions. Questions without an outcome are left out."""
    predicted = parse_run("4.used_P3-3-0-0-2-7-101011_")
    found = diagnose(predicted, collect_outcomes(run()), run())
    order = ["new_page", "table_after_check", "empty_slots", "blocks", "last_to_join", "consecutive"]
    assert [d.question for d in found] == order
    assert [(d.right, d.sure) for d in found[:3]] == [(False, True), (False, True), (False, False)]
    points = run("aA")
    assert [d.question for d in diagnose(predicted, collect_outcomes(points), points)] == [
        "empty_slots",
        "blocks",
        "consecutive",
    ]
    assert diagnose(predicted, {}, []) == []


def test_a_diagnosis_asks_only_what_the_run_shows() -> None:
    """On another pool the same idea gives another answer."""
    queue = tuple(reversed(range(16)))
    assert one("last_to_join", 13, run(queue=queue)).idea == "slip_table_order"  # on this pool A's own last block
    assert one("last_to_join", 0, run(queue=queue)).idea == "id_is_index"
    assert one("empty_slots", 13, run("aB aA", queue=queue)).idea == ""  # 12 blocks are free at that moment
    assert one("empty_slots", 12, run("aB aA", queue=queue)).idea == "slip_free_blocks"


BROKEN = re.compile(r"[{}]|\[\]|\[,|, ?[,.，。]|[:：] ?[,.，。]|None|(?<![\w−])-\d|\s\s")


@pytest.mark.parametrize("size", sampled(range(1, 17), (1, 4, 8)))
def test_whatever_was_answered_can_be_said_in_both_languages(size: int) -> None:
    """No missing number and no empty list, for every answer, both pools, odd orders of operations and both outcomes."""
    for queue, order in product((USED_QUEUE, build_fresh_queue()), ORDERS):
        points = run(order, size, queue)
        own, witnessed = observe_outcomes(points, tuple(ASKED.values())), collect_outcomes(points)
        for name in own:
            for answer in (0, 1) if ASKED[name].form == "yes_no" else range(21):
                for outcome in {own[name], witnessed[name]}:
                    found = diagnose_one(ASKED[name], answer, outcome, points)
                    assert not (found.right and found.idea)
                    for language in LANGUAGES:
                        text = explain_grade("task", found, get_translations(language))
                        assert not BROKEN.search(text), (order, name, answer, text)


def table_of(snapshot: Snapshot, seq_id: str) -> tuple[int, ...]:
    view = snapshot.sequence(seq_id)
    assert view is not None
    return view.block_table


@pytest.mark.parametrize("size", range(1, 17))
@pytest.mark.parametrize("queue", [USED_QUEUE, build_fresh_queue()], ids=["used", "fresh"])
def test_the_numbers_are_those_of_the_run(size: int, queue: tuple[int, ...]) -> None:
    """Counted independently from tables, queues and lengths between the operations."""
    allocated, arrived_b, appended, released, _ = replay(SUGGESTED, size, queue)
    a, b = table_of(allocated.after, "A"), table_of(appended.after, "B")
    last = 11 - (len(a) - 1) * size
    of_a: dict[str, Number] = {
        "a_tokens": 11,
        "a_blocks": len(a),
        "a_table": a,
        "a_reversed": released.after.free_block_ids[-len(a) :],
        "a_slots": len(a) * size,
        "a_last": last,
        "a_empty": size - last,
        "a_pages": " + ".join([str(size)] * (len(a) - 1) + [str(last)]),
    }
    of_b: dict[str, int | str] = {"b_tokens": 5, "b_blocks": len(b), "b_slots": len(b) * size}
    of_b |= {"b_empty": len(b) * size - 5, "b_last": 5 - (len(b) - 1) * size}
    points = list(iterate_trace_points([allocated, arrived_b, appended, released]))
    for name in ("blocks", "empty_slots", "last_to_join"):
        numbers = one(name, 999, points).facts
        assert {key: numbers[key] for key in of_a} == of_a
        assert (numbers["block_size"], numbers["a_left"]) == (size, 11 - 999 * size)
    assert one("blocks", 999, points).facts["free"] == len(allocated.after.free_block_ids)
    numbers = one("b_empty_slots", 999, points).facts
    assert {key: numbers[key] for key in of_b} == of_b
    numbers = one("table_after_check", 999, points).facts
    assert (numbers["b_tokens"], numbers["ids"]) == (5, table_of(appended.before, "B"))
    assert one("new_page", 0, points).facts["ids"] == (b[-1],)


@every_language
@pytest.mark.parametrize(("size", "queue"), [(4, build_fresh_queue()), (16, USED_QUEUE)])
def test_what_is_said_of_a_s_ids_is_true_of_this_run(language: Language, size: int, queue: tuple[int, ...]) -> None:
    """If only the counterexample answers, its ids are not presented as those that A got here."""
    points = run(size=size, queue=queue)
    own = (
        get_translations(language)
        .text("figures.comma")
        .join(map(str, table_of(replay("aA", size, queue)[0].after, "A")))
    )
    text = explain_grade("task", one("consecutive", 1, points), get_translations(language))
    assert re.search(rf"(?<![\d,、]){own}(?![,、]? ?\d)", text), text


def below(prefix: str) -> set[str]:
    """The names directly under a dotted key, the same in both languages."""
    found = {k.removeprefix(f"{prefix}.") for k in load_strings("en") if k.startswith(f"{prefix}.")}
    assert found == {k.removeprefix(f"{prefix}.") for k in load_strings("zh") if k.startswith(f"{prefix}.")}
    return found


def test_every_idea_concept_and_question_has_its_words_and_none_is_left_over() -> None:
    concepts = {name for _, idea in RULES for name in find_idea(idea).confuses}
    assert below("task.idea") == {f"{question}_{idea}" for question, idea in RULES}
    assert below("task.derive") == below("task.question") == below("task.short") == set(ASKED)
    assert below("explain.again_question") == {question.id for question in QUESTIONS}
    assert concepts == set(ROWS) <= below("misconceptions.concept")
    assert below("explain.quiz") == below("explain.quiz_why") == set(OPTIONS)
    assert below("explain.ingredient") == set(INGREDIENTS)
    rows = set(ROWS.values())
    assert below("explain.table") == rows | {f"{row}_not" for row in rows} | {"object", "answers", "is_not"}


def test_the_other_words_of_the_parts_are_asked_for_in_the_code() -> None:
    """As a whole key, or as the parts of an f-string."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in LESSONS.rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    pieces = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    plain = {k for k in load_strings("en") if re.fullmatch(r"(explain|eight)\.\w+|eight\.column\.\w+", k)}
    dead = [
        key
        for key in plain
        if not any(key[:i] in pieces and (i == len(key) or key[i:] in pieces) for i in range(6, len(key) + 1))
    ]
    assert dead == []
