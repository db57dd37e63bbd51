"""The reader of explanations, tested with sentences labelled by meaning and with random text."""

from __future__ import annotations

import re
import time
import tomllib
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.activities.free_text import FreeTextReading, read_explanation

FLAGS = ("roles_swapped", "full_only", "nonsense")
ALL_FOUR = frozenset({"crosses", "check", "act", "table"})


@dataclass(frozen=True)
class Labelled:
    id: str
    text: str
    expected: FreeTextReading
    borderline: bool


def load() -> list[Labelled]:
    """tests/data/explanations.toml, labelled before the reader was written."""
    path = Path(__file__).parent.parent / "data" / "explanations.toml"
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["explanation"]
    return [
        Labelled(
            e["id"], e["text"], FreeTextReading(frozenset(e["ingredients"]), *(e[f] for f in FLAGS)), e["borderline"]
        )
        for e in entries
    ]


def as_labelled(text: str) -> FreeTextReading:
    """The part of a reading that the labels cover; they are older than `denied`."""
    return replace(read_explanation(text), denied=frozenset())


ENTRIES = load()
CLEAR = [entry for entry in ENTRIES if not entry.borderline]
COMPLETE = [entry for entry in ENTRIES if entry.expected.found == ALL_FOUR and not entry.expected.roles_swapped]

# id -> why it is read wrongly. If the reader gets one right, its test fails: remove it from this table.
KNOWN_MISSES: dict[str, str] = {}

# Written before the reader, which got 23 of 24 right in its first run (it missed "never gets longer").
HELD_OUT = [
    (
        "crosses check act table",
        "B 手里那页装着 4 个 token，第 5 个只好落到逻辑页 1 上；can_append 瞧一眼空闲队列，may_append "
        "领走队首那块，块表随之变长一项。",
    ),
    ("crosses", "因为这个 token 要用一张新的逻辑页，不是因为别的"),
    ("check act", "检查归 can_append，分配归 may_append，两者别弄混"),
    ("check act table", "先确认空闲队列里还剩块，随后领走一个，并把编号登记到 block_table 里"),
    ("roles_swapped", "may_append 负责检查空闲块，检查过了 can_append 就去占用一个"),
    ("", "can_append 从来不检查任何东西"),
    ("", "第五个 token 没有进入新的逻辑页，它写在旧页的第一个槽里"),
    ("full_only", "那一页的四个槽位全被占用了"),
    ("nonsense", "逻辑页逻辑页逻辑页 block_table can_append"),
    ("nonsense", "哈哈哈哈随便写写"),
    ("crosses table", "新的 token 超出了第一页的范围，所以块表里会多登记一个物理块的 id"),
    ("roles_swapped", "block_table 没有任何变化，may_append 只是检查了一遍"),
    (
        "crosses check act table",
        "Token number five overflows into logical page two; can_append makes sure the free queue isn't "
        "empty, may_append claims the head block and block_table grows by one id.",
    ),
    (
        "check act",
        "may_append grabs a block from the pool, but only after can_append has verified that one is available.",
    ),
    ("full_only", "Because the slots ran out"),
    (
        "roles_swapped",
        "can_append picks a block off the free queue while may_append merely tests whether there is one",
    ),
    ("crosses", "the sequence has outgrown its first page and must move on to another page"),
    ("", "Neither can_append nor may_append is called, the old page is simply reused."),
    ("", "block_table never gets longer"),
    ("table", "Its physical block id is then recorded in the block_table"),
    ("nonsense", "page page token block can_append block_table"),
    ("nonsense", "I like turtles"),
    (
        "check act table",
        "can_append doesn't allocate anything; it verifies that some block is free, and the allocation "
        "happens in may_append, which also extends the block table",
    ),
    ("", "No new page is needed because the fifth token overwrites the first one."),
]

