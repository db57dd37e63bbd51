"""The append lesson: one more token in its three calls, with a ruler that shows when the sequence grows."""

from __future__ import annotations

from lab.figures.picture import Picture
from lab.figures.ruler import draw_ruler
from lab.trace.timeline import Timeline
from lessons.activity.run_panel import get_seen_snapshot
from lessons.lesson.flow import LessonParts, draw_lesson
from lessons.state import runs, viewport
from lessons.state.view import View
from lessons.text.translations import Translations


def build_ruler(view: View, timeline: Timeline, words: Translations) -> Picture | None:
    """Return the ruler for the request of the operation in view, or of the first planned one; None without requests.

    Pure: frames are drawn ahead, too, when other pictures are being drawn or in no session.
    """
    case, steps = view.run.case, runs.get_seen_steps(timeline, view.cursor)
    snapshot, before = get_seen_snapshot(timeline, view.cursor), None
    if not snapshot.sequences:
        return None
    seq_id = case.plan[case.prepared].seq_id
    if len(steps) > case.prepared:
        last = steps[-1]
        inside = view.cursor.event is not None and len(last.snapshots) > 1
        before = last.snapshots[-2] if inside else last.before
        seq_id = last.operation.seq_id
    if snapshot.sequence(seq_id) is None:  # released
        seq_id, before = snapshot.sequences[0].seq_id, None
    return draw_ruler(snapshot, seq_id, words, before=before, columns=viewport.BESIDE_WORDS)


draw_lesson("append", LessonParts(under=build_ruler, under_table="append.ruler_table"))
