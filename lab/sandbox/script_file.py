"""The author's words and steps in a scenario file: `title`, `sentence`, `steps`, and `together`, its groups."""

from __future__ import annotations

from typing import Any

from lab.sandbox.errors import FileFieldError
from lab.sandbox.file_fields import FileFields
from lab.sandbox.log import KINDS, Group
from lab.sandbox.script import ABOUT, AuthorPrompt, BilingualText, Script

_LANGUAGES = {"en", "zh"}
_TEXTS = {"question": "ask", "point": "point", "notes": "remark"}  # in the file, and of a prompt


def write_script(script: Script) -> dict[str, object]:
    """The fields of the file; only those that say something. Pure."""
    fields: dict[str, object] = {}
    for name in ("title", "sentence"):
        if text := getattr(script, name):
            fields[name] = _write_text(text)
    if script.prompts:
        fields["steps"] = [_write_prompt(prompt) for prompt in script.prompts]
    return fields


def read_script(fields: FileFields) -> Script:
    """Inverse of write_script. Raises FileFieldError, AuthorTextTooLongError."""
    prompts = tuple(_read_prompt(each, at) for at, each in fields.take_each("steps", []))
    script = Script(_read_text(fields, "title"), _read_text(fields, "sentence"), prompts)
    if len({prompt.step for prompt in prompts}) < len(prompts):
        raise FileFieldError(where=fields.path("steps"))
    return script


def write_groups(groups: tuple[Group, ...]) -> dict[str, object]:
    """The field of the file; nothing without groups. Pure."""
    return {"together": [vars(group) for group in groups]} if groups else {}


def read_groups(fields: FileFields) -> tuple[Group, ...]:
    """Inverse of write_groups. Raises FileFieldError."""
    return tuple(_read_group(each, at) for at, each in fields.take_each("together", []))


def _read_group(content: object, where: str) -> Group:
    fields = FileFields(content, where, {"kind", "first", "count", "times"})
    kind = fields.take("kind", str, None, KINDS.__contains__)
    return Group(kind, fields.take("first", int), fields.take("count", int), fields.take("times", int, 1))


def _write_text(text: BilingualText) -> dict[str, str]:
    return {language: each for language, each in (("en", text.en), ("zh", text.zh)) if each}


def _write_prompt(prompt: AuthorPrompt) -> dict[str, object]:
    fields: dict[str, object] = {"step": prompt.step}
    if prompt.about:
        fields["asks"] = prompt.about
    texts = {name: getattr(prompt, own) for name, own in _TEXTS.items()}
    return fields | {name: _write_text(text) for name, text in texts.items() if text}


def _read_prompt(content: object, where: str) -> AuthorPrompt:
    fields = FileFields(content, where, {"step", "asks", *_TEXTS})
    texts: dict[str, Any] = {own: _read_text(fields, name) for name, own in _TEXTS.items()}
    about = fields.take("asks", str, "", ("", *ABOUT).__contains__)
    return AuthorPrompt(fields.take("step", int), about, **texts)


def _read_text(fields: FileFields, name: str) -> BilingualText:
    inner = FileFields(fields.take(name, dict, {}), fields.path(name), _LANGUAGES)
    return BilingualText(inner.take("en", str, ""), inner.take("zh", str, ""))