# Three more sets with rarer wordings, each written after the reader's words were fixed for the sets before it.
# First runs: 21 of 40, 11 of 24, 26 of 30 sentences completely right; most misses were verbs not yet known.
LATER = [
    ("act check", "取块的不是 can_append，而是 may_append"),
    ("crosses", "页面装不下第五个了，得换到下一页去"),
    (
        "check act table",
        "can_append 返回 True 说明还有空闲块，接着 may_append 把块分给 B，block_table 后面接上新的 id",
    ),
    ("crosses check act", "因为要开新页，所以先检查后分配"),
    ("crosses", "新token在第二个逻辑页，原来的页不用动"),
    ("check act table", "can_append 只是看看，不会改 block_table；改 block_table 的是 may_append"),
    ("act table", "may_append 执行之后块表就有两个 id 了"),
    ("", "页没满，所以可以继续用"),
    ("crosses act", "B 的 token 数超过 block_size，需要多一个逻辑页，系统给它分配了一个新的物理块"),
    ("roles_swapped", "can_append 看到有空闲块就直接分配了"),
    ("crosses", "不能复用，因为 KV 会被覆盖，所以得写到新的一页"),
    ("check", "是 can_append 先查有没有空闲块，不是 may_append 查"),
    ("check act", "can是检查，may是执行"),
    ("full_only", "空间不够了"),
    ("check", "物理块不够用了，所以 can_append 返回 False"),
    ("full_only", "我不太清楚，可能是因为页满了吧"),
    (
        "crosses table",
        "B 的第一页只有 4 个槽，第 5 个 token 的位置是 4，4//4=1，所以在逻辑页1，需要在块表里登记新的物理块",
    ),
    ("act table check", "may_append 把新块的编号写进 block_table，在此之前 can_append 已经确认过空闲队列非空"),
    ("act table", "append_token 之后长度是5，ceil(5/4)=2，但块表只有1项，所以 may_append 取一块补上"),
    ("check roles_swapped", "can_append 和 may_append 都会检查"),
    ("act check", "The one that takes the block is not can_append but may_append."),
    ("crosses", "B's 5th token doesn't fit in the old page, so a new page has to be opened for it."),
    (
        "check act table",
        "can_append returns True if there is a free block, then may_append gets one and block_table is extended",
    ),
    ("act table check", "may_append modifies block_table while can_append is read-only"),
    ("act", "The page is full so it needs to allocate another block."),
    ("check act", "can_append only answers yes or no. It is may_append that changes the state by taking a block."),
    ("crosses", "Because 5 tokens need two pages and B has only one"),
    ("check act table", "We check if there's space in the pool, allocate a block, and update the block table."),
    ("", "the fifth token does not need a new page"),
    ("act table roles_swapped", "can_append allocates, may_append writes it into the table"),
    ("check act", "If can_append says there is a free block, may_append will pop it from the queue."),
    ("full_only", "a page can hold only four tokens"),
    ("", "The block is still referenced by another request."),
    ("check act table", "can_append doesn't reserve anything, so block_table only changes when may_append runs"),
    ("roles_swapped", "may_append does the checking and can_append does the taking"),
    ("crosses table", "Since the token starts page 2, B's table needs another entry pointing to a free block"),
    ("", "it can, actually: the page has room"),
    ("crosses", "the old page has no free slots, so the token is written to a new one"),
    ("nonsense", "hello world"),
    (
        "check act",
        "can_append must run before may_append because we have to know a block is available prior to taking it",
    ),
    ("crosses", "位置 4 已经不在第一页里了，属于下一个逻辑页"),
    ("check act table", "can_append 先侦察有没有可用的块，may_append 再把块搬过来，登记进 block_table"),
    ("crosses", "第5个token换到新逻辑页去放，这跟页满不满没有直接关系"),
    ("roles_swapped", "我猜是 can_append 把空闲块抢走了"),
    ("check act table", "mayappend 取到新块后 blocktable 才增加一项，canappend 只负责回答行不行"),
    ("", "block_table 里原来就有两项，所以不用加"),
    ("check act", "先用 can_append 探一下空闲队列，够用的话 may_append 才分配"),
    ("check", "无论如何都要先检查有没有空闲块"),
    ("roles_swapped", "can_append 取了块之后 may_append 再确认一遍"),
    ("full_only", "B 的那页只有 4 个位置，已经坐满了"),
    ("", "may_append 并没有真正取块"),
    ("nonsense", "can_append 和 may_append 和 block_table 和逻辑页"),
    ("crosses", "Token 5 has index 4, and 4 // 4 = 1, i.e. it lives on the second logical page"),
    (
        "crosses check act table",
        "you need a fresh page; can_append tells you whether the pool has a spare block, may_append hands "
        "it over and B's table becomes one longer",
    ),
    ("roles_swapped", "may_append should confirm that space exists, and can_append should then reserve it"),
    ("act check", "A block gets allocated by may_append as soon as can_append gives the green light"),
    ("", "can_append never checked anything and no block was taken"),
    ("full_only", "The page already contains four of four tokens"),
    ("table", "a second block id now sits in block_table, next to the first one"),
    ("", "B isn't allowed to write there since ref_count > 1"),
    (
        "act check",
        "Only may_append touches the free queue: it pops the head. can_append just counts the free blocks.",
    ),
    (
        "crosses act",
        "4 tokens fill the page, the next one must start a new page, which requires that a free block "
        "exists and then gets taken",
    ),
    ("nonsense", "may append can append block table new page free block"),
    ("act table", "contrary to can_append, may_append has a side effect: block_table is one id longer"),
    ("crosses", "一页最多四个 token，B 要放第五个就必须翻到下一页"),
    ("check act table", "先问 can_append 能不能追加，得到肯定答复才让 may_append 去领块并更新块表"),
    ("", "B 还可以接着用原来的页，不需要新的块"),
    ("act", "may_append 不是检查，它是真的去分配块的"),
    ("check act table", "can_append 没有修改 block_table，修改它的是 may_append"),
    (
        "crosses act table",
        "num_blocks 大于 len(block_table)，说明要多一页，因此取出队首的块并把 id 附加到 block_table",
    ),
    ("crosses act", "逻辑页 1 还没有对应的物理块，要从空闲队列里拿一个"),
    ("", "块表里只有一个 id，不够"),
    ("roles_swapped", "can_append是动作，may_append是检查"),
    ("check act", "can_append 判断完毕之后 may_append 才从池子里取块"),
    ("full_only", "槽位用光了呗"),
    ("nonsense", "因为老师说的"),
    ("check act", "如果 can_append 发现没有空闲块就报错，有的话 may_append 拿一块"),
    ("crosses table", "第五个 token 会溢出到第二页，B 的块表多出一个条目"),
    ("roles_swapped", "can_append 不负责检查，它负责取块"),
    ("crosses", "The first page has all four slots taken, so a second page must be allocated"),
    ("check act", "before a block can be taken you have to check that the free queue is not empty"),
    ("roles_swapped", "may_append just checks; nothing is allocated"),
    ("", "The block table doesn't change at all"),
    (
        "check act table",
        "can_append is a pure check. may_append mutates: it pops a block id and appends it to the sequence's "
        "block table.",
    ),
    ("crosses", "token 5 would be in page index 1, which has no physical block yet"),
    ("full_only", "B is full"),
    ("check", "It needs no new page, can_append just looks at the free queue"),
    (
        "crosses check act table",
        "may_append is called only if can_append found a free block; it then adds that block's id to "
        "block_table, as the token begins a new logical page",
    ),
    ("check", "I don't think can_append takes the block"),
    ("act table roles_swapped", "can_append pops a block and then block_table gets the id from may_append"),
    ("nonsense", "bananas are yellow"),
    ("crosses", "Because pages can't be extended past 4 slots, the new token lands on a new page"),
    (
        "crosses table",
        "A new block is appended to the list of block ids, since the sequence crossed into its second page",
    ),
    ("roles_swapped", "can_append has already allocated it and may_append only verifies"),
]

