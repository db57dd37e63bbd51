"""The pictures: pure, in theme colours only, and with exactly the content of the snapshot."""

from __future__ import annotations

import copy
import json
import random
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from lab.activities.cases.share import SHARE
from lab.figures.block_size import draw_block_size
from lab.figures.canvas import Point, Rect
from lab.figures.connectors import route_connectors
from lab.figures.contiguous import draw_contiguous
from lab.figures.fragmentation import draw_fragmentation, measure_usage
from lab.figures.intro import draw_intro
from lab.figures.lifecycle import STAGES, draw_lifecycle, find_stages
from lab.figures.measure import measure_text, wrap
from lab.figures.memory.layout import MAX_TOKEN_TEXTS, CardBox, Layout, lay_out, list_tokens_above, list_tokens_shown
from lab.figures.memory.memory_picture import draw_memory
from lab.figures.memory.metrics import NARROW, WIDE, compact_metrics, get_metrics
from lab.figures.memory.parts import break_owner_lines, plan_caption
from lab.figures.phrases import describe_queue_changes, format_ids, format_owner
from lab.figures.picture import Picture
from lab.figures.projector import BLACK_ON_WHITE, WHITE_ON_BLACK
from lab.figures.refcount import draw_refcount, list_blocks_ever_used, tabulate_ledger
from lab.figures.theme import DARK, LIGHT, Theme, get_dark_colors, request_style
from lab.trace.config import Config, Request
from lab.trace.events import Event
from lab.trace.operations import Allocate, Append, Release, parse_operation
from lab.trace.presets import build_task_config
from lab.trace.snapshot import Difference, Snapshot, compare_snapshots
from lab.trace.timeline import Step, Timeline
from lessons.text.translations import LANGUAGES, Language, Translations, get_translations
from tests.figures.marks import contains, read_marks
from tests.sample import every_language
from tests.trace.test_contiguous import MOMENTS as CONTIGUOUS

WIDTHS = (8, 4)


def run(config: Config, log: str) -> Timeline:
    return Timeline.replay(config, [parse_operation(text) for text in log.split()])


def requests(count: int, length: int, *, block_size: int, blocks: int, shared: int = 0) -> Config:
    """Requests A, B, ... with the same first `shared` tokens, on a shuffled queue."""
    rng = random.Random(7)
    queue = tuple(rng.sample(range(blocks), blocks))
    prefix = tuple(rng.randrange(1, 22) for _ in range(shared))
    return Config(
        num_blocks=blocks,
        block_size=block_size,
        free_block_ids=queue,
        requests=tuple(
            Request(letter, prefix + tuple(rng.randrange(1, 22) for _ in range(length + i % 3)), (16,))
            for i, letter in enumerate(string.ascii_uppercase[:count])
        ),
    )


ALL_TWELVE = " ".join(f"a{letter}" for letter in "ABCDEFGHIJKL")
SCENES: dict[str, tuple[Config, str]] = {
    "start": (build_task_config(), ""),
    "task": (build_task_config(), "aA aB tB"),
    "released": (build_task_config(), "aA aB tB rA"),
    "over": (build_task_config(), "aA aB tB rA rB"),
    "revived": (build_task_config(), "aA aB tB rA rB aA"),
    "size 1": (build_task_config(1), "aA aB tB"),
    "size 8": (build_task_config(8), "aA aB tB"),
    "size 16": (build_task_config(16), "aA aB tB"),
    "size 5": (requests(2, 12, block_size=5, blocks=19), "aA aB tA rB"),
    "shared": (requests(3, 3, block_size=4, blocks=16, shared=8), "aA aB aC rA"),
    "twelve": (requests(12, 2, block_size=4, blocks=64, shared=4), ALL_TWELVE),
    "long": (requests(2, 116, block_size=4, blocks=64), "aA aB"),
    "pages only": (requests(1, 70, block_size=4, blocks=64), "aA"),
    "one block": (requests(1, 3, block_size=4, blocks=1), "aA tA tA"),
    "full": (requests(4, 5, block_size=4, blocks=8), "aA aB aC aD"),
}


def moments() -> Iterator[tuple[str, Snapshot, Difference | None]]:
    """The end of every scene, and every state inside the operations of the task."""
    for name, (config, log) in SCENES.items():
        timeline = run(config, log)
        last = timeline.steps[-1] if timeline.steps else None
        yield name, timeline.snapshot(len(timeline.steps)), compare_snapshots(last.before, last.after) if last else None
    for step in run(build_task_config(), "aA aB tB rA").steps:
        for i, snapshot in enumerate(step.snapshots):
            yield f"{step.index}.{i}", snapshot, compare_snapshots(step.before, snapshot)


MOMENTS = list(moments())
every_width = pytest.mark.parametrize("columns", WIDTHS)


class Compact(int):
    """Number of columns asked for, in a picture that shares one view with its buttons."""


every_room = pytest.mark.parametrize(
    "columns",
    [
        pytest.param(8, id="8"),
        pytest.param(4, id="4", marks=pytest.mark.thorough),
        pytest.param(Compact(8), id="compact-8", marks=pytest.mark.thorough),
        pytest.param(Compact(4), id="compact-4"),
    ],
)


_DRAWN: dict[tuple[int, int, Language, int, bool], Picture] = {}  # the states live as long as this file


