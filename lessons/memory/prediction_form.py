"""The prediction of the memory lesson: a form until it is committed, then cards over which the outcomes are drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import streamlit as st

from lab.engine.errors import InvalidAnswerError
from lab.serving.guess import BANDS, LARGEST, QUESTIONS, Guess, GuessOutcome, find_band, find_best, observe_outcomes
from lab.serving.simulation import NUM_SLOTS, ServingPolicy, ServingResult, Settings
from lab.serving.studies import measure_table_entries, measure_waste
from lessons.memory import attempt as memory
from lessons.state import attempts
from lessons.text.sentences import format_error
from lessons.text.translations import Translations
from lessons.widgets import cards

POLICIES = tuple(policy.value for policy in ServingPolicy)


def format_policy(name: str, words: Translations) -> str:
    """A policy's name."""
    return words.text(f"memory.policy.{name}")


def _explain_policy(name: str, words: Translations) -> str:
    gist = words.text(f"memory.gist.{name}", size=Settings.block_size)
    return words.text("memory.explained", name=format_policy(name, words), gist=gist)


def _format_band(name: str, words: Translations) -> str:
    return words.text(f"memory.band.{name}")


def ask_prediction(words: Translations) -> None:
    """Ask all three; nothing is committed before each answer can be read."""
    problems: dict[str, InvalidAnswerError] = attempts.get_note(memory.PROBLEMS, {})
    with st.form("predict.memory"):
        st.markdown(words.text("site.predict_lead"))
        left, right = st.columns(2, gap="large")
        with left:
            st.radio(
                words.text("memory.question.winner"),
                POLICIES,
                index=None,
                key=memory.get_widget_key("winner"),
                format_func=partial(_explain_policy, words=words),
            )
            _show_problem(problems.get("winner"), words)
        with right:
            label = words.text("memory.question.percent", slots=f"{NUM_SLOTS:,}")
            st.text_input(label, key=memory.get_widget_key("percent"), max_chars=10, autocomplete="off")
            if "percent" in problems:  # whatever is off: what belongs there
                _show_text(words.text("memory.percent_range"))
            st.radio(
                words.text("memory.question.waste", size=LARGEST, usual=Settings.block_size),
                list(BANDS),
                index=None,
                key=memory.get_widget_key("waste"),
                format_func=partial(_format_band, words=words),
            )
            _show_problem(problems.get("waste"), words)
        if problems:
            st.markdown(f":red[**{words.text('task.format_note', count=len(problems))}**]")
        st.form_submit_button(words.text("task.commit"), type="primary", on_click=memory.commit, key="memory_commit")


def _show_problem(problem: InvalidAnswerError | None, words: Translations) -> None:
    if problem is not None:
        _show_text(format_error(problem, words))


def _show_text(problem: str) -> None:
    st.markdown(f":red[▲ {problem}]")


def show_prediction(
    guess: Guess, policies: Sequence[ServingResult], sizes: Sequence[ServingResult], words: Translations
) -> None:
    """The answers; over each, what the runs of the guessed workload say."""
    found, is_mine = observe_outcomes(guess, policies, sizes), memory.is_mine(guess)
    answers = format_answers(guess, words)
    items = []
    for name in QUESTIONS:
        fact = found.get(name)
        items.append(
            cards.Card(
                words.text(f"memory.short.{name}", size=LARGEST),
                words.text("task.card.you" if is_mine else "task.card.in_link", answer=answers[name]),
                format_outcome(name, fact, words),
                "waiting" if fact is None else "same" if fact.agrees else "other",
            )
        )
    st.markdown(words.text("memory.about", workload=words.text(f"memory.workload.{guess.workload}")))
    cards.draw_cards(items, words.text("task.committed"))


def format_answers(guess: Guess, words: Translations) -> dict[str, str]:
    """The predicted answers in words, by question."""
    return {
        "winner": format_policy(guess.winner, words),
        "percent": f"{guess.percent}%",
        "waste": _format_band(guess.waste, words),
    }


def format_outcome(name: str, fact: GuessOutcome | None, words: Translations) -> str:
    """What the runs say to this question, as far as they are done."""
    if fact is None:
        return words.text("task.card.waiting")
    value = format_policy(fact.value, words) if isinstance(fact.value, str) else f"{fact.value:.1f}%"
    close = name == "percent" and fact.agrees
    return words.text(f"memory.outcome.{'close' if close else 'same' if fact.agrees else 'other'}", value=value)


def describe_ideas(
    guess: Guess,
    names: Collection[str],
    policies: Sequence[ServingResult],
    sizes: Sequence[ServingResult],
    words: Translations,
) -> list[str]:
    """One sentence for each answer to these questions that the runs do not agree with. Pure."""
    found = observe_outcomes(guess, policies, sizes)
    off = {name for name in names if name in found and not found[name].agrees}
    sentences = []
    if "winner" in off:
        sentences.append(_explain_winner(guess, policies, words))
    if "percent" in off:
        sentences.append(_explain_percent(guess, policies, words))
    if "waste" in off:
        sentences.append(_explain_waste(guess, sizes, words))
    return sentences


def _explain_winner(guess: Guess, policies: Sequence[ServingResult], words: Translations) -> str:
    """Where the slots are with the policy that was guessed. With the maximum, by what takes most of them."""
    guessed = next(run for run in policies if run.settings.policy is guess.winner)
    other = find_best(policies, guess.winner)
    numbers = _format_shares(guessed)
    key = guess.winner.value
    if guess.winner is ServingPolicy.MAXIMUM:
        lost = {kind: getattr(guessed.shares, kind) for kind in ("reserved", "internal", "external")}
        key = f"maximum_{max(lost, key=lambda kind: lost[kind])}"
    numbers |= {"best": format_policy(other.settings.policy.value, words), "most": f"{other.shares.tokens:.1f}"}
    return words.text(f"memory.idea.winner_{key}", size=guessed.settings.block_size, **numbers)


def _explain_percent(guess: Guess, policies: Sequence[ServingResult], words: Translations) -> str:
    """Where the slots without a token are, with the best policy."""
    run = find_best(policies, guess.winner)
    kind = "low" if guess.percent < run.shares.tokens else "high"
    paged = run.settings.policy is ServingPolicy.PAGED
    policy = format_policy(run.settings.policy.value, words)
    return words.text(f"memory.idea.percent_{kind if paged else 'piece'}", policy=policy, **_format_shares(run))


def _explain_waste(guess: Guess, sizes: Sequence[ServingResult], words: Translations) -> str:
    """The waste with the largest pages, and with the smallest."""
    by_size = {run.settings.block_size: run for run in sizes}
    largest, small = by_size[LARGEST], min(by_size)
    names = list(BANDS)
    low = names.index(guess.waste) < names.index(find_band(measure_waste(largest)))
    return words.text(
        f"memory.idea.waste_{'low' if low else 'high'}",
        size=LARGEST,
        waste=f"{measure_waste(largest):.1f}",
        entries=f"{measure_table_entries(largest):.1f}",
        small=small,
        small_waste=f"{measure_waste(by_size[small]):.1f}",
    )


def _format_shares(run: ServingResult) -> dict[str, str]:
    """Percentages of the pool as they are said; `waste`: empty slots in the requests' own pages."""
    names = ("tokens", "reserved", "internal", "external")
    return {name: f"{getattr(run.shares, name):.1f}" for name in names} | {"waste": f"{measure_waste(run):.1f}"}
