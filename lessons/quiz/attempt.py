"""The learner's quiz attempt, read from the address and the record. Only callbacks change it.

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
from lab.quiz.round import LENGTH, Round, Turn, play_turns
from lab.quiz.round_link import encode_round, parse_round
from lessons.quiz import record as quiz_record
from lessons.state import attempts, notes, record

ROUND, AT, SINGLE, END = "quiz", "at_quiz", "question", "end"
LENGTHS = (5, LENGTH, 20)
DEFAULT_SIZE = 4
DEFAULT_DIFFICULTY = DIFFICULTIES[0]


@dataclass(frozen=True)
class QuizAttempt:
    """A round and the turn in view, or a single question.

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
    def key(self) -> str:
        """Prefix of the widget keys for the question in view."""
        if self.single:
            return f"single.{encode_name(self.single.name)}"
        settings = quiz_record.format_settings(self.played) if self.played else ""
        return f"{settings}.{self.index}"


# --- reading -------------------------------------------------------------------------------------------------------


def read_url() -> QuizAttempt:
    """Read the address. If this browser has answered more of the round, return its version."""
    try:
        if alone := attempts.get_value(SINGLE):
            return QuizAttempt(single=generate_named(parse_name(alone)))
        text = attempts.get_value(ROUND)
        if not text:
            return QuizAttempt()
        named = parse_round(text)
        played, is_mine = _find_owner(named)
        return QuizAttempt(played, _find_turn(named, played), is_mine)
    except LabError as problem:
        return QuizAttempt(problem=problem)


def _find_owner(named: Round) -> tuple[Round, bool]:
    """Return the round and whether its answers are this browser's. Until the record arrives, they count as its own."""
    mine = quiz_record.find_mine(named)
    if mine is not None and mine.answers[: len(named.answers)] == named.answers:
        return mine, True
    return named, not named.answers or not record.is_known()


def _find_turn(named: Round, played: Round) -> int:
    """Return the turn that the address names, else the last turn that the address has an answer for."""
    at, there = attempts.get_value(AT), len(play_turns(played))
    if at == END and played.over:
        return played.length
    if at.isascii() and at.isdecimal() and 1 <= int(at[:3]) <= there:
        return int(at[:3]) - 1
    if at:
        attempts.add_unread(AT)
    return max(0, len(named.answers) - 1)


def get_single_answer(question: QuizQuestion) -> Value | None:
    """Return this session's answer to a single question, or None."""
    answer: Value | None = notes.get_note(f"single.{encode_name(question.name)}")
    return answer


# --- changing: callbacks only --------------------------------------------------------------------------------------


def begin(block_size: int, difficulty: Difficulty, length: int, kinds_of: int | None = None) -> None:
    """Begin a round with a random seed. `kinds_of`: the seed of another round, whose kinds of question it repeats."""
    seed = randbelow(MAX_SEED + 1)
    fresh = Round(seed, block_size, difficulty, length, kinds_of=None if kinds_of == seed else kinds_of)
    attempts.set_values(**{ROUND: encode_round(fresh), AT: "", SINGLE: ""})


def take() -> None:
    """Start the link's round without the sender's answers, or continue where this browser left it."""
    attempt = read_url()
    if attempt.played is not None:
        go_on(quiz_record.find_mine(attempt.played) or replace(attempt.played, answers=()))


def go_on(played: Round) -> None:
    """Open the first unanswered question of this round, or its end."""
    at = END if played.over else str(len(played.answers) + 1)
    attempts.set_values(**{ROUND: encode_round(played), AT: at, SINGLE: ""})


def seek(index: int) -> None:
    """Show a question of the round by its index, or its end."""
    attempt = read_url()
    if attempt.played is not None:
        at = END if index >= attempt.played.length else str(index + 1)
        attempts.set_values(**{ROUND: encode_round(attempt.played), AT: at})


def commit(key: str, value: Value, sure: Sure | None) -> None:
    """Commit an answer to the question in view. Only the first answer counts.

    `key` names the question that was answered; if another question is in view by now, nothing happens. `sure` is None
    only for a single question.
    """
    attempt = read_url()
    if key != attempt.key:
        return
    if attempt.single is not None:
        if get_single_answer(attempt.single) is None:
            notes.set_note(f"single.{encode_name(attempt.single.name)}", value)
    elif (
        attempt.played is not None
        and attempt.is_mine
        and sure
        and attempt.turn is not None
        and attempt.turn.result is None
    ):
        played = attempt.played.answered(value)
        attempts.set_values(**{ROUND: encode_round(played), AT: ""})
        quiz_record.add(played, sure)


def leave() -> None:
    """Leave the round or single question and show where a round begins. The record keeps the answers."""
    attempts.set_values(**{ROUND: "", AT: "", SINGLE: ""})


def return_to_round() -> None:
    """Close the single question and show the round again."""
    attempts.set_values(**{SINGLE: ""})


def ask_alone(question: QuizQuestion, *, another: bool = False) -> None:
    """Ask this question on its own, or `another` one of its kind. Forgets the earlier answer to this question."""
    if not another:
        notes.set_note(f"single.{encode_name(question.name)}", None)
    seed = randbelow(MAX_SEED + 1) if another else question.name.seed
    attempts.set_values(**{SINGLE: encode_name(replace(question.name, seed=seed))})
