"""The votes of a class as CSV: stable ids in every language, a running number for each participant, no names."""

from __future__ import annotations

from lab.engine.errors import LabError
from lab.trace.late_imports import pandas as pd
from lessons.classroom.roles import Instructor
from lessons.classroom.service import get_service
from lessons.votable.find import find_votable

COLUMNS = ("question", "made_from", "round", "participant", "answer", "right", "idea", "sure")


def build_votes_csv(leads: Instructor) -> bytes:
    """Return one line for each vote. Raises NoSuchClassError, NotInstructorError."""
    store = get_service().store
    numbers: dict[str, int] = {}
    rows = []
    for question, spec in store.get_specs(leads.code, leads.key).items():
        for vote in store.get_votes(leads.code, leads.key, question):
            who = numbers.setdefault(vote.participant, len(numbers) + 1)
            try:
                votable = find_votable(spec)
                graded = votable.grade(votable.decode(vote.answer))
                verdict, idea = ("yes" if graded.right else "no"), graded.idea
            except LabError:
                verdict, idea = "", ""
            rows.append((question, spec, vote.round, who, vote.answer, verdict, idea, vote.sure))
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig")
