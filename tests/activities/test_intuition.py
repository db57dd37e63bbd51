"""The first lesson: its text in a link, and its scenes and outcomes against numbers stated here by hand."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest

from lab.activities import old_links
from lab.activities.attempt import Answer, Attempt
from lab.activities.intuition.outcomes import collect_values, compute_where_options, find_shared_blocks, observe_outcome
from lab.activities.intuition.progress import (
    KIND,
    QUESTIONS,
    SCENES,
    IntuitionView,
    parse_frame,
)
from lab.activities.intuition.runs import CONFIG, run_all
from lab.activities.intuition.storyboard import StoryFrame, build_scenes
from lab.engine.errors import InvalidLinkError, LabError
from lab.trace.contiguous import ContiguousSnapshot
from lab.trace.snapshot import Snapshot, compare_snapshots
from lessons.intuition.frames import build_film, draw_frame, format_caption, list_jumps
from lessons.text.reading_time import CHARACTERS_A_MINUTE, WORDS_A_MINUTE, estimate_reading_seconds
from lessons.text.translations import Language, get_translations
from lessons.widgets.film import Film, Frame, describe_film, encode_chunk, split_figure
from tests.player import read_film, unpack, whole_figure
from tests.sample import every_language

COUNTS = tuple(map(len, build_scenes()))


# --- the text ------------------------------------------------------------------------------------------------------


def read(text: str, frame: str = "") -> IntuitionView:
    """The view of the texts of a link."""
    attempt, place = old_links.read(text, KIND)
    return IntuitionView.read(attempt, frame or place)


@pytest.mark.parametrize(
    "text",
    [
        *("x", "11", "_1.1", "11_", "11_0.1", "11_1.0", "11_3.1", "11-00_5.1", "21_1.1", "01-40_3.1", "01-20-30_5.1"),
        *("12_1.1", "11_1.1\n", "11_01.1", "11_1.01", "11_1.100", "１1_1.1", "11_1.٣", "<b>_1.1", "11-11-11-11_5.1"),
        *("11_1.1_", " 11_1.1", "1_1.1", "111_1.1", "11_6.1", "11\x00_1.1", "9" * 5000),
    ],
)
def test_a_hostile_text_is_refused(text: str) -> None:
    """This includes a scene that is not open yet and an option that does not exist."""
    with pytest.raises(InvalidLinkError):
        read(text)


def test_only_pictures_that_exist_can_be_looked_at() -> None:
    """The last frame of each scene exists and the next does not; a frame alone parses as in an attempt."""
    for scene, count in enumerate(COUNTS, 1):
        visit = IntuitionView(Attempt(KIND, (Answer((0,), "think"),) * 3), scene, count)
        assert visit.check(COUNTS) == visit
        with pytest.raises(LabError):
            visit.at(scene, count + 1).check(COUNTS)
        assert parse_frame(f"{scene}.{count}") == (scene, count)
    with pytest.raises(InvalidLinkError):
        parse_frame("6.1")


def test_each_answer_opens_its_scenes() -> None:
    """Two scenes, two more, the last; the view moves to the first of them."""
    visit, seen = IntuitionView(), []
    for question in QUESTIONS:
        assert visit.pending == question
        visit = visit.answered(Answer((0,), "sure"))
        seen.append((visit.scene, visit.frame, visit.last_scene))
    assert seen == [(1, 1, 2), (3, 1, 4), (5, 1, 5)]
    assert visit.pending is None


# --- what the runs say ---------------------------------------------------------------------------------------------


def caption_numbers(scene: int, name: str) -> list[dict[str, Any]]:
    """The numbers of every frame of a scene with this caption."""
    return [dict(frame.numbers) for frame in build_scenes()[scene - 1] if frame.caption == name]


def test_the_runs_answer_the_questions() -> None:
    """Not contiguous; in the order of the queue; with the last owner. The queue begins 9, 4, 13, 6, 1."""
    assert CONFIG.free_block_ids[:5] == (9, 4, 13, 6, 1)
    shown = [observe_outcome(question) for question in QUESTIONS]
    assert shown == ["no", "head", "last"]
    assert compute_where_options() == {
        "pages": (0, 1, 2),
        "neighbours": (9, 10, 11),
        "head": (9, 4, 13),
        "sorted": (4, 9, 13),
    }
    assert find_shared_blocks() == (9, 4)  # as in A's table
    values = collect_values()
    assert (values["pages"], values["table"], values["same"]) == ((0, 1, 2), (9, 4, 13), 8)
    assert (values["ref_before"], values["ref_after"]) == (2, 1)
    assert all(proof.bit_equal for proof in run_all().proofs)


def test_a_contiguous_maximum_wastes() -> None:
    """64 slots for 11 tokens, 16 in the end; the paper's numbers; the second request finds no hole."""
    assert caption_numbers(1, "reserved") == [{"used": 11, "reserved": 64, "never": 48}]
    assert [each["used"] for each in caption_numbers(1, "grows")] == [12, 13, 14, 15]
    assert caption_numbers(1, "complete") == [{"used": 16, "reserved": 64, "never": 48}]
    assert caption_numbers(1, "paper")[0] | {"used": 0} == {"used": 0, "reserved": 2048, "never": 2038}
    (refused,) = caption_numbers(1, "refused")
    assert (refused["needed"], refused["free"], refused["tokens"]) == (64, 0, 10)