def draw(snapshot: Snapshot, changed: Difference | None, language: Language = "en", columns: int = 8) -> Picture:
    """The memory picture of a state, drawn once for all tests."""
    compact = isinstance(columns, Compact)
    key = (id(snapshot), id(changed), language, columns, compact)
    if key not in _DRAWN:
        _DRAWN[key] = draw_memory(
            snapshot, get_translations(language), changed=changed, columns=columns, compact=compact
        )
    return _DRAWN[key]


_READ: dict[int, tuple[Picture, list[dict[str, Any]]]] = {}  # the pictures live as long as their marks


def data(picture: Picture) -> list[dict[str, Any]]:
    """The picture's marks, read once for all tests."""
    if id(picture) not in _READ:
        _READ[id(picture)] = picture, read_marks(picture.spec)
    return _READ[id(picture)][1]


def layout_of(snapshot: Snapshot, language: Language, columns: int) -> Layout:
    m = get_metrics(columns)
    if isinstance(columns, Compact):
        m, columns = compact_metrics(columns, len(snapshot.blocks), snapshot.block_size)
    lines = [len(owners) + m.brief for owners in break_owner_lines(snapshot, m, columns)]
    caption = plan_caption(snapshot, get_translations(language), m)
    return lay_out(snapshot, get_translations(language), m, columns, lines, caption_height=caption.height)


def traces(picture: Picture, name: str) -> list[dict[str, Any]]:
    return [trace for trace in data(picture) if trace["name"] == name]


def polylines(picture: Picture, name: str) -> list[list[Point]]:
    lines: list[list[Point]] = []
    for trace in traces(picture, name):
        lines.append([])
        for x, y in zip(trace["x"], trace["y"], strict=True):
            if x is None:
                lines.append([])
            else:
                lines[-1].append((x, y))
    return lines


def texts(picture: Picture, *names: str) -> list[tuple[str, float, float, float, str]]:
    """(text, x, y, size, anchor) of every text, or of the texts with these names."""
    result: list[tuple[str, float, float, float, str]] = []
    for trace in data(picture):
        if trace["mode"] != "text" or (names and trace["name"] not in names):
            continue
        result += zip(
            trace["text"], trace["x"], trace["y"], trace["textfont"]["size"], trace["textposition"], strict=True
        )
    return result


def plain(text: str) -> str:
    return re.sub("</?b>", "", text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def box_of(entry: tuple[str, float, float, float, str]) -> Rect:
    """The approximate box of a text, a little lower than its line, because lines may touch."""
    text, x, y, size, anchor = entry
    width = measure_text(plain(text), size, bold=text.startswith("<b>")) * 0.96
    left = {"middle center": x - width / 2, "middle right": x, "middle left": x - width}[anchor]
    return Rect(left, y - size * 0.45, left + width, y + size * 0.45)


def inside(box: Rect, entries: Sequence[tuple[str, float, float, float, str]]) -> list[str]:
    return [plain(entry[0]) for entry in entries if contains(box, entry[1], entry[2])]


# --- the theme -----------------------------------------------------------------------------------------------------


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_swap_of_colours_is_one_to_one() -> None:
    light = [color for _, color in LIGHT.colors()]
    assert [name for name, _ in LIGHT.colors()] == [name for name, _ in DARK.colors()]
    assert max(Counter(light).values()) == 1
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for theme in (LIGHT, DARK) for _, color in theme.colors())
    assert get_dark_colors() == dict(zip(light, (color for _, color in DARK.colors()), strict=True))


CONTRASTS = [(LIGHT, 4.5, 3), (DARK, 4.5, 3), (BLACK_ON_WHITE, 7, 4.5), (WHITE_ON_BLACK, 7, 4.5)]


@pytest.mark.parametrize(("theme", "of_texts", "of_lines"), CONTRASTS, ids=["light", "dark", "white", "black"])
def test_texts_and_lines_contrast_with_what_they_stand_on(theme: Theme, of_texts: float, of_lines: float) -> None:
    """The last two are the projector's."""
    grounds = (theme.background, theme.panel, theme.card)
    tints = tuple(hue.tint for hue in theme.hues)
    pairs = [(theme.ink, ground) for ground in (*grounds, *tints, theme.stale, theme.key, theme.value)]
    pairs += [(theme.muted, ground) for ground in grounds]
    pairs += [(hue.ink, ground) for hue in theme.hues for ground in (*grounds, hue.tint)]
    pairs += [(theme.stale_ink, theme.stale), (theme.findable, theme.card), (theme.card, theme.hues[0].line)]
    pairs += [(theme.changed_ink, theme.changed), (theme.lit_ink, theme.lit)]
    assert {pair: contrast(*pair) for pair in pairs if contrast(*pair) < of_texts} == {}
    lines = [(hue.line, ground) for hue in theme.hues for ground in grounds]
    lines += [(theme.changed_line, ground) for ground in (*grounds, *tints)] + [(theme.hatch, theme.card)]
    assert {pair: contrast(*pair) for pair in lines if contrast(*pair) < of_lines} == {}


def test_twelve_requests_look_different() -> None:
    assert len({request_style(letter) for letter in "ABCDEFGHIJKL"}) == 12
    assert request_style("A1") != request_style("A")


# --- every picture -------------------------------------------------------------------------------------------------


