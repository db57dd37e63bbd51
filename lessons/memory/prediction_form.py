"""The prediction in the memory lesson: a form until it is committed, then cards with the outcomes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

import streamlit as st

from lab.activities.attempt import Attempt
from lab.activities.question import Grade
from lab.serving.guess import (
    BANDS,
    LARGEST,
    QUESTIONS,
    Guess,
    find_band,
    find_best,
    get_predicted,
    observe_outcomes,
)
from lab.serving.simulation import NUM_SLOTS, ServingPolicy, ServingResult, Settings
from lab.serving.studies import measure_table_entries, measure_waste
from lessons.activity.answer_cards import AnswerCard, draw_answer_cards
from lessons.memory import attempt as memory
from lessons.memory.jobs import POLICIES, SIZES, Jobs
from lessons.state import record
from lessons.text.translations import Translations
from lessons.widgets.question_form import Field, ask_questions

NUMBERS = {"slots": f"{NUM_SLOTS:,}", "size": LARGEST, "usual": Settings.block_size}  # of the questions


def format_policy(name: str, words: Translations) -> str:
    """Return a policy's name."""
    return words.text(f"memory.policy.{name}")


def _explain_policy(name: str, words: Translations) -> str:
    gist = words.text(f"memory.gist.{name}", size=Settings.block_size)
    return words.text("memory.explained", name=format_policy(name, words), gist=gist)


def _format_band(name: str, words: Translations) -> str:
    return words.text(f"memory.band.{name}")


def ask_prediction(words: Translations) -> None:
    """Draw the form with the three questions. It commits once every answer can be read."""
    formats = {"winner": partial(_explain_policy, words=words), "waste": partial(_format_band, words=words)}
    ask_questions(
        "predict.memory",
        [
            Field(
                question,
                f"predict.memory.{question.id}",
                words.text(f"memory.question.{question.id}", **NUMBERS),
                formats.get(question.id, str),
            )
            for question in QUESTIONS
        ],
        lambda values, _sure: memory.commit(*values),
        words,
        key="memory_commit",
        lead=words.text("site.predict_lead"),
        columns=2,
    )


def show_prediction(attempt: Attempt, done: Jobs, words: Translations) -> None:
    """Draw the answers, each with the outcome of the runs."""
    guess = Guess.read(attempt)
    found = observe_outcomes(guess, done.of(POLICIES), done.of(SIZES))
    items = [
        AnswerCard(
            words.text(f"memory.short.{name}", size=LARGEST),
            answer,
            format_outcome(name, found[name], words) if name in found else "",
            right=name in found and found[name].right,
        )
        for name, answer in format_answers(guess, words).items()
    ]
    st.markdown(words.text("memory.about", workload=words.text(f"memory.workload.{get_predicted(attempt)}")))
    draw_answer_cards(items, words, is_mine=record.is_mine(attempt), folded=False)


def format_answers(guess: Guess, words: Translations) -> dict[str, str]:
    """Return the predicted answers as text, by question."""
    return {
        "winner": format_policy(guess.winner, words),
        "percent": f"{guess.percent}%",
        "waste": _format_band(guess.waste, words),
    }


def format_outcome(name: str, fact: Grade, words: Translations) -> str:
    """Say what the runs answer."""
    value = format_policy(fact.value, words) if isinstance(fact.value, str) else f"{fact.value:.1f}%"
    close = name == "percent" and fact.right
    return words.text(f"memory.outcome.{'close' if close else 'same' if fact.right else 'other'}", value=value)


def describe_ideas(
    guess: Guess,
    names: Collection[str],
    policies: Sequence[ServingResult],
    sizes: Sequence[ServingResult],
    words: Translations,
) -> list[str]:
    """Return a sentence for each answer to these questions that the runs contradict. Pure."""
    found = observe_outcomes(guess, policies, sizes)
    explain: dict[str, Callable[[], str]] = {
        "winner": lambda: _explain_winner(guess.winner, policies, words),
        "percent": lambda: _explain_percent(guess.percent, find_best(policies, guess.winner), words),
        "waste": lambda: _explain_waste(guess.waste, sizes, words),
    }
    return [say() for name, say in explain.items() if name in names and name in found and not found[name].right]


def _explain_winner(guess: ServingPolicy, policies: Sequence[ServingResult], words: Translations) -> str:
    """Say where the slots go with the guessed policy. With the maximum policy, name what takes the most slots."""
    guessed = next(run for run in policies if run.settings.policy is guess)
    other = find_best(policies, guess)
    numbers = _format_shares(guessed)
    key = guess.value
    if guess is ServingPolicy.MAXIMUM:
        lost = {kind: getattr(guessed.shares, kind) for kind in ("reserved", "internal", "external")}
        key = f"maximum_{max(lost, key=lambda kind: lost[kind])}"
    numbers |= {"best": format_policy(other.settings.policy.value, words), "most": f"{other.shares.tokens:.1f}"}
    return words.text(f"memory.idea.winner_{key}", size=guessed.settings.block_size, **numbers)


def _explain_percent(guess: int, run: ServingResult, words: Translations) -> str:
    """Say where the slots without a token are with the best policy."""
    kind = "low" if guess < run.shares.tokens else "high"
    paged = run.settings.policy is ServingPolicy.PAGED
    policy = format_policy(run.settings.policy.value, words)
    return words.text(f"memory.idea.percent_{kind if paged else 'piece'}", policy=policy, **_format_shares(run))


def _explain_waste(guess: str, sizes: Sequence[ServingResult], words: Translations) -> str:
    """Compare the waste of the largest and the smallest pages."""
    by_size = {run.settings.block_size: run for run in sizes}
    largest, small = by_size[LARGEST], min(by_size)
    names = list(BANDS)
    low = names.index(guess) < names.index(find_band(measure_waste(largest)))
    return words.text(
        f"memory.idea.waste_{'low' if low else 'high'}",
        size=LARGEST,
        waste=f"{measure_waste(largest):.1f}",
        entries=f"{measure_table_entries(largest):.1f}",
        small=small,
        small_waste=f"{measure_waste(by_size[small]):.1f}",
    )


def _format_shares(run: ServingResult) -> dict[str, str]:
    """Format the shares of the pool in percent. `waste`: empty slots within the requests' own pages."""
    names = ("tokens", "reserved", "internal", "external")
    return {name: f"{getattr(run.shares, name):.1f}" for name in names} | {"waste": f"{measure_waste(run):.1f}"}
