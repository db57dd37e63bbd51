"""Where a visitor of the quiz is: read from the address and the record; changed in callbacks only.

`quiz` is the round, its answers included; `at_quiz` the question in view (from 1, or `end`) where that is not the
last one answered; `question` a single question, which comes first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from secrets import randbelow

from lab.errors import LabError
from lab.quiz.generate import generate_named
from lab.quiz.link import name_text, parse_name
from lab.quiz.question import DIFFICULTIES, MAX_SEED, Difficulty, Question, Value
from lab.quiz.round import LENGTH, Round, Turn, turns
from lab.quiz.round_link import parse_round, round_text
from lessons import quiz_record, record, state
from lessons.quiz_record import Sure

ROUND, AT, SINGLE, END = "quiz", "at_quiz", "question", "end"
LENGTHS = (5, LENGTH, 20)
DEFAULT_SIZE = 4
DEFAULT_DIFFICULTY = DIFFICULTIES[0]


@dataclass(frozen=True)
class QuizPlace:
    """A round and the place in it. `index` is that of the turn in view, `played.length` the end.

    `own`: the answers are this browser's. `problem`: why the link could not be read.
    """

    played: Round | None = None
    index: int = 0
    own: bool = True
    single: Question | None = None
    problem: LabError | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The questions so far; none before a round has begun."""
        return turns(self.played) if self.played else ()

    @property
    def turn(self) -> Turn | None:
        """The one in view; None at the end, or where there is no round."""
        return self.turns[self.index] if self.index < len(self.turns) else None

    @property
    def question(self) -> Question | None:
        """The question in view, of the round or alone."""
        return self.single or (self.turn.question if self.turn else None)

    @property
    def key(self) -> str:
        """Begins the keys of the widgets of the question in view."""
        if self.single:
            return f"single.{name_text(self.single.name)}"
        settings = quiz_record.settings_text(self.played) if self.played else ""
        return f"{settings}.{self.index}"


# --- reading -------------------------------------------------------------------------------------------------------


def place() -> QuizPlace:
    """Read the address; a round that this browser has answered further is shown as far as that."""
    try:
        if alone := state.value(SINGLE):
            return QuizPlace(single=generate_named(parse_name(alone)))
        text = state.value(ROUND)
        if not text:
            return QuizPlace()
        named = parse_round(text)
        played, own = _whose(named)
        return QuizPlace(played, _index(named, played), own)
    except LabError as problem:
        return QuizPlace(problem=problem)


def _whose(named: Round) -> tuple[Round, bool]:
    """The round in view, and whether its answers are this browser's. Until the browser has told, they are."""
    kept = quiz_record.own(named)
    if kept is not None and kept.answers[: len(named.answers)] == named.answers:
        return kept, True
    return named, not named.answers or not record.known()


def _index(named: Round, played: Round) -> int:
    """The turn in view: the one that the address names, else the last one that it has an answer of."""
    at, there = state.value(AT), len(turns(played))
    if at == END and played.over:
        return played.length
    if at.isascii() and at.isdecimal() and 1 <= int(at[:3]) <= there:
        return int(at[:3]) - 1
    if at:
        state.unread(AT)
    return max(0, len(named.answers) - 1)


def answered_alone(question: Question) -> Value | None:
    """What was answered to a single question in this session."""
    kept: Value | None = state.noted(f"single.{name_text(question.name)}")
    return kept


# --- changing: callbacks only --------------------------------------------------------------------------------------


def begin(block_size: int, difficulty: Difficulty, length: int, kinds_of: int | None = None) -> None:
    """A new round; its seed is drawn here, once. `kinds_of`: the seed whose kinds of question it has."""
    seed = randbelow(MAX_SEED + 1)
    fresh = Round(seed, block_size, difficulty, length, kinds_of=None if kinds_of == seed else kinds_of)
    state.set_values(**{ROUND: round_text(fresh), AT: "", SINGLE: ""})


def take() -> None:
    """The round of the link without the sender's answers, or where this browser left it."""
    here = place()
    if here.played is not None:
        go_on(quiz_record.own(here.played) or replace(here.played, answers=()))


def go_on(played: Round) -> None:
    """Turn to the open question of this round, or to its end."""
    at = END if played.over else str(len(played.answers) + 1)
    state.set_values(**{ROUND: round_text(played), AT: at, SINGLE: ""})


def look(index: int) -> None:
    """Turn to a question of the round, or to its end."""
    here = place()
    if here.played is not None:
        at = END if index >= here.played.length else str(index + 1)
        state.set_values(**{ROUND: round_text(here.played), AT: at})


def answer(key: str, value: Value, sure: Sure | None) -> None:
    """Commit an answer to the question in view, once; `key` is that of the question that it was meant for.

    `sure` is None for a single question, and for that one only.
    """
    here = place()
    if key != here.key:
        return
    if here.single is not None:
        if answered_alone(here.single) is None:
            state.note(f"single.{name_text(here.single.name)}", value)
    elif here.played is not None and here.own and sure and here.turn is not None and here.turn.result is None:
        played = here.played.answered(value)
        state.set_values(**{ROUND: round_text(played), AT: ""})
        quiz_record.add(played, sure)


def leave() -> None:
    """Away from the round or the single question, to where a round begins; the record keeps what was answered."""
    state.set_values(**{ROUND: "", AT: "", SINGLE: ""})


def back_to_round() -> None:
    """Away from the single question."""
    state.set_values(**{SINGLE: ""})


def ask_alone(question: Question, *, another: bool = False) -> None:
    """Ask this question by itself, or another one of its kind."""
    if not another:
        state.note(f"single.{name_text(question.name)}", None)
    seed = randbelow(MAX_SEED + 1) if another else question.name.seed
    state.set_values(**{SINGLE: name_text(replace(question.name, seed=seed))})