def pictures(language: Language, columns: int) -> Iterator[Picture]:
    say = get_translations(language)
    for _, snapshot, changed in MOMENTS:
        yield draw(snapshot, changed, language, columns)
        if not isinstance(columns, Compact):
            yield draw_fragmentation(snapshot, say, columns=columns)
    if isinstance(columns, Compact):
        return
    for config, log in SCENES.values():
        timeline = run(config, log)
        yield draw_refcount(timeline.steps, say, columns=columns)
    yield from (draw_refcount(steps, say, columns=columns, inside=inside) for steps, inside in cut_steps())
    for stage in STAGES:
        yield draw_lifecycle(stage, say, columns=columns)
    snapshot = run(build_task_config(), "aA aB tB").snapshot(3)
    yield from (draw_intro(snapshot, "A", position, say, columns=columns) for position in (0, 9))
    yield from (draw_contiguous(each, say, columns=columns) for each in CONTIGUOUS.values())


def cut_steps() -> Iterator[tuple[list[Step], tuple[int, int]]]:
    """The task's steps, with the last one cut to its first events: (steps, (event, events))."""
    steps = run(build_task_config(), "aA aB tB rA").steps
    for k, step in enumerate(steps):
        for event in range(1, len(step.events)):
            cut = replace(step, events=step.events[:event], snapshots=step.snapshots[:event])
            yield [*steps[:k], cut], (event, len(step.events))


def colors_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from colors_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from colors_in(inner)
    elif isinstance(value, str) and re.match(r"#[0-9a-fA-F]{3,8}$|rgb|hsl", value):
        yield value


@every_width
@every_language
def test_all_pictures_use_theme_colours_only_and_say_what_they_show(language: Language, columns: int) -> None:
    allowed = set(get_dark_colors())
    sizes = draw_block_size(11, 8, get_translations(language), columns=columns)
    for picture in (*pictures(language, columns), sizes):
        figure = json.loads(picture.figure.to_json())
        assert set(colors_in(figure)) <= allowed
        assert len(str(figure["layout"]["template"])) < 100  # Plotly's own has 7,000 characters
        assert len(figure["data"]) <= 5  # each takes time: symbols, texts, badges, signs, targets
        assert "width" not in figure["layout"]
        assert figure["layout"]["height"] > 0
        assert all(trace["hoverinfo"] in {"skip", "none"} for trace in figure["data"])
        assert picture.sentence
        assert "{" not in picture.sentence + "".join(picture.table.columns)


def test_the_same_snapshot_gives_the_same_picture_and_stays_as_it_was() -> None:
    for _, snapshot, changed in MOMENTS:
        copied, kept_change = copy.deepcopy(snapshot), copy.deepcopy(changed)
        one = draw_memory(snapshot, get_translations("en"), changed=changed)
        two = draw_memory(snapshot, get_translations("en"), changed=changed)
        assert (snapshot, changed) == (copied, kept_change)
        assert one.figure.to_json() == two.figure.to_json()
        assert one.sentence == two.sentence
        assert one.table.equals(two.table)


# --- the memory picture: facts -------------------------------------------------------------------------------------


@every_room
def test_cells_show_the_tokens(columns: int) -> None:
    for _, snapshot, changed in MOMENTS:
        say, layout = get_translations("zh"), layout_of(snapshot, "zh", columns)
        picture = draw(snapshot, changed, "zh", columns)
        above, below = texts(picture, "page_tokens"), texts(picture, "slot_tokens", "stale_tokens")
        if len(list_tokens_above(snapshot)) > MAX_TOKEN_TEXTS:
            assert not above + below
            continue
        for view in snapshot.sequences:
            for position, token in enumerate(view.token_ids):
                page, offset = divmod(position, snapshot.block_size)
                assert inside(layout.pages[view.seq_id, page].cells[offset], above) == [say.token(token)]
        if len(list_tokens_shown(snapshot)) > MAX_TOKEN_TEXTS:
            assert not below
            continue
        for block in snapshot.blocks:
            for slot, cell in zip(block.slots, layout.blocks[block.block_id].cells, strict=True):
                assert inside(cell, below) == ([] if slot is None else [say.token(slot[0])])
        live = {slot for view in snapshot.sequences for slot in view.slots}
        written = sum(slot is not None for block in snapshot.blocks for slot in block.slots)
        assert len(texts(picture, "slot_tokens")) <= min(len(live), written)


@every_room
def test_exactly_the_empty_slots_are_hatched(columns: int) -> None:
    for _, snapshot, changed in MOMENTS:
        layout = layout_of(snapshot, "en", columns)
        picture = draw(snapshot, changed, "en", columns)
        cells: dict[tuple[object, ...], Rect] = {
            ("page", key, i): cell for key, card in layout.pages.items() for i, cell in enumerate(card.cells)
        }
        cells |= {("block", b, i): cell for b, card in enumerate(layout.blocks) for i, cell in enumerate(card.cells)}
        middles = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in polylines(picture, "hatch")]
        hatched = {key for key, cell in cells.items() if any(contains(cell, *middle) for middle in middles)}
        assert all(any(contains(cell, *middle) for cell in cells.values()) for middle in middles)
        expected = set()
        for view in snapshot.sequences:
            for place in range(view.num_tokens, view.num_slots):
                page, offset = divmod(place, snapshot.block_size)
                expected |= {("page", (view.seq_id, page), offset), ("block", view.block_table[page], offset)}
        assert hatched == expected


def list_text_free(layout: Layout) -> list[Rect]:
    """The areas where lines may run: the zone down to the blocks, and the gutters."""
    zone = Rect(0, layout.zone.y0, layout.m.width, layout.blocks[0].box.y0)
    gutters = [layout.gutter(column) for column in range(layout.columns + 1)]
    return [zone, *(Rect(low, 0, high, layout.panel.y1) for low, high in gutters)]


def ends_on(card: CardBox, point: Point, slack: float = 2.0) -> bool:
    """Does a line that ends at this point touch the card's frame?"""
    return contains(card.box.grow(slack), *point) and not contains(card.box.grow(-slack), *point)


