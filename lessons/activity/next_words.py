"""The next word that the model says for each live request, read through its block_table and computed alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from lab.trace.kv_cache import Proof, Word, find_silence
from lab.trace.timeline import Timeline
from lab.trace.vocabulary import RELIABLE, load_words
from lessons.server.shared_cache import SharedCache
from lessons.state.view import View
from lessons.text.sentences import format_list
from lessons.text.translations import Translations

_PROOFS = SharedCache[tuple[Proof, ...]](256)


def draw_next_words(view: View, timeline: Timeline, words: Translations) -> None:
    """Draw the next word of each live request in the state in view, and what the model is.

    Inside a step nothing is drawn: the tensor already holds what the whole operation wrote.
    """
    if view.cursor.event is not None:
        return
    state = timeline.snapshot(view.cursor.step)
    silent = {
        each.seq_id: find_silence(timeline.cache.get_words(each.token_ids))
        for each in state.sequences
        if not each.waiting
    }
    if not silent:
        return
    proofs = read_proofs(timeline, view.cursor.step, [seq_id for seq_id, reason in silent.items() if not reason])
    with st.container(key="next_words", gap="xxsmall"):
        st.markdown("  \n".join([*list_next_words(proofs, words), *list_silent(silent, words)]))
        if proofs:
            with st.popover(words.text("next_word.about_title"), type="tertiary", key="about_model"):
                draw_about(words)


def read_proofs(timeline: Timeline, cursor: int, seq_ids: Sequence[str]) -> tuple[Proof, ...]:
    """As Timeline.proofs, of a run of the real engine. Who does the same operations gets the same, read once."""
    key = (timeline.config, timeline.operations[:cursor], tuple(seq_ids))
    return _PROOFS.get(key, lambda: timeline.proofs(cursor, seq_ids))


def draw_about(words: Translations) -> None:
    """Say what the model is, what it learned, and what its word proves."""
    known = format_list((words.word(number) for number in range(len(load_words()))), words)
    parts = ("model", "wrong_reads", "proves", "appended")
    values = {"limit": RELIABLE, "count": len(load_words()), "known": known}
    st.markdown("\n\n".join(words.text(f"next_word.about.{part}", **values) for part in parts))


def list_next_words(proofs: Sequence[Proof], words: Translations) -> list[str]:
    """Lines about the next words: all that are equal to the reference on one, then one for each that is not."""
    right, lines = [proof for proof in proofs if proof.bit_equal], []
    if right:
        said = words.text("next_word.join").join(
            words.text("next_word.of", seq_id=proof.seq_id, word=format_word(proof.paged, words)) for proof in right
        )
        difference = max(proof.difference for proof in right)
        lines = [words.text("next_word.title", said=said), words.text("next_word.same", difference=difference)]
    for proof in proofs:
        if not proof.bit_equal:
            paged, contiguous = (format_word(word, words) for word in (proof.paged, proof.contiguous))
            values = {"paged": paged, "contiguous": contiguous, "difference": proof.difference}
            lines.append(words.text("next_word.differs", seq_id=proof.seq_id, **values))
    return lines


def list_silent(silent: Mapping[str, str], words: Translations) -> list[str]:
    """A line for each reason for which requests have no next word. `silent`: the reason by request; empty: none."""
    lines = []
    for reason in ("unknown", "long"):
        if seq_ids := [seq_id for seq_id, why in silent.items() if why == reason]:
            listed = format_list(map(words.request, seq_ids), words)
            lines.append(words.text(f"next_word.{reason}", seq_ids=listed, limit=RELIABLE))
    return lines


def format_word(word: Word, words: Translations) -> str:
    """The word and its probability, or that there is none."""
    if word.reason:
        return words.text(f"next_word.none_{word.reason}")
    return words.text("next_word.word", word=words.word(word.number), probability=f"{word.probability:.3f}")
