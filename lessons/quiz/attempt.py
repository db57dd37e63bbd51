"""The learner's quiz attempt: what only a round means. See lessons.state.attempts.

Address keys: `quiz` is the round with its answers. `at_quiz` is the question in view, counted from 1, or `end`; without
it the last answered question is in view. `question` is a single question and takes precedence over a round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from secrets import randbelow

from lab.activities.question import Sure, Value
from lab.engine.errors import LabError
from lab.quiz.generate import generate_named
from lab.quiz.link import encode_name, parse_name
from lab.quiz.question import DIFFICULTIES, MAX_SEED, Difficulty, QuizQuestion
from lab.quiz.round import KIND, LENGTH, Round, Turn, play_turns
from lessons.state import attempts, notes, record
from lessons.state.slots import ACTIVITIES

SLOT = ACTIVITIES[KIND]
ROUND, AT, SINGLE, END = SLOT.key, SLOT.at, "question", "end"
LENGTHS = (5, LENGTH, 20)
DEFAULT_SIZE = 4
DEFAULT_DIFFICULTY = DIFFICULTIES[0]


@dataclass(frozen=True)
class QuizAttempt:
    """An attempt at a round and the turn in view, or a single question.

    `index` is the turn in view; `played.length` means the summary at the end. `is_mine` says whether the answers are
    this browser's. `problem` says why the link could not be read.
    """

    played: Round | None = None
    index: int = 0
    is_mine: bool = True
    single: QuizQuestion | None = None
    problem: LabError | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The questions so far; empty if there is no round."""
        return play_turns(self.played) if self.played else ()

    @property
    def turn(self) -> Turn | None:
        """The turn in view; None at the end or without a round."""
        return self.turns[self.index] if self.index < len(self.turns) else None

    @property
    def question(self) -> QuizQuestion | None:
        """The question in view, from the round or single."""
        return self.single or (self.turn.question if self.turn else None)

    @property
    def sure(self) -> tuple[Sure | None, ...]:
        """How sure this browser's learner was of each answer; None where that is not known."""
        return tuple(each.sure if self.is_mine else None for each in self.played.answers) if self.played else ()

    @property
    def key(self) -> str:
        """Prefix of the widget keys for the question in view."""
        if self.single:
            return f"single.{encode_name(self.single.name)}"
        return f"{self.played.activity if self.played else ''}.{self.index}"


# --- reading -------------------------------------------------------------------------------------------------------


def read_url() -> QuizAttempt:
    """Read the address. If this browser has answered more of the round, return its version."""
    try:
        if alone := attempts.get_value(SINGLE):
            return QuizAttempt(single=generate_named(parse_name(alone)))
        named, at = attempts.read(SLOT)
        if named is None:
            return QuizAttempt()
        mine = find_saved(named.activity)
        is_mine = mine is not None and mine.attempt.answers_extend(named)
        played = mine if mine and is_mine else Round.read(named)
        is_mine = is_mine or not named.answers or not record.is_known()
        return QuizAttempt(played, _find_turn(played, len(named.answers), at), is_mine)
    except LabError as problem:
        return QuizAttempt(problem=problem)


def find_saved(activity: str) -> Round | None:
    """Return this browser's round, or None if it has none that can be read."""
    return record.read().find_as(activity, Round.read)


def get_saved() -> list[Round]:
    """Return this browser's rounds, oldest first, without those that cannot be read."""
    return [found for each in record.read().list_of_kind(KIND) if (found := find_saved(each.activity)) is not None]


def _find_turn(played: Round, answered: int, at: str) -> int:
    """Return the turn that the address names, else the last turn that the address has an answer for."""
    there = len(play_turns(played))
    if at == END and played.over:
        return played.length
    if at.isascii() and at.isdecimal() and 1 <= int(at[:3]) <= there:
        return int(at[:3]) - 1
    if at:
        attempts.add_unread(AT)
    return max(0, answered - 1)


def get_single_answer(question: QuizQuestion) -> Value | None:
    """Return this session's answer to a single question, or None."""
    answer: Value | None = notes.get_note(f"single.{encode_name(question.name)}")
    return answer


# --- changing: callbacks only --------------------------------------------------------------------------------------


def begin(block_size: int, difficulty: Difficulty, length: int, kinds_of: int | None = None) -> None:
    """Begin a round with a random seed. `kinds_of`: the seed of another round, whose kinds of question it repeats."""
    seed = randbelow(MAX_SEED + 1)
    fresh = Round(seed, block_size, difficulty, length, kinds_of=None if kinds_of == seed else kinds_of)
    attempts.show(SLOT, fresh.attempt, **{SINGLE: ""})


def take() -> None:
    """Start the link's round without the sender's answers, or continue where this browser left it."""
    played = read_url().played
    if played is not None:
        go_on(find_saved(played.activity) or replace(played, answers=()))


def go_on(played: Round) -> None:
    """Open the first unanswered question of this round, or its end."""
    at = END if played.over else str(len(played.answers) + 1)
    attempts.show(SLOT, played.attempt, at, **{SINGLE: ""})


def seek(index: int) -> None:
    """Show a question of the round by its index, or its end."""
    played = read_url().played
    if played is not None:
        attempts.show(SLOT, played.attempt, END if index >= played.length else str(index + 1))


def commit(key: str, value: Value, sure: Sure | None) -> None:
    """Commit an answer to the question in view. Only the first answer counts.

    `key` names the question that was answered; if another question is in view by now, nothing happens. `sure` is None
    only for a single question.
    """
    view = read_url()
    if key != view.key:
        return
    if view.single is not None:
        if get_single_answer(view.single) is None:
            notes.set_note(f"single.{encode_name(view.single.name)}", value)
    elif view.played and view.is_mine and sure and view.turn is not None and view.turn.result is None:
        attempts.commit(SLOT, view.played.answered(value, sure).attempt)


def leave() -> None:
    """Leave the round or single question and show where a round begins. The record keeps the answers."""
    attempts.show(SLOT, None, **{SINGLE: ""})


def return_to_round() -> None:
    """Close the single question and show the round again."""
    attempts.set_value(SINGLE, "")


def ask_alone(question: QuizQuestion, *, another: bool = False) -> None:
    """Ask this question on its own, or `another` one of its kind. Forgets the earlier answer to this question."""
    if not another:
        notes.set_note(f"single.{encode_name(question.name)}", None)
    seed = randbelow(MAX_SEED + 1) if another else question.name.seed
    attempts.set_value(SINGLE, encode_name(replace(question.name, seed=seed)))