@every_room
def test_connectors_join_every_page_to_its_block(columns: int) -> None:
    for _, snapshot, changed in MOMENTS:
        layout = layout_of(snapshot, "en", columns)
        picture = draw(snapshot, changed, "en", columns)
        for view in snapshot.sequences:
            lines = polylines(picture, f"connectors:{view.seq_id}")
            assert len(lines) == len(view.block_table)
            for page, (block, line) in enumerate(zip(view.block_table, lines, strict=True)):
                assert ends_on(layout.pages[view.seq_id, page], line[0])
                assert ends_on(layout.blocks[block], line[-1])


@pytest.mark.thorough
@every_room
@every_language
def test_connectors_stay_where_no_text_is(language: Language, columns: int) -> None:
    for _, snapshot, changed in MOMENTS:
        layout = layout_of(snapshot, language, columns)
        tables = [(view.seq_id, view.block_table) for view in snapshot.sequences]
        free = [area.grow(1.1) for area in list_text_free(layout)]
        picture = draw(snapshot, changed, language, columns)
        boxes = [(box_of(entry), entry[0]) for entry in texts(picture)]
        for connector in route_connectors(layout, tables):
            for a, b in zip(connector.points, connector.points[1:], strict=False):
                for t in (0.0, 0.25, 0.5, 0.75, 1.0):
                    point = (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t)
                    assert any(contains(area, *point) for area in free)
                    assert [text for box, text in boxes if contains(box, *point)] == []


@every_room
@every_language
def test_no_text_lies_on_another_or_outside(language: Language, columns: int) -> None:
    for name, snapshot, changed in MOMENTS:
        picture = draw(snapshot, changed, language, columns)
        layout = layout_of(snapshot, language, columns)
        height = picture.figure.layout.height
        boxes = sorted(((box_of(entry), entry[0]) for entry in texts(picture)), key=lambda item: item[0].y0)
        for i, (box, text) in enumerate(boxes):
            assert box.x0 >= -1, (name, text)
            assert box.x1 <= layout.m.width + 1, (name, text)
            assert 0 <= box.y0 < box.y1 <= height, (name, text)
            for other, text2 in boxes[i + 1 :]:
                if other.y0 >= box.y1:
                    break
                assert other.x0 >= box.x1 or other.x1 <= box.x0, (name, text, text2)


@every_room
@every_language
def test_all_still_fits_where_a_figure_is_narrowest(language: Language, columns: int) -> None:
    """Texts keep their size when a figure is squeezed. Widths are those of DejaVu; the page's own font is narrower."""
    for picture in pictures(language, columns):
        layout = json.loads(picture.figure.to_json())["layout"]
        squeeze = layout["meta"]["min_width"] / layout["xaxis"]["range"][1]
        boxes = []
        for text, x, y, size, anchor in texts(picture):
            box = box_of((text, x * squeeze, y, size, anchor))
            boxes.append((Rect(box.cx - box.width * 0.42, box.y0, box.cx + box.width * 0.42, box.y1), text))
        boxes.sort(key=lambda item: item[0].y0)
        for i, (box, text) in enumerate(boxes):
            assert box.x0 >= -1, text
            assert box.x1 <= layout["meta"]["min_width"] + 1, text
            for other, text2 in boxes[i + 1 :]:
                if other.y0 >= box.y1:
                    break
                assert other.x0 >= box.x1 or other.x1 <= box.x0, (text, text2)


@every_width
@every_language
def test_no_width_lies_between_four_columns_and_eight(language: Language, columns: int) -> None:
    phone = 360 - 32  # the page's margins
    script = (Path(__file__).parent.parent.parent / "assets" / "lib" / "live_figure.js").read_text(encoding="utf-8")
    for picture in pictures(language, columns):
        meta = json.loads(picture.figure.to_json())["layout"]["meta"]
        assert meta["wide_from"] == WIDE.min_width
        if "scroll_end" not in meta:
            assert meta["min_width"] <= (meta["wide_from"] if columns == 8 else phone)
            assert 500 <= meta.get("max_width", 1200) <= (700 if columns == 4 else 1200)
        assert all(f"meta.{key}" in script for key in meta if key not in {"min_width", "figure"})
    snapshot = run(build_task_config(), "aA").snapshot(1)
    drawn = draw_intro(snapshot, "A", 9, get_translations(language), columns=columns)
    expander = 34  # its padding and frame, inside the same page
    room = (WIDE.min_width if columns == 8 else phone) - expander
    assert json.loads(drawn.figure.to_json())["layout"]["meta"]["min_width"] <= room


@every_language
def test_lists_have_the_commas_of_their_language(language: Language) -> None:
    for columns in WIDTHS:
        for picture in pictures(language, columns):
            shown = [picture.sentence, *map(str, picture.table.to_numpy().flat), *picture.table.columns]
            shown += [plain(entry[0]) for entry in texts(picture)]
            assert not any(mark in text for text in shown for mark in {"zh": (", ", "; "), "en": "、；"}[language])


def test_the_empty_picture_wastes_no_room() -> None:
    for columns, most in ((8, 90), (4, 80)):
        snapshot = run(build_task_config(), "").snapshot(0)
        assert layout_of(snapshot, "en", columns).panel.y0 <= most


