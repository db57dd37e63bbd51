"""The prediction of the memory lesson: a form until it is committed, then cards over which the outcomes are drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import streamlit as st

from lab.engine.errors import InvalidAnswerError
from lab.serving.guess import BANDS, LARGEST, QUESTIONS, Guess, Outcome, band_of, best, outcomes
from lab.serving.simulation import NUM_SLOTS, Policy, Result, Settings
from lab.serving.studies import table_entries, waste
from lessons.memory import attempt
from lessons.state import attempts
from lessons.text.sentences import say_error
from lessons.text.translations import WordsOf
from lessons.widgets import cards

POLICIES = tuple(policy.value for policy in Policy)


def policy_said(name: str, words: WordsOf) -> str:
    """A policy's name."""
    return words.text(f"memory.policy.{name}")


def _policy_explained(name: str, words: WordsOf) -> str:
    gist = words.text(f"memory.gist.{name}", size=Settings.block_size)
    return words.text("memory.explained", name=policy_said(name, words), gist=gist)


def _band_said(name: str, words: WordsOf) -> str:
    return words.text(f"memory.band.{name}")


def prediction_form(words: WordsOf) -> None:
    """Ask all three; nothing is committed before each answer can be read."""
    problems: dict[str, InvalidAnswerError] = attempts.noted(attempt.PROBLEMS, {})
    with st.form("predict.memory"):
        st.markdown(words.text("site.predict_lead"))
        left, right = st.columns(2, gap="large")
        with left:
            st.radio(
                words.text("memory.question.winner"),
                POLICIES,
                index=None,
                key=attempt.widget("winner"),
                format_func=partial(_policy_explained, words=words),
            )
            _problem(problems.get("winner"), words)
        with right:
            label = words.text("memory.question.percent", slots=f"{NUM_SLOTS:,}")
            st.text_input(label, key=attempt.widget("percent"), max_chars=10, autocomplete="off")
            if "percent" in problems:  # whatever is off: what belongs there
                _told(words.text("memory.percent_range"))
            st.radio(
                words.text("memory.question.waste", size=LARGEST, usual=Settings.block_size),
                list(BANDS),
                index=None,
                key=attempt.widget("waste"),
                format_func=partial(_band_said, words=words),
            )
            _problem(problems.get("waste"), words)
        if problems:
            st.markdown(f":red[**{words.text('task.format_note', count=len(problems))}**]")
        st.form_submit_button(words.text("task.commit"), type="primary", on_click=attempt.commit, key="memory_commit")


def _problem(problem: InvalidAnswerError | None, words: WordsOf) -> None:
    if problem is not None:
        _told(say_error(problem, words))


def _told(problem: str) -> None:
    st.markdown(f":red[▲ {problem}]")


def committed(guess: Guess, policies: Sequence[Result], sizes: Sequence[Result], words: WordsOf) -> None:
    """The answers; over each, what the runs of the guessed workload say."""
    found, own = outcomes(guess, policies, sizes), attempt.own(guess)
    answers = answers_said(guess, words)
    items = []
    for name in QUESTIONS:
        fact = found.get(name)
        items.append(
            cards.Card(
                words.text(f"memory.short.{name}", size=LARGEST),
                words.text("task.card.you" if own else "task.card.in_link", answer=answers[name]),
                outcome_said(name, fact, words),
                "waiting" if fact is None else "same" if fact.agrees else "other",
            )
        )
    st.markdown(words.text("memory.about", workload=words.text(f"memory.workload.{guess.workload}")))
    cards.cards(items, words.text("task.committed"))


def answers_said(guess: Guess, words: WordsOf) -> dict[str, str]:
    """The predicted answers in words, by question."""
    return {
        "winner": policy_said(guess.winner, words),
        "percent": f"{guess.percent}%",
        "waste": _band_said(guess.waste, words),
    }


def outcome_said(name: str, fact: Outcome | None, words: WordsOf) -> str:
    """What the runs say to this question, as far as they are done."""
    if fact is None:
        return words.text("task.card.waiting")
    value = policy_said(fact.value, words) if isinstance(fact.value, str) else f"{fact.value:.1f}%"
    close = name == "percent" and fact.agrees
    return words.text(f"memory.outcome.{'close' if close else 'same' if fact.agrees else 'other'}", value=value)


def ideas(
    guess: Guess, names: Collection[str], policies: Sequence[Result], sizes: Sequence[Result], words: WordsOf
) -> list[str]:
    """One sentence for each answer to these questions that the runs do not agree with. Pure."""
    found = outcomes(guess, policies, sizes)
    off = {name for name in names if name in found and not found[name].agrees}
    said = []
    if "winner" in off:
        said.append(_winner(guess, policies, words))
    if "percent" in off:
        said.append(_percent(guess, policies, words))
    if "waste" in off:
        said.append(_waste(guess, sizes, words))
    return said


def _winner(guess: Guess, policies: Sequence[Result], words: WordsOf) -> str:
    """Where the slots are with the policy that was guessed. With the maximum, by what takes most of them."""
    guessed = next(run for run in policies if run.settings.policy is guess.winner)
    other = best(policies, guess.winner)
    numbers = _shares(guessed)
    key = guess.winner.value
    if guess.winner is Policy.MAXIMUM:
        lost = {kind: getattr(guessed.shares, kind) for kind in ("reserved", "internal", "external")}
        key = f"maximum_{max(lost, key=lambda kind: lost[kind])}"
    numbers |= {"best": policy_said(other.settings.policy.value, words), "most": f"{other.shares.tokens:.1f}"}
    return words.text(f"memory.idea.winner_{key}", size=guessed.settings.block_size, **numbers)


def _percent(guess: Guess, policies: Sequence[Result], words: WordsOf) -> str:
    """Where the slots without a token are, with the best policy."""
    run = best(policies, guess.winner)
    kind = "low" if guess.percent < run.shares.tokens else "high"
    paged = run.settings.policy is Policy.PAGED
    policy = policy_said(run.settings.policy.value, words)
    return words.text(f"memory.idea.percent_{kind if paged else 'piece'}", policy=policy, **_shares(run))


def _waste(guess: Guess, sizes: Sequence[Result], words: WordsOf) -> str:
    """The waste with the largest pages, and with the smallest."""
    by_size = {run.settings.block_size: run for run in sizes}
    largest, small = by_size[LARGEST], min(by_size)
    names = list(BANDS)
    low = names.index(guess.waste) < names.index(band_of(waste(largest)))
    return words.text(
        f"memory.idea.waste_{'low' if low else 'high'}",
        size=LARGEST,
        waste=f"{waste(largest):.1f}",
        entries=f"{table_entries(largest):.1f}",
        small=small,
        small_waste=f"{waste(by_size[small]):.1f}",
    )


def _shares(run: Result) -> dict[str, str]:
    """Percentages of the pool as they are said; `waste`: empty slots in the requests' own pages."""
    names = ("tokens", "reserved", "internal", "external")
    return {name: f"{getattr(run.shares, name):.1f}" for name in names} | {"waste": f"{waste(run):.1f}"}