def test_eleven_tokens_are_three_pages_in_three_places() -> None:
    """Both pools have the same slots."""
    assert caption_numbers(2, "cut") == [{"slots": 64, "blocks": 16, "block_size": 4}]
    assert caption_numbers(2, "pages") == [{"tokens": 11, "pages": 3, "split": "4 + 4 + 3", "block_size": 4, "last": 3}]
    assert caption_numbers(2, "can_allocate") == [{"needs": 3, "free": 16}]
    assert [(each["page"], each["block"]) for each in caption_numbers(3, "taken")] == [(0, 9), (1, 4), (2, 13)]
    assert caption_numbers(3, "written") == [{"tokens": 11, "slots": (*range(36, 40), *range(16, 20), 52, 53, 54)}]
    assert caption_numbers(3, "read") == [{"table": (9, 4, 13), "pages": (0, 1, 2), "difference": "0"}]


def test_a_page_is_needed_at_a_boundary_alone() -> None:
    """Token 12 finds room in block 13; token 13 begins a page in block 6."""
    assert caption_numbers(4, "has_room") == [{"page": 2, "block": 13}]
    assert caption_numbers(4, "room_written") == [{"tokens": 12, "slot": 55, "empty": 0}]
    assert caption_numbers(4, "boundary_token") == [{"tokens": 13, "page": 3}]
    assert caption_numbers(4, "may_append") == [{"block": 6, "table": (9, 4, 13, 6)}]
    assert caption_numbers(4, "boundary_written") == [{"tokens": 13, "slot": 24, "empty": 3}]


def test_a_shared_prefix_returns_with_its_last_user() -> None:
    """Blocks 6 and 13 return with A, 1, 4 and 9 with B."""
    assert [(each["block"], each["ref_after"]) for each in caption_numbers(5, "shared")] == [(9, 2), (4, 2)]
    assert [(each["seq"], each["block"]) for each in caption_numbers(5, "returns")] == [("A", 6), ("A", 13), ("B", 1)]
    assert [(each["block"], each["ref_before"], each["ref_after"]) for each in caption_numbers(5, "stays")] == [
        (4, 2, 1),
        (9, 2, 1),
    ]
    assert [(each["seq"], each["block"]) for each in caption_numbers(5, "last_user")] == [("B", 4), ("B", 9)]
    (gone,), (back,) = caption_numbers(5, "first_gone"), caption_numbers(5, "all_back")
    assert (gone["back"], gone["shared"], back["back"], back["free"], back["blocks"]) == (0, (9, 4), 2, 16, 16)


def test_frames_follow_one_another() -> None:
    """A picture marks exactly its differences from the one before, and shows no state of another run."""
    for scene in build_scenes()[1:]:
        for earlier, later in pairwise(scene):
            if later.before is not None and isinstance(later.state, Snapshot):
                assert isinstance(earlier.state, Snapshot)
                marked = compare_snapshots(later.before, later.state)
                seen = compare_snapshots(earlier.state, later.state)
                assert (seen.taken, seen.returned, seen.pages) == (marked.taken, marked.returned, marked.pages)
    first, last = build_scenes()[1][0].state, build_scenes()[4][-1].state
    assert isinstance(first, Snapshot)
    assert isinstance(last, Snapshot)
    assert sorted(last.free_block_ids) == sorted(first.free_block_ids)
    assert all(isinstance(frame.state, ContiguousSnapshot) for frame in build_scenes()[0])


@every_language
def test_every_caption_has_its_numbers(language: Language) -> None:
    """One or two sentences, in which every number comes from the frame (or from the paper)."""
    say = get_translations(language)
    for scene in build_scenes():
        for frame in scene:
            text = format_caption(frame, say)
            assert "{" not in text
            assert 1 <= len(re.findall(r"[.。](?=\s|$|[^\d\s])", text)) <= 4
            assert set(re.findall(r"\d+", text)) <= numbers_of(frame) | {"2023", "3"} & {*re.findall(r"\d+", text)}


def numbers_of(frame: StoryFrame) -> set[str]:
    """Every number of a frame, including the ends of ranges."""
    return set(re.findall(r"\d+", " ".join(str(value) for value in frame.numbers.values())))


# --- the film ------------------------------------------------------------------------------------------------------


