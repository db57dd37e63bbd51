"""The learner's answers, each with what the run did: as cards, or as chips that open to their cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from lessons.presenter import presenter
from lessons.state import presenting
from lessons.text.translations import Translations
from lessons.widgets.after_page import announce

_SIGNS = {"waiting": "…", "same": "✓", "other": "≠"}


@dataclass(frozen=True)
class AnswerCard:
    """An answer as text. `outcome`: what the run did, empty until it has; `new`: done by the newest step."""

    question: str
    answer: str
    outcome: str = ""
    right: bool = False
    sure: bool = False
    new: bool = False

    @property
    def state(self) -> str:
        """How it is drawn: waiting, same or other."""
        return ("same" if self.right else "other") if self.outcome else "waiting"


def draw_answer_cards(items: Sequence[AnswerCard], words: Translations, *, is_mine: bool, folded: bool = True) -> None:
    """Draw the cards. Folded, each is a chip with a sign and the question's name. Announces the outcomes that are new.

    `is_mine`: were the answers given in this browser? Else they came with a link. In front of a class the cards stay
    hidden until they are revealed. The style of the chips is in one_view.css.
    """
    if presenting.hide_answer():
        presenter.draw_placeholder("prediction", words)
        return
    tag, owner = "div" if folded else "li", "you" if is_mine else "in_link"
    texts = []
    waiting = words.text("task.card.waiting")
    for item in items:
        answer = words.text(f"task.card.{owner}{'_sure' * item.sure}", answer=item.answer)
        text = (
            f'<{tag} class="kv-card {item.state}"><span class="q">{escape(item.question)}</span><span class="a">'
            f'{escape(answer)}</span><span class="o">{escape(item.outcome or waiting)}</span>'
            f"</{tag}>"
        )
        if folded:
            name = f'<span>{_SIGNS[item.state]}</span><span class="q">{escape(item.question)}</span>'
            text = (
                f'<li><details class="{item.state}{" new" * item.new}"><summary>{name}</summary>{text}</details></li>'
            )
        texts.append(text)
    kind = "kv-verdicts" if folded else "kv-cards"
    label = words.text("task.committed" if is_mine else "task.foreign")
    with st.container(key="verdicts" if folded else None):
        st.html(f'<ul class="{kind}" aria-label="{escape(label)}">{"".join(texts)}</ul>')
    announce(*(f"{item.question}: {item.outcome or waiting}" for item in items if item.new))