@every_room
@every_language
def test_words_fit_their_cells(language: Language, columns: int) -> None:
    snapshot = run(build_task_config(), "aA aB tB").snapshot(3)
    layout = layout_of(snapshot, language, columns)
    picture = draw(snapshot, None, language, columns)
    width = layout.blocks[0].cells[0].width
    for text, _, _, size, _ in texts(picture, "page_tokens", "slot_tokens"):
        assert "…" not in text
        assert size >= layout.m.token_least
        assert measure_text(text, size) <= width


@every_room
def test_blocks_show_their_ids_counts_and_owners(columns: int) -> None:
    for _, snapshot, changed in MOMENTS:
        layout = layout_of(snapshot, "en", columns)
        picture = draw(snapshot, changed, "en", columns)
        names, owners = texts(picture, "block_names"), texts(picture, "owners")
        counts, tags, signs = texts(picture, "refs"), texts(picture, "tags"), texts(picture, "findable")
        for block, card in zip(snapshot.blocks, layout.blocks, strict=True):
            name = str(block.block_id) if layout.m.brief else f"block {block.block_id}"
            assert inside(card.box, names) == [name]
            assert inside(card.box, owners) == [format_owner(*entry) for entry in snapshot.owners(block.block_id)]
            assert bool(inside(card.box, signs)) == block.findable
            if changed is not None and block.block_id in changed.ref_counts:
                before, after = changed.ref_counts[block.block_id]
                assert f"{before}→{after}" in inside(card.box, tags)[0]
                assert after == block.ref_count
            else:
                assert inside(card.box, counts) == ([f"ref {block.ref_count}"] if block.ref_count else [])


@every_language
@every_room
def test_what_left_and_joined_the_queue_is_said_whole(language: Language, columns: int) -> None:
    """Also if one release returns blocks and they are found again: next to the text, and on a phone."""
    case = next(case for case in SHARE if case.id == "revive")
    step = Timeline.replay(case.config, case.plan).steps[-1]
    changed = compare_snapshots(step.before, step.after)
    assert changed.taken
    picture = draw(step.after, changed, language, columns)
    notes = [plain(entry[0]) for entry in texts(picture, "tags")]
    (note,) = [
        note for note in notes if note.startswith(get_translations(language).text("figures.memory.taken", blocks=""))
    ]
    assert note == get_translations(language).text("figures.semicolon").join(
        describe_queue_changes(step.after, get_translations(language), changed)
    )


def test_the_queue_is_drawn_in_its_order() -> None:
    for _, snapshot, changed in MOMENTS:
        picture = draw(snapshot, changed)
        entries = texts(picture, "queue_ids")
        shown = [plain(entry[0]) for entry in sorted(entries, key=lambda entry: (entry[2], entry[1]))]
        assert shown == [str(block) for block in snapshot.free_block_ids]
        assert [plain(entry[0]) for entry in entries if entry[0].startswith("<b>")] == shown[:1]
        marks = [plain(entry[0]) for entry in texts(picture, "queue")]
        assert ("head" in marks) == bool(snapshot.free_block_ids)
        assert ("tail" in marks) == bool(changed and changed.returned)


def test_what_changed_is_outlined() -> None:
    for _, snapshot, changed in MOMENTS:
        picture = draw(snapshot, changed)
        layout = layout_of(snapshot, "en", 8)
        halos = polylines(picture, "changed")
        around = {
            key
            for key, card in [*layout.pages.items(), *enumerate(layout.blocks)]
            if any(
                abs(sum(x for x, _ in line) / len(line) - card.box.cx) < 8 and ends_inside(card.box, line)
                for line in halos
            )
        }
        assert around == (set(changed.pages) | set(changed.blocks) if changed else set())
        marked = polylines(picture, "changed_cells")
        slots = {
            b * snapshot.block_size + i
            for b, card in enumerate(layout.blocks)
            for i, cell in enumerate(card.cells)
            if any(contains(cell.grow(1), *line[0]) and contains(cell.grow(1), *line[2]) for line in marked)
        }
        assert slots == (set(changed.slots) if changed else set())


def ends_inside(box: Rect, line: list[Point]) -> bool:
    return all(contains(box.grow(6), *point) and not contains(box, *point) for point in line)


def test_a_token_without_a_page_lies_in_a_dashed_one() -> None:
    step = run(build_task_config(), "aA aB tB").steps[2]
    picture = draw_memory(
        step.snapshots[0], get_translations("en"), changed=compare_snapshots(step.before, step.snapshots[0])
    )
    assert [plain(entry[0]) for entry in texts(picture, "page_blocks")][-1] == "no block yet"
    assert "B: 4 of 5 tokens in block 9, 0 empty slots. 1 token of B has no block yet." in picture.sentence
    frames = [trace["line"]["dash"] for trace in traces(picture, "cards") if "fill" not in trace]
    assert "3px,4px" in frames
    step = run(build_task_config(), "aA rA").steps[1]
    picture = draw_memory(
        step.snapshots[0], get_translations("en"), changed=compare_snapshots(step.before, step.snapshots[0])
    )
    assert "page released" in [plain(entry[0]) for entry in texts(picture, "page_blocks")]