# Beginning of a sentence of LATER -> why it is read wrongly; a test checks it like KNOWN_MISSES.
LATER_MISSES = {
    "因为要开新页，所以先检查后分配": "check and take with neither a name nor an object",
    "may_append 执行之后": "running stands for taking",
    "can是检查": "running stands for taking",
    "append_token 之后": "the table is named two clauses before, the entry not at all",
    "can_append 和 may_append 都会检查": "two subjects of one verb",
    "can_append doesn't reserve": "running stands for taking",
    "4 tokens fill the page": "taken, but what is taken stands in the clause before",
    "can_append 没有修改": "a pronoun stands for the table",
}


def labelled(label: str) -> FreeTextReading:
    """`check act roles_swapped` as a FreeTextReading."""
    words = set(label.split())
    swapped, full, nonsense = (flag in words for flag in FLAGS)
    return FreeTextReading(frozenset(words & ALL_FOUR), swapped, full, nonsense)


@pytest.mark.parametrize("entry", CLEAR, ids=lambda entry: entry.id)
def test_clear_entries_are_read_as_labelled(entry: Labelled) -> None:
    reading = as_labelled(entry.text)
    if entry.id in KNOWN_MISSES:
        assert reading != entry.expected, f"{entry.id} is read right now: take it off KNOWN_MISSES"
    else:
        assert reading == entry.expected