def read_frames(film: Film) -> dict[str, Any]:
    """Every frame of a film by its place."""
    frames: dict[str, Any] = read_film(describe_film(film))["frames"]
    assert list(frames) == film.places
    return frames


@every_language
@pytest.mark.parametrize("columns", [8, 4])
def test_a_film_holds_every_picture_as_drawn(language: Language, columns: int) -> None:
    """Sending common parts once loses nothing, and the result stays small."""
    film = build_film(language, columns, SCENES)
    drawn = [draw_frame(frame, get_translations(language), columns) for scene in build_scenes() for frame in scene]
    shown = [whole_figure(frame) for frame in read_frames(film).values()]
    for spec, made in zip(shown, drawn, strict=True):
        assert spec == json.loads(json.dumps(made.spec))
    labels = [frame["figures"]["film"]["label"] for frame in read_frames(film).values()]
    assert labels == [made.sentence for made in drawn]
    assert sum(len(chunk.packed) for chunk in film.chunks) < 80_000


def test_a_text_takes_its_words_and_characters_to_read() -> None:
    """English by words, Chinese by characters, Latin words in Chinese text by words; punctuation counts nothing."""
    word, character = 60 / WORDS_A_MINUTE, 60 / CHARACTERS_A_MINUTE
    for text, characters, others in (
        ("", 0, 0),
        ("[9, 4] → !", 0, 2),
        ("A's block_table is now [9].", 0, 5),
        ("写入 12 个槽。", 4, 1),
        ("块9也是A的", 4, 2),
    ):
        assert estimate_reading_seconds(text) == pytest.approx(characters * character + others * word), text


@every_language
def test_a_caption_of_the_film_stands_as_long_as_it_takes_to_read(language: Language) -> None:
    """The longest caption of the first scene, about the paper's example: five to eight seconds."""
    frames = read_frames(build_film(language, 4, SCENES))
    assert [frame["reads"] for frame in frames.values()] == [
        round(1000 * estimate_reading_seconds(frame["sentence"])) for frame in frames.values()
    ]
    paper = max((frame for place, frame in frames.items() if place.startswith("1.")), key=lambda frame: frame["reads"])
    assert "2038" in paper["sentence"]
    assert 5000 < paper["reads"] < 8000


@every_language
@pytest.mark.parametrize("last", [2, 4])
def test_a_film_ends_where_a_question_is_asked(language: Language, last: int) -> None:
    """It holds no picture, caption or name of later scenes."""
    film, say = build_film(language, 4, last), get_translations(language)
    text = json.dumps(describe_film(film), ensure_ascii=False)
    assert {int(place.split(".")[0]) for place in read_frames(film)} == set(range(1, last + 1))
    jumps = list_jumps(last, say)
    assert [bool(jump.at) for jump in jumps] == [i <= last for i in range(1, SCENES + 1)]
    text += json.dumps([vars(jump) for jump in jumps], ensure_ascii=False)
    later = [format_caption(frame, say) for scene in build_scenes()[last:] for frame in scene]
    later += [say.text(f"intuition.scene.{i}") for i in range(last + 1, SCENES + 1)]
    assert [words_ for words_ in later if words_ in text] == []


def test_every_scene_has_one_to_three_stills() -> None:
    """A storyboard shows each scene in a few pictures."""
    assert [sum(frame.still for frame in scene) for scene in build_scenes()] == [2, 1, 1, 2, 3]


def test_a_film_is_plain_json_and_has_what_is_shared_once() -> None:
    """Whole numbers lose their decimal point; other text stays as it is, quotes included."""
    long = [float(number) for number in range(20)]
    shape = {"type": "path", "path": "M0 0L9 9", "line": {"color": "#123456"}}
    trace: dict[str, Any] = {"type": "scatter", "x": [1.0, 2.5, None], "y": long, "name": 'a "b"'}
    spec: dict[str, Any] = {"data": [trace], "layout": {"height": 3.0, "shapes": [shape, shape]}}
    other = {**spec, "data": [{**trace, "name": "c"}]}
    figures = [split_figure(each, "d") for each in (spec, other, spec)]
    assert figures[0].id == figures[2].id != figures[1].id
    film = unpack(encode_chunk(Frame(f"1.{i}", {"f": each}, "“c”") for i, each in enumerate(figures)).packed)
    assert film["pool"] == [list(range(20)), shape]
    assert film["traces"] == [
        {"v": {"type": "scatter", "x": [1, 2.5, None], "name": name}, "p": {"y": 0}, "a": {}} for name in ('a "b"', "c")
    ]
    assert film["layouts"] == [{"v": {"height": 3}, "p": {}, "a": {"shapes": [1, 1]}}]
    assert [frame["figures"]["f"]["traces"] for frame in film["frames"].values()] == [[0], [1], [0]]
    assert film["frames"]["1.0"]["sentence"] == "“c”"
