"""What a link, a file or a stored record stands for, in plain values: numbers, texts and lists, no name of a class.

`tests/data/recorded_states.json` holds such texts as the first version of the lab wrote them, each with its state then.
`python -m tests.recorded` prints what the lab of today makes of them. One state is not as it was: the question about an
append for which no block is free had a wrong key, that of the lab's own withdrawal; it has nano-vLLM's steps now, in
the places of the old ones, and whoever was right is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.activities import old_links
from lab.activities.attempt import encode_cursor, parse_cursor
from lab.activities.cases.task import TASKS
from lab.activities.intuition.progress import IntuitionView
from lab.engine.errors import LabError
from lab.quiz.generate import generate_named
from lab.quiz.link import parse_name
from lab.quiz.question import QuizQuestion
from lab.quiz.round import play_turns
from lab.sandbox.files import read_file
from lab.sandbox.scenario import Scenario
from lab.serving.guess import Guess, MemoryView
from lab.trace.operations import encode_operation
from lab.trace.timeline import Timeline
from tests.links import parse_round, parse_run, parse_scenario

PATH = Path(__file__).parent / "data" / "recorded_states.json"


def describe_timeline(timeline: Timeline) -> dict[str, Any]:
    """How a run begins and ends, and what became of each operation."""
    last = timeline.snapshot(len(timeline.steps))
    return {
        "queue_before": list(timeline.start.free_block_ids),
        "operations": [encode_operation(step.operation) for step in timeline.steps],
        "refused": [number for number, step in enumerate(timeline.steps) if step.refusal],
        "queue_after": list(last.free_block_ids),
        "ref_counts": [block.ref_count for block in last.blocks],
        "tables": {view.seq_id: list(view.block_table) for view in last.sequences},
        "tokens": {view.seq_id: view.num_tokens for view in last.sequences},
        "token_ids": {view.seq_id: list(view.token_ids) for view in last.sequences},
    }


def describe_run(text: str) -> dict[str, Any]:
    """A run of the task or of a lesson's case, with its prediction."""
    run = parse_run(text)
    return {
        "case": "" if run.attempt.kind in TASKS else run.case.id,
        "block_size": run.config.block_size,
        "answers": [answer.number for answer in run.answers] if run.is_predicted else None,
        "sure": [answer.is_sure for answer in run.answers] if run.is_predicted else None,
        "form": run.case.form(run.pick) if run.is_predicted else "",
        **describe_timeline(Timeline.replay(run.config, run.operations)),
    }


def describe_cursor(text: str) -> dict[str, Any]:
    """A cursor in a run, `run|cursor`: the state in view."""
    run_part, _, at = text.partition("|")
    run = parse_run(run_part)
    cursor = parse_cursor(at, run.operations)
    return {"step": cursor.step, "event": cursor.event, "text": encode_cursor(cursor)}


def describe_question(question: QuizQuestion) -> dict[str, Any]:
    """A question of the quiz: what is asked, of which run, and the answer."""
    answer = question.answer
    plain = sorted(map(str, answer)) if isinstance(answer, frozenset) else answer
    return {
        "kind": question.name.kind,
        "block_size": question.config.block_size,
        "queue": list(question.config.free_block_ids),
        "operations": [encode_operation(operation) for operation in question.operations],
        "answer": list(plain) if isinstance(plain, tuple) else plain,
    }


def describe_name(text: str) -> dict[str, Any]:
    """A single question of the quiz."""
    return describe_question(generate_named(parse_name(text)))


def describe_round(text: str) -> dict[str, Any]:
    """A round of the quiz and how it went so far."""
    played = parse_round(text)
    return {
        "length": played.length,
        "answered": len(played.answers),
        "turns": [
            {**describe_question(turn.question), "right": turn.result.right if turn.result else None}
            for turn in play_turns(played)
        ],
    }


def describe_intuition(text: str) -> dict[str, Any]:
    """Where someone is in the first lesson."""
    visit = IntuitionView.read(*old_links.read(text, "intuition")) if text else IntuitionView()
    answers = [[answer.number, answer.is_sure] for answer in visit.answers]
    return {"answers": answers, "scene": visit.scene, "frame": visit.frame}


def describe_memory(text: str) -> dict[str, Any]:
    """What someone predicted and looks at in the lesson on memory."""
    visit = MemoryView.read(*old_links.read(text, "memory")) if text else MemoryView()
    workload, _, file = visit.attempt.activity.removeprefix("memory.").partition("-")
    predicted = [workload, file, *Guess.read(visit.attempt)] if visit.attempt.answers else None
    return {"workload": visit.workload, "guess": predicted, "ran": visit.ran, "size": visit.size}


def describe_scenario(scenario: Scenario) -> dict[str, Any]:
    """A state of the sandbox."""
    return {
        "num_blocks": scenario.num_blocks,
        "block_size": scenario.block_size,
        "prepared": scenario.key,
        "texts": list(scenario.texts),
        **describe_timeline(Timeline.replay(scenario.config, scenario.operations)),
    }


def describe_sandbox(text: str) -> dict[str, Any]:
    """A link of the sandbox."""
    return describe_scenario(parse_scenario(text))


def describe_file(text: str) -> dict[str, Any]:
    """A scenario file."""
    state = read_file(text.encode())
    return {"at": state.at, **describe_scenario(state.scenario)}


DESCRIBE: dict[str, Callable[[str], dict[str, Any]]] = {
    "run": describe_run,
    "cursor": describe_cursor,
    "question": describe_name,
    "round": describe_round,
    "intuition": describe_intuition,
    "memory": describe_memory,
    "sandbox": describe_sandbox,
    "file": describe_file,
}


def describe(kind: str, text: str) -> dict[str, Any]:
    """The state behind a text; a refusal as its code and numbers. As JSON would hold it."""
    try:
        found = DESCRIBE[kind](text)
    except LabError as error:
        found = {"refused": error.code}
    plain: dict[str, Any] = json.loads(json.dumps(found))
    return plain


def load() -> list[dict[str, Any]]:
    """Everything that was recorded: kind, text, state."""
    found: list[dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))["states"]
    return found


if __name__ == "__main__":
    print(json.dumps([describe(each["kind"], each["text"]) for each in load()], indent=1))