def test_known_misses_are_few_and_clear() -> None:
    assert set(KNOWN_MISSES) <= {entry.id for entry in CLEAR}
    assert len(KNOWN_MISSES) <= 0.05 * len(CLEAR)


def test_borderline_entries_are_mostly_read_as_labelled() -> None:
    borderline = [entry for entry in ENTRIES if entry.borderline]
    agreed = [entry.id for entry in borderline if as_labelled(entry.text) == entry.expected]
    assert len(agreed) >= 0.75 * len(borderline)


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("没有满，不需要新块", {"full", "crosses"}),
        ("页没满，所以可以继续用", {"full"}),
        ("The page is not full, so it stays there", {"full"}),
        ("页 0 还有空位", {"full"}),
        ("原来的页仍有两个位置，所以不需要新页", {"full", "crosses"}),
        ("The page still has room", {"full"}),
        ("there are still empty slots left in the page", {"full"}),
        ("我以为页 0 还有空位，其实满了", set()),
        ("can_append 检查还有空位没有，页 0 满了", set()),
        ("can_append checks whether the page still has room", set()),
        ("如果还有空位，就放在原来的页里", set()),
        ("the free queue still has room", set()),
        ("前 4 个 token 还有空位，第 5 个没有了", set()),
        ("the fifth token does not need a new page", {"crosses"}),
        ("不需要新页，第5个token还在原来的页里，block_table不变", {"crosses", "table"}),
        ("may_append takes nothing", {"act"}),
        ("can_append never looks at the free queue", {"check"}),
        ("can_append takes no block, may_append does", set()),
        ("如果没有新的一页，这个 token 就没有地方放", set()),
        ("原来那一页满了，没有空位，can_append 不取块", set()),
    ],
)
def test_what_is_plainly_denied_is_found(text: str, denied: set[str]) -> None:
    assert read_explanation(text).denied == denied


def test_nothing_that_is_said_rightly_is_taken_for_denied() -> None:
    """A labelled sentence with all four ingredients denies none, and no sentence denies an ingredient of its label."""
    for entry in ENTRIES:
        denied = read_explanation(entry.text).denied
        assert not denied & entry.expected.found, entry.id
        assert not (denied and entry.expected.found == ALL_FOUR), entry.id


@pytest.mark.parametrize(("label", "text"), HELD_OUT)
def test_held_out_sentences(label: str, text: str) -> None:
    assert as_labelled(text) == labelled(label)


@pytest.mark.parametrize(("label", "text"), LATER)
def test_later_sentences(label: str, text: str) -> None:
    if any(text.startswith(beginning) for beginning in LATER_MISSES):
        assert as_labelled(text) != labelled(label), "read right now: take it off LATER_MISSES"
    else:
        assert as_labelled(text) == labelled(label)


@pytest.mark.parametrize("text", ["因为页满了", "页满了。", "Because the page is full", "the page is full!"])
def test_full_alone_is_the_only_reason(text: str) -> None:
    assert read_explanation(text) == FreeTextReading(full_only=True)


