"""An author's words and steps as parts of a link: `g.d3-6-2` (from the third operation on, six of them, a token for all
running requests twice), `x.teuSGk` (title, English, "Hi"), `q3.ktable.peu...` for each step with a prompt.

A text is its field (t, s, a, p, r: title, sentence, ask, point, remark), its language (e, z), and the text in base64 of
UTF-8 (u) or UTF-16 (w), whichever is shorter: Chinese takes two thirds of the room in UTF-16.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator

from lab.engine.errors import InvalidLinkError
from lab.sandbox.log import KINDS, Group
from lab.sandbox.script import ABOUT, About, AuthorPrompt, BilingualText, Script

_LANGUAGES = {"e": "en", "z": "zh"}
_ENCODINGS = {"u": "utf-8", "w": "utf-16-be"}
_OF_SCRIPT = {"t": "title", "s": "sentence"}
_OF_PROMPT = {"a": "ask", "p": "point", "r": "remark"}
_BY_LETTER = {kind[0]: kind for kind in KINDS}
_SMALL = r"[1-9][0-9]{0,2}"
_GROUP = re.compile(rf"(?P<kind>[{''.join(_BY_LETTER)}])(?P<first>{_SMALL})-(?P<count>{_SMALL})-(?P<times>{_SMALL})")
_FIRST = re.compile(r"x|q(?P<step>[1-9][0-9]{0,3})")
_FIELD = re.compile(r"(?P<field>[a-z])(?P<language>[ez])(?P<coded>[uw][A-Za-z0-9~-]+)")


def is_part(text: str, letters: str) -> bool:
    """Is this part of a link one of those, and not a request, which begins with a capital letter? Pure."""
    return text[:1] != "" and text[:1] in letters


def format_groups(groups: tuple[Group, ...]) -> Iterator[str]:
    """The part that stands for the groups of a log; none without any. Pure."""
    if groups:
        yield ".".join(("g", *(f"{each.kind[0]}{each.first}-{each.count}-{each.times}" for each in groups)))


def parse_groups(parts: Iterable[str]) -> tuple[Group, ...]:
    """Inverse of format_groups. Raises InvalidLinkError."""
    groups = []
    for part in parts:
        first, *rest = part.split(".")
        if first != "g":
            raise _refuse()
        for each in rest:
            match = _GROUP.fullmatch(each)
            if match is None:
                raise _refuse()
            groups.append(Group(_BY_LETTER[match["kind"]], *map(int, match.group("first", "count", "times"))))
    return tuple(groups)


def format_script(script: Script) -> Iterator[str]:
    """The parts that stand for a script; none for an empty one. Pure."""
    if script.title or script.sentence:
        yield ".".join(("x", *_format_texts(script, _OF_SCRIPT)))
    for prompt in script.prompts:
        about = [f"k{prompt.about}"] if prompt.about else []
        yield ".".join((f"q{prompt.step}", *about, *_format_texts(prompt, _OF_PROMPT)))


def parse_script(parts: Iterable[str]) -> Script:
    """Inverse of format_script; the caller compares what format_script makes of it. Raises InvalidLinkError."""
    texts: dict[str, BilingualText] = {}
    prompts = []
    for part in parts:
        first, *rest = part.split(".")
        match = _FIRST.fullmatch(first)
        if match is None:
            raise _refuse()
        if match["step"] is None:
            texts |= _parse_texts(rest, _OF_SCRIPT)
            continue
        about = _parse_about(rest.pop(0)[1:]) if rest and rest[0][:1] == "k" else ""
        prompts.append(AuthorPrompt(int(match["step"]), about, **_parse_texts(rest, _OF_PROMPT)))
    return Script(prompts=tuple(prompts), **texts)


def encode_text(text: str) -> str:
    """A text in the letters of a link. Pure."""
    tries = ((mark, b64encode(text.encode(name), altchars=b"-~")) for mark, name in _ENCODINGS.items())
    return min((mark + coded.decode("ascii").rstrip("=") for mark, coded in tries), key=len)


def decode_text(coded: str) -> str:
    """Inverse of encode_text. Raises InvalidLinkError."""
    try:
        padded = coded[1:] + "=" * (-len(coded[1:]) % 4)
        return b64decode(padded, altchars=b"-~", validate=True).decode(_ENCODINGS[coded[:1]])
    except (KeyError, ValueError):  # no such encoding, not base64, or not in that encoding
        raise _refuse() from None


def _format_texts(owner: object, names: dict[str, str]) -> Iterator[str]:
    for field, name in names.items():
        for letter, language in _LANGUAGES.items():
            if text := getattr(getattr(owner, name), language):
                yield f"{field}{letter}{encode_text(text)}"


def _parse_texts(fields: Iterable[str], names: dict[str, str]) -> dict[str, BilingualText]:
    found: dict[str, dict[str, str]] = {}
    for each in fields:
        match = _FIELD.fullmatch(each)
        if match is None or match["field"] not in names:
            raise _refuse()
        found.setdefault(names[match["field"]], {})[_LANGUAGES[match["language"]]] = decode_text(match["coded"])
    return {name: BilingualText(**texts) for name, texts in found.items()}


def _parse_about(name: str) -> About:
    for about in ABOUT:
        if about == name:
            return about
    raise _refuse()


def _refuse() -> InvalidLinkError:
    return InvalidLinkError(part="script", reason="not a script")
