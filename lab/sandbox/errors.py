"""What a sandbox refuses, besides the refusals of the engine and its limits. An error leaves everything unchanged."""

from __future__ import annotations

from lab.engine.errors import InvalidFreeQueueError, LabError


class RequestNameError(LabError):
    """No name for a request: an id is a capital letter, alone or with a digit; what people call it has letters, digits,
    spaces, hyphens and apostrophes. The error does not repeat the name. Numbers: `character`, the first that is not
    allowed in it; none if the name as a whole is not."""

    code = "request_name"
    message = "a request has a name of letters and digits; a capital letter, alone or with a digit, is its id"


class SameAsError(LabError):
    """A request begins like a request that does not come before it. Numbers: `seq_id`, `other`."""

    code = "same_as"
    message = "{seq_id} begins like {other}, which does not come before it"


class BegunLikeError(LabError):
    """A request cannot be removed, because another begins like it. Numbers: `seq_id` (to be removed), `other`."""

    code = "begun_like"
    message = "{other} begins like {seq_id}, which has to stay"


class WholeNumberError(LabError):
    """A field does not hold a whole number in its range. Numbers: `name` (of the field), `minimum`, `limit`."""

    code = "whole_number"
    message = "{name}: a whole number from {minimum} to {limit}"


class QueueIdsError(InvalidFreeQueueError):
    """The typed queue is not a permutation. Numbers, besides those of the base: `missing`, `twice`, `unknown`, each the
    first 16 such ids with spaces between."""


class TextTooLongError(LabError):
    """A typed text is longer than the tokens of any request. Numbers: `seq_id`, `characters`, `limit`."""

    code = "text_too_long"
    message = "{seq_id}: {characters} characters of text, at most {limit}"


class AuthorTextTooLongError(LabError):
    """A text of a scenario's author is too long. Numbers: `name` (of the field), `characters`, `limit`."""

    code = "author_text_too_long"
    message = "{name}: {characters} characters, at most {limit}"


class QuestionKindError(LabError):
    """A question asks about something that its step does not have. Numbers: `step`, `about`."""

    code = "question_kind"
    message = "no question about {about} at step {step}"


class QuestionStepError(LabError):
    """A question stands at a step that the scenario does not have. Numbers: `step`, `steps`."""

    code = "question_step"
    message = "a question at step {step} of {steps}"


class LogGroupsError(LabError):
    """What is to be one step of a log does not fit its operations. Numbers: `first`, of its operations (from 1)."""

    code = "log_groups"
    message = "the operations from {first} on are no such step"


class NothingRunningError(LabError):
    """A step is to give every running request a token, and none is running. Numbers: `step`, counted from 1."""

    code = "nothing_running"
    message = "step {step} finds no running request"


class CalledAlikeError(LabError):
    """Two requests would be called the same. Numbers: `seq_id`, `other`. The error does not repeat the name."""

    code = "called_alike"
    message = "{seq_id} and {other} would be called the same"


class VocabularyError(LabError):
    """A scenario has more different tokens than the model knows. Numbers: `different`, `limit`."""

    code = "vocabulary"
    message = "{different} different tokens, at most {limit}"


class LinkTooLongError(LabError):
    """A state is too long for a link and needs a file. Numbers: `characters`, `limit`."""

    code = "link_too_long"
    message = "{characters} characters, at most {limit}: use a file"


class ScenarioFileError(LabError):
    """A file does not describe a state. The base of what lab/sandbox/files.py raises."""

    code = "scenario_file"
    message = "not a scenario file of this lab"


class ScenarioFileTooLargeError(ScenarioFileError):
    """The file is too large to be read at all. Numbers: `kilobytes`, `limit` (kilobytes)."""

    code = "scenario_file_too_large"
    message = "{kilobytes} KB, at most {limit}"


class FileNotJSONError(ScenarioFileError):
    """The text is not JSON. Numbers: `line`, if it is known."""

    code = "scenario_file_not_json"
    message = "line {line} is not JSON"


class FileUnreadableError(ScenarioFileError):
    """Not UTF-8, nested too deeply, a number that is not whole, or a name that comes twice in one object."""

    code = "scenario_file_unreadable"
    message = "not UTF-8, too deep, not whole numbers, or a name twice"


class FileVersionError(ScenarioFileError):
    """A version that this lab does not know. Numbers: `version` (-1: not a number), `known`."""

    code = "scenario_file_version"
    message = "version {version}, known is {known}"


class FileFieldError(ScenarioFileError):
    """One field is missing, unknown or of the wrong type. Numbers: `where` (its path, e.g. `requests[2].tokens`)."""

    code = "scenario_file_field"
    message = "{where} is missing, unknown or not of its kind"