@pytest.mark.parametrize(
    "text",
    [
        "can_append 不检查，may_append 也不取块，block_table 不会加一项，也不需要新的逻辑页",
        "can_append never checks, may_append takes nothing, block_table doesn't grow and no new page is needed",
        "it is not true that may_append takes a block",
        "取不到块",
        "新页并不需要",
    ],
)
def test_what_is_denied_is_not_found(text: str) -> None:
    reading = read_explanation(text)
    assert reading.found == frozenset()
    assert not reading.roles_swapped


@pytest.mark.parametrize(
    "text",
    [
        "can_append checks and then a block is taken",
        "can_append is called. Then a block is taken and block_table gets its id.",
        "may_append checks again and takes the block",
        "can_append 先查，然后取块",
        "can_append finds a block that may_append can take",
        "may_append is called only if can_append agrees; it then takes a block",
    ],
)
def test_right_roles_are_not_called_swapped(text: str) -> None:
    assert not read_explanation(text).roles_swapped


@pytest.mark.parametrize(
    "name", ["can_append", "can append", "canappend", "CanAppend", "can_apend()", "can-appned", "can"]
)
def test_names_may_be_misspelt(name: str) -> None:
    assert read_explanation(f"{name}检查空闲块").found == {"check"}


@pytest.mark.parametrize("name", ["block_table", "block table", "BlockTable", "block_tabel", "块表", "页表"])
def test_table_may_be_misspelt(name: str) -> None:
    assert read_explanation(f"may_apend 把 id 加到 {name}").found == {"act", "table"}


def wider(text: str) -> str:
    """The same text in full-width letters."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


@pytest.mark.parametrize("entry", COMPLETE, ids=lambda entry: entry.id)
def test_blanks_case_and_width_change_nothing(entry: Labelled) -> None:
    reading = read_explanation(entry.text)
    for changed in (entry.text.replace(" ", "  \t "), f" \u3000{entry.text}  ", entry.text.upper(), wider(entry.text)):
        assert read_explanation(changed) == reading


def exchanged(text: str) -> str | None:
    """The text with the names of can_append and may_append exchanged, or None if it does not name both."""
    text = unicodedata.normalize("NFKC", text)
    name = re.compile(r"(can|may)(?=[\s_-]{0,3}app?end)", re.IGNORECASE)
    found = {match[0].lower() for match in name.finditer(text)}
    return name.sub(lambda match: "may" if match[0].lower() == "can" else "can", text) if len(found) == 2 else None


@pytest.mark.parametrize("entry", [e for e in COMPLETE if exchanged(e.text)], ids=lambda entry: entry.id)
def test_exchanged_names_are_noticed(entry: Labelled) -> None:
    reading = read_explanation(exchanged(entry.text) or "")
    assert reading.roles_swapped or not {"check", "act"} <= reading.found


WORDS = """
can_append may_append can append block_table 块表 不 没有 not n't without , ， 。 . ? ( ) 检查 取 块 加 新 页 logical
page full 满 槽 takes checks adds id 并 and it 它 then 如果 by 难道 吗 new one does < > - = 可不可
"""
PIECES = st.sampled_from([*WORDS.split(), "\n"])


@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_any_text_gives_a_consistent_reading(text: str) -> None:
    reading = read_explanation(text)
    assert reading.found <= ALL_FOUR
    if reading.nonsense:
        assert reading == FreeTextReading(nonsense=True)
    if reading.full_only:
        assert reading == FreeTextReading(full_only=True)


HOSTILE = "a ( < - =- > _ 不 可不 没有空 block_ ap can_append no~ not~ can~append~ does~ . ~ 没有空,"


@pytest.mark.parametrize("piece", [*HOSTILE.split(), "\n", "\ufdfa", "\ud800"], ids=ascii)
def test_hostile_text_takes_little_time(piece: str) -> None:
    text = piece.replace("~", " ") * 1_000_000
    started = time.perf_counter()
    read_explanation(text)
    assert time.perf_counter() - started < 0.25


def test_only_the_beginning_is_read() -> None:
    assert read_explanation("." * 5_000 + "may_append takes a block").nonsense