@every_language
def test_inside_an_operation_the_words_count_what_is_true_then(language: Language) -> None:
    say = get_translations(language)
    for log in ("aA aB tB", "aA aB tB rA", "aA"):
        step = run(build_task_config(), log).steps[-1]
        before = step.before
        for snapshot in step.snapshots:
            sentence = draw_memory(snapshot, say, changed=compare_snapshots(before, snapshot)).sentence
            before = snapshot
            for view in snapshot.sequences:
                placed, missing = view.used_slots, view.num_tokens - view.used_slots
                if placed and missing:
                    part = {"en": f"{view.seq_id}: {placed} of {view.num_tokens} tokens in block"}
                    part["zh"] = f"{view.seq_id}：{view.num_tokens} 个 token 中有 {placed} 个在物理块"
                    assert part[language] in sentence
                    key = "let_go" if log.endswith("rA") else "unplaced"
                    key += "_one" if missing == 1 else "_many"
                    tokens = say.text(f"figures.tokens.{'one' if missing == 1 else 'many'}", n=missing)
                    assert say.text(f"figures.sentence.{key}", seq=view.seq_id, tokens=tokens) in sentence


@every_language
def test_a_block_is_not_called_free_before_it_is_in_the_queue(language: Language) -> None:
    say = get_translations(language)
    step = run(build_task_config(), "aA rA").steps[-1]
    seen = 0
    for snapshot in step.snapshots:
        picture = draw_memory(snapshot, say, changed=compare_snapshots(step.before, snapshot))
        states = dict(zip(picture.table.iloc[:, 0], picture.table.iloc[:, 1], strict=True))
        dashed = [Rect(*line[0], *line[0]) for line in dashed_cards(picture, "5px,3px")]
        layout = layout_of(snapshot, language, 8)
        for block in snapshot.blocks:
            between = not block.ref_count and block.block_id not in snapshot.free_block_ids
            phrase = say.text("figures.sentence.between", block=block.block_id)
            assert (phrase in picture.sentence) == between
            free = block.findable and block.block_id in snapshot.free_block_ids
            box = layout.blocks[block.block_id].box.grow(2)
            assert any(contains(box, at.x0, at.y0) for at in dashed) == free
            if between:
                seen += 1
                assert states[block.block_id] == say.text("figures.table.between")
        findable = [b.block_id for b in snapshot.blocks if b.findable and b.block_id in snapshot.free_block_ids]
        ids = say.text("figures.comma").join(map(str, findable))
        assert (say.text("figures.sentence.findable", blocks=ids) in picture.sentence) == bool(findable)
    assert seen == 3


def dashed_cards(picture: Picture, dash: str) -> list[list[Point]]:
    lines: list[list[Point]] = []
    for trace in traces(picture, "cards"):
        if "fill" not in trace and trace["line"]["dash"] == dash:
            lines.append([])
            for x, y in zip(trace["x"], trace["y"], strict=True):
                if x is None:
                    lines.append([])
                else:
                    lines[-1].append((x, y))
    return lines


def test_a_block_found_by_content_is_not_said_to_come_from_the_head() -> None:
    step = run(build_task_config(), "aA aB tB rA rB aA").steps[-1]
    picture = draw_memory(step.after, get_translations("en"), changed=compare_snapshots(step.before, step.after))
    assert "taken from the head: 11; found by content: 2, 7" in picture.sentence


def test_strong_connectors_are_those_of_the_selected_or_changed_request() -> None:
    step = run(build_task_config(), "aA aB tB").steps[2]

    def widths(selected: str | None, changed: Difference | None) -> tuple[float, float]:
        picture = draw_memory(step.after, get_translations("en"), selected=selected, changed=changed)
        a, b = (traces(picture, f"connectors:{seq_id}")[0]["line"]["width"] for seq_id in "AB")
        return a, b

    change = compare_snapshots(step.before, step.after)
    assert widths(None, change)[0] < widths(None, change)[1]
    assert widths("A", change)[0] > widths("A", change)[1]
    assert widths(None, None)[0] == widths(None, None)[1]


def test_clicks_come_back_by_name() -> None:
    snapshot = run(build_task_config(), "aA aB tB").snapshot(3)
    targets = traces(draw_memory(snapshot, get_translations("en")), "hits")[0]["customdata"]
    assert {"slot:29", "block:7", "block:0", "token:A:3", "page:A:0", "queue:11"} <= set(targets)
    assert {t for t in targets if t.startswith("token:B")} == {f"token:B:{i}" for i in range(5)}


def test_markup_in_a_token_is_shown_not_obeyed() -> None:
    class Marked(Translations):
        def token(self, token_id: int, /) -> str:
            return "<b>"

    snapshot = run(build_task_config(), "aB").snapshot(1)
    picture = draw_memory(snapshot, Marked("en"))
    assert {entry[0] for entry in texts(picture, "page_tokens")} == {"&lt;b&gt;"}


def test_ids_that_count_up_are_told_by_their_ends() -> None:
    """From four ids on; their order stays."""
    say = get_translations("en")
    assert format_ids(say, (3, 0, 1, 2, 9, 8, 4, 5, 6, 7, 1)) == "3, 0, 1, 2, 9, 8, 4–7, 1"
    assert (format_ids(say, ()), format_ids(get_translations("zh"), (0, 1, 2, 3, 7))) == ("", "0–3、7")


@every_language
def test_a_crowd_of_blocks_is_told_in_few_words(language: Language) -> None:
    """64 pages of one slot: a change of all of them is one phrase, a change of one is as before."""
    say, config = get_translations(language), requests(2, 1, block_size=1, blocks=64, shared=30)
    for log in ("aA", "aA aB", "aA aB rA"):
        step = run(config, log).steps[-1]
        sentence = draw_memory(step.after, say, changed=compare_snapshots(step.before, step.after)).sentence
        pages = say.text("figures.sentence.new_pages", seq="A", first=0, last=30, blocks="|").split("|")[0]
        assert (pages in sentence) is (log == "aA")
        fewer = [b for b, counts in compare_snapshots(step.before, step.after).ref_counts.items() if counts == (2, 1)]
        phrase = say.text("figures.sentence.refs", blocks=format_ids(say, fewer), before=2, after=1)
        assert (phrase in sentence) is bool(fewer) is (log == "aA aB rA")
        assert sentence.count("ref_count") <= 4
    step = run(requests(2, 3, block_size=4, blocks=8, shared=4), "aA aB rA").steps[-1]
    sentence = draw_memory(step.after, say, changed=compare_snapshots(step.before, step.after)).sentence
    (block,) = [
        block for block, counts in compare_snapshots(step.before, step.after).ref_counts.items() if counts == (2, 1)
    ]
    assert say.text("figures.sentence.ref", block=block, before=2, after=1) in sentence


