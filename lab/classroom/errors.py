"""What a class refuses. Nothing is lost by a refusal: the class and its votes stay as they were."""

from __future__ import annotations

from lab.engine.errors import LabError


class NoSuchClassError(LabError):
    """No class that is open has this code. Numbers: `code`."""

    code = "no_such_class"
    message = "no class {code}"


class NoCodeError(LabError):
    """What was typed is no code of a class: it has not six digits. No numbers."""

    code = "no_code"
    message = "a code has six digits"


class TooManyTriesError(LabError):
    """Too many wrong codes from one place. Numbers: `seconds` until the next try."""

    code = "too_many_tries"
    message = "try again in {seconds} seconds"


class ClassFullError(LabError):
    """The class has all the participants that it can have. Numbers: `limit`."""

    code = "class_full"
    message = "{limit} are in the class"


class TooManyClassesError(LabError):
    """The server holds all the classes that it can hold. Numbers: `limit`."""

    code = "too_many_classes"
    message = "{limit} classes are open"


class NotInstructorError(LabError):
    """The key is not the one that was given to who opened the class. Numbers: `code`."""

    code = "not_instructor"
    message = "not the key of class {code}"


class StepNotOfferedError(LabError):
    """The class is in a phase without this step: another window has gone on. Numbers: `step`, `phase`."""

    code = "step_not_offered"
    message = "no {step} in phase {phase}"


class VoteClosedError(LabError):
    """Votes are not being taken. Numbers: `phase`."""

    code = "vote_closed"
    message = "no votes in phase {phase}"


class OtherQuestionError(LabError):
    """The class has gone on to another question or round. Numbers: `asked`, `answered` (numbers of questions)."""

    code = "other_question"
    message = "question {asked} is asked, not {answered}"


class AnswerTooLongError(LabError):
    """The text of an answer is longer than any answer to any question. Numbers: `characters`, `limit`."""

    code = "answer_too_long"
    message = "{characters} characters, at most {limit}"


class DatabaseAwayError(LabError):
    """The database does not answer. What was written before is kept. No numbers."""

    code = "database_away"
    message = "the database does not answer"
