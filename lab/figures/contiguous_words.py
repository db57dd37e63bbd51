"""The picture of a contiguous pool in words: a sentence and a table with the same content."""

from __future__ import annotations

from lab.engine.words import Words
from lab.figures.phrases import count
from lab.trace.contiguous import ContiguousSnapshot, NoHoleError, Reservation, Segment
from lab.trace.late_imports import pandas as pd


def describe_contiguous(snapshot: ContiguousSnapshot, words: Words) -> str:
    """The pool, every request's piece, the holes, and the refusal if there is one."""
    parts = [words.text("figures_contiguous.pool", pool=count(words, "figures.slots", snapshot.num_slots))]
    for view in snapshot.requests:
        values = {"used": view.used, "later": view.later, "never": view.never_used}
        values |= {"first": view.start, "last": view.start + view.reserved - 1}
        reserved = count(words, "figures.slots", view.reserved)
        parts.append(words.text("figures_contiguous.sentence", seq=view.request.seq_id, reserved=reserved, **values))
    holes, free = len(snapshot.holes), count(words, "figures.slots", snapshot.free)
    key = "none" if not holes else "one" if holes == 1 else "many"
    parts.append(words.text(f"figures_contiguous.free_{key}", free=free, holes=holes, largest=snapshot.largest_hole))
    if snapshot.refusal is not None:
        parts.append(format_refusal(snapshot, words))
    return words.text("figures.gap").join(parts)


def tabulate_contiguous(snapshot: ContiguousSnapshot, words: Words) -> pd.DataFrame:
    """A row for each segment, and one for the pool."""
    names = ("holder", "slots", "length", "used", "later", "never", "free")
    rows: list[tuple[str | int, ...]] = []
    for segment in snapshot.segments:
        view = find_holder(snapshot, segment)
        where = f"{segment.start}–{segment.end - 1}"
        if view is None:
            name = words.text("figures_contiguous.hole_name")
            rows.append((name, where, segment.length, 0, 0, 0, segment.length))
        else:
            numbers = (view.used, view.later, view.never_used)
            rows.append((view.request.seq_id, where, segment.length, *numbers, 0))
    name, where = words.text("figures_contiguous.total"), f"0–{snapshot.num_slots - 1}"
    rows.append((name, where, snapshot.num_slots, *count_totals(snapshot).values()))
    return pd.DataFrame(rows, columns=[words.text(f"figures_contiguous.{name}") for name in names])


def format_refusal(snapshot: ContiguousSnapshot, words: Words) -> str:
    """Why the last operation was refused, with its numbers."""
    error = snapshot.refusal
    if not isinstance(error, NoHoleError):
        return words.text("figures_contiguous.refused_other")
    needed = count(words, "figures.slots", int(error.numbers["needed"]))
    key = "refused_external" if error.external else "refused_full"
    numbers = {name: error.numbers[name] for name in ("free", "largest_hole")}
    return words.text(f"figures_contiguous.{key}", seq=error.numbers["seq_id"], needed=needed, **numbers)


def count_totals(snapshot: ContiguousSnapshot) -> dict[str, int]:
    """Slots of the whole pool by use."""
    return {
        "used": sum(view.used for view in snapshot.requests),
        "later": sum(view.later for view in snapshot.requests),
        "never": sum(view.never_used for view in snapshot.requests),
        "free": snapshot.free,
    }


def find_holder(snapshot: ContiguousSnapshot, segment: Segment) -> Reservation | None:
    """The request that holds this piece; None for a hole."""
    return next((view for view in snapshot.requests if view.request.seq_id == segment.owner), None)