@pytest.mark.parametrize("text", ["👨‍👩‍👧‍👦", "👍🏽", "❤️", "é"])
def test_what_is_drawn_as_one_is_as_wide_as_one(text: str) -> None:
    """Joined emoji, a skin tone, a variation, a combining accent."""
    assert measure_text(text, 10) == measure_text(text[0], 10)


@every_language
def test_table_and_sentence_state_the_same_facts(language: Language) -> None:
    for _, snapshot, changed in MOMENTS:
        say = get_translations(language)
        picture = draw(snapshot, changed, language)
        rows = [block for block in snapshot.blocks if block.ref_count or block.written]
        assert list(picture.table.iloc[:, 0]) == [block.block_id for block in rows]
        assert list(picture.table.iloc[:, 2]) == [block.ref_count for block in rows]
        comma = say.text("figures.comma")
        assert list(picture.table.iloc[:, 3]) == [
            comma.join(format_owner(*entry) for entry in snapshot.owners(block.block_id)) for block in rows
        ]
        for view in snapshot.sequences:
            assert view.seq_id in picture.sentence
            assert format_ids(say, view.block_table) in picture.sentence
            held = picture.table[picture.table.iloc[:, 0].isin(view.block_table)]
            assert sum(int(n) for n in held.iloc[:, 5]) == view.empty_slots
        if snapshot.free_block_ids:
            assert str(snapshot.free_block_ids[0]) in picture.sentence
        assert str(len(snapshot.free_block_ids)) in picture.sentence


# --- the other pictures --------------------------------------------------------------------------------------------


def test_ref_counts_over_time_are_those_of_the_snapshots() -> None:
    timeline = run(requests(3, 3, block_size=4, blocks=16, shared=8), "aA aB tA aC rA rB")
    picture = draw_refcount(timeline.steps, get_translations("en"))
    used = list_blocks_ever_used(timeline.steps)
    assert [f"block {b}" for b in used] == list(picture.table.columns[2:])
    for state in range(len(timeline.steps) + 1):
        assert list(picture.table.iloc[state, 2:]) == [timeline.snapshot(state).blocks[b].ref_count for b in used]
    cells = sorted(texts(picture, "counts"), key=lambda entry: (entry[2], entry[1]))
    expected = [str(timeline.snapshot(s).blocks[b].ref_count) for b in used for s in range(len(timeline.steps) + 1)]
    assert [plain(entry[0]) for entry in cells] == expected


@every_width
def test_a_long_history_is_drawn_whole_and_scrolls_to_its_end(columns: int) -> None:
    steps = run(build_task_config(), "aA aB " + "tB " * 22).steps
    picture = draw_refcount(steps, get_translations("en"), columns=columns)
    assert list(picture.table.iloc[:, 0]) == list(range(len(steps) + 1))
    layout = json.loads(picture.figure.to_json())["layout"]
    assert layout["meta"]["scroll_end"]
    assert layout["meta"]["min_width"] == layout["xaxis"]["range"][1] > (WIDE if columns == 8 else NARROW).width
    names = texts(picture, "block_names")
    assert len(names) == 2 * len(list_blocks_ever_used(steps))  # also at the right end, where the last step is
    steps_x = [entry[1] for entry in texts(picture, "steps")]
    assert min(b - a for a, b in zip(sorted(steps_x), sorted(steps_x)[1:], strict=False)) >= 36
    short = json.loads(draw_refcount(steps[:5], get_translations("en"), columns=columns).figure.to_json())
    assert "scroll_end" not in short["layout"]["meta"]
    assert draw_refcount([], get_translations("zh"), columns=columns).table.empty


@every_language
def test_a_cut_step_is_said_to_be_under_way(language: Language) -> None:
    say = get_translations(language)
    for steps, (event, events) in cut_steps():
        picture = draw_refcount(steps, say, inside=(event, events))
        used = list_blocks_ever_used(steps)
        if used:
            assert list(picture.table.iloc[-1, 2:]) == [steps[-1].snapshots[-1].blocks[b].ref_count for b in used]
            begin = {"en": f"ref_count after event {event} of {events} of step {len(steps)} "}
            begin["zh"] = f"第 {len(steps)} 步（"
            assert picture.sentence.startswith(begin[language])
            assert {"en": f"event {event}", "zh": f"第 {event} 个事件（共 {events} 个）"}[language] in picture.sentence
        assert f"{event}/{events}" in plain(texts(picture, "inside")[0][0])
        assert [t["line"]["dash"] for t in traces(picture, "now") if "fill" not in t] == ["5px,3px"]
    assert not texts(draw_refcount(steps, say), "inside")


def test_the_ledger_says_who_holds_what() -> None:
    snapshot = run(requests(3, 3, block_size=4, blocks=16, shared=8), "aA aB").snapshot(2)
    rows = tabulate_ledger(snapshot, get_translations("en"))
    assert [(r[0], r[1], r[2]) for r in rows.itertuples(index=False)] == [
        (view.seq_id, page, block) for view in snapshot.sequences for page, block in enumerate(view.block_table)
    ]
    assert list(rows["Shared with"]) == ["B0", "B1", "", "A0", "A1", ""]
    assert sum(rows["Empty slots"]) == sum(view.empty_slots for view in snapshot.sequences)


def test_fragmentation_counts_slots_of_own_blocks() -> None:
    for _, snapshot, _ in MOMENTS:
        rows = measure_usage(snapshot)
        assert [(row.used, row.slots) for row in rows[:-1]] == [(v.used_slots, v.num_slots) for v in snapshot.sequences]
        held = {block for view in snapshot.sequences for block in view.block_table}
        assert rows[-1].slots == len(held) * snapshot.block_size
        picture = draw_fragmentation(snapshot, get_translations("en"))
        assert list(picture.table["Empty slots"]) == [row.empty for row in rows]
        assert bool(traces(picture, "hatch")) == any(row.empty for row in rows)


@every_language
def test_where_nothing_is_held_nothing_is_counted(language: Language) -> None:
    say = get_translations(language)
    for log in ("", "aA rA"):
        timeline = run(build_task_config(), log)
        picture = draw_fragmentation(timeline.snapshot(len(timeline.steps)), say)
        assert picture.sentence == say.text("figures.fragmentation.nothing")
        shown = picture.sentence + "".join(plain(entry[0]) for entry in texts(picture)) + picture.table.to_string()
        assert "%" not in shown
    arrived = run(build_task_config(), "aA aB").steps[1].snapshots[0]  # A holds blocks, B none yet
    assert say.text("figures.fragmentation.sentence_none", seq="B") in draw_fragmentation(arrived, say).sentence


def test_a_share_is_written_as_in_the_quiz() -> None:
    picture = draw_fragmentation(run(build_task_config(), "aA aB tB").snapshot(3), get_translations("zh"))
    assert list(picture.table.iloc[:, -1]) == ["8.3%", "37.5%", "20%"]


def test_every_event_lights_stages_of_the_ring() -> None:
    seen: dict[type, set[tuple[str, ...]]] = {}
    shared = requests(3, 3, block_size=4, blocks=16, shared=8)
    for config, log in ((shared, "aA aB rA rB aC tC tC"), (requests(4, 4, block_size=4, blocks=1), "aA tA aB rA aD")):
        for step in run(config, log).steps:
            for event in step.events:
                lit = find_stages(event)
                assert set(lit) <= set(STAGES)
                seen.setdefault(type(event), set()).add(lit)
    assert set(seen) == set(get_args(Event))
    lit_somewhere = {stage for answers in seen.values() for answer in answers for stage in answer}
    assert lit_somewhere == set(STAGES)


@every_width
@every_language
def test_the_lit_stages_are_named(language: Language, columns: int) -> None:
    say = get_translations(language)
    picture = draw_lifecycle(("may_append", "free_queue"), say, columns=columns)
    marked = picture.table[picture.table.iloc[:, 2] != ""]
    expected = [say.text(f"figures.lifecycle.{stage}.name") for stage in ("free_queue", "may_append")]
    assert list(marked.iloc[:, 0]) == expected
    assert all(name in picture.sentence for name in expected)
    assert len(polylines(picture, "lit")) == 2
    assert draw_lifecycle((), say, columns=columns).sentence == say.text("figures.lifecycle.sentence_none", stages="")


def test_wrapping_loses_nothing() -> None:
    for text in ("names the block of each page", "从最后一块起，逐个放弃引用 token 的块", "“摆”是 A 的第 9 号 token。"):
        lines = wrap(text, 60, 12)
        assert len(lines) > 1
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in "，。”" for line in lines)


def test_the_drawing_for_newcomers_follows_one_token_to_its_slot() -> None:
    snapshot = run(build_task_config(), "aA aB").snapshot(2)
    picture = draw_intro(snapshot, "A", 9, get_translations("en"))
    assert "14 × 4 + 1 = 57" in picture.sentence
    counted = {"en": "position 9 of A, counting from 0", "zh": "位置 9（从 0 数起）"}
    for language in LANGUAGES:
        drawn = draw_intro(snapshot, "A", 9, get_translations(language))
        assert counted[language] in drawn.sentence
        assert counted[language] in str(drawn.table.iloc[0, 1])
    assert "57" in [plain(entry[0]) for entry in texts(picture, "slots")]
    with pytest.raises(ValueError, match="no token"):
        draw_intro(snapshot, "A", 11, get_translations("en"))


def test_operations_have_names() -> None:
    for operation in (Allocate("A"), Append("A"), Release("A")):
        timeline = run(build_task_config(), "aA tA rA")
        assert any(step.operation == operation for step in timeline.steps)
    labels = list(draw_refcount(timeline.steps, get_translations("en")).table.iloc[:, 1])
    assert labels == ["start", "allocate A", "+1 token A", "release A"]
    pieces = run(build_task_config(), "aA kA cA mA").steps
    labels = list(draw_refcount(pieces, get_translations("en")).table.iloc[:, 1])
    assert labels == ["start", "allocate A", "append_token A", "can_append A", "may_append A"]
    assert [find_stages(event) for event in pieces[1].events] == [()]
    assert [find_stages(event) for event in pieces[2].events] == [("can_append",)]
    assert find_stages(pieces[3].events[0]) == ("may_append", "block_table")
