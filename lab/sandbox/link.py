"""A scenario as an attempt: `2.sandbox.16.4.used_A.n11_B.sA-8.n3__aA.aB.tB-5` (pool, requests, log).

The pool is blocks, block_size, free queue (a name, or `3-0-2-1`), and after a further dot the prepared scenario that it
began as. A request is its name and its parts: `sA-8` for the first 8 tokens of A, `n11` for 11 made-up tokens, `w...`
for typed text, `t...` for typed text to append, both in base64 of UTF-8, `c...` for what people call it. Parts that
begin with a small letter are the author's words and steps, see script_link.py. All of it is letters, digits and `.-_~`,
which need no escape in an address, so MAX_LINK counts what the address will hold.

Links are not trusted: any text that encode_scenario would not write raises a LabError. Runs nothing.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from typing import Literal

from lab.activities.attempt import MAX_TEXT, Attempt, encode
from lab.engine.errors import InvalidLinkError
from lab.sandbox.errors import LinkTooLongError
from lab.sandbox.queue import Queue
from lab.sandbox.request_specs import RequestSpec
from lab.sandbox.scenario import Scenario
from lab.sandbox.script_link import (
    decode_text,
    encode_text,
    format_groups,
    format_script,
    is_part,
    parse_groups,
    parse_script,
)

KIND = "sandbox"
MAX_LINK = MAX_TEXT  # characters

_NUMBER = r"(?:0|[1-9][0-9]{0,3})"
_CODED = r"[A-Za-z0-9~-]+"
_POOL = re.compile(
    rf"{KIND}\.(?P<blocks>{_NUMBER})\.(?P<size>{_NUMBER})\."
    rf"(?P<queue>fresh|used|{_NUMBER}(?:-{_NUMBER})*)(?:\.(?P<key>[a-z]{{1,20}}))?"
)
_REQUEST = re.compile(
    rf"(?P<name>[A-Z][0-9]?)(?:\.s(?P<same_as>[A-Z][0-9]?)-(?P<same>{_NUMBER}))?"
    rf"(?:\.n(?P<count>{_NUMBER})|\.w(?P<words>{_CODED}))?(?:\.t(?P<then>{_CODED}))?"
    rf"(?:\.c(?P<called>{_CODED}))?"
)


def build_attempt(scenario: Scenario) -> Attempt:
    """The attempt that stands for a scenario and its log. Pure."""
    queue = scenario.queue if isinstance(scenario.queue, str) else "-".join(map(str, scenario.queue))
    pool = f"{KIND}.{scenario.num_blocks}.{scenario.block_size}.{queue}"
    if scenario.key:
        pool += f".{scenario.key}"
    parts = [
        pool,
        *map(_format_request, scenario.requests),
        *format_groups(scenario.groups),
        *format_script(scenario.script),
    ]
    return Attempt("_".join(parts), (), scenario.operations)


def read_attempt(attempt: Attempt) -> Scenario:
    """Inverse of build_attempt. Raises InvalidLinkError, and what Scenario raises. Runs nothing."""
    first, *parts = attempt.activity.split("_")
    pool = _POOL.fullmatch(first)
    if pool is None:
        raise InvalidLinkError(part="pool", reason="not a pool")
    queue: Queue = (
        tuple(map(int, pool["queue"].split("-"))) if pool["queue"][0].isdigit() else _check_queue_name(pool["queue"])
    )
    scenario = Scenario(
        int(pool["blocks"]),
        int(pool["size"]),
        queue,
        tuple(_parse_request(part) for part in parts if not is_part(part, "gxq")),
        attempt.operations,
        pool["key"] or "",
        parse_script(part for part in parts if is_part(part, "xq")),
        parse_groups(part for part in parts if is_part(part, "g")),
    )
    if build_attempt(scenario) != attempt:
        raise InvalidLinkError(part="text", reason="not written as we write it")
    return scenario


def encode_scenario(scenario: Scenario) -> str:
    """Short text of a scenario and its log. Pure. Raises LinkTooLongError: such a state needs a file."""
    text = encode(build_attempt(scenario))
    if len(text) > MAX_LINK:
        raise LinkTooLongError(characters=len(text), limit=MAX_LINK)
    return text


def _check_queue_name(queue: str) -> Literal["fresh", "used"]:
    return "fresh" if queue == "fresh" else "used"


def _format_request(spec: RequestSpec) -> str:
    fields = [spec.seq_id]
    if spec.same:
        fields.append(f"s{spec.same_as}-{spec.same}")
    if spec.own:
        fields.append(f"n{spec.own}" if isinstance(spec.own, int) else f"w{_encode_text(spec.own)}")
    if spec.then:
        fields.append(f"t{_encode_text(spec.then)}")
    if spec.called:
        fields.append(f"c{encode_text(spec.called)}")
    return ".".join(fields)


def _parse_request(text: str) -> RequestSpec:
    match = _REQUEST.fullmatch(text)
    if match is None:
        raise InvalidLinkError(part="request", reason="not a request")
    own: str | int = _decode_text(match["words"]) if match["words"] else int(match["count"] or 0)
    then = _decode_text(match["then"]) if match["then"] else ""
    called = decode_text(match["called"]) if match["called"] else ""
    return RequestSpec(match["name"], own, match["same_as"] or "", int(match["same"] or 0), then, called)


def _encode_text(text: str) -> str:
    return b64encode(text.encode("utf-8"), altchars=b"-~").decode("ascii").rstrip("=")


def _decode_text(coded: str) -> str:
    try:
        return b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-~", validate=True).decode("utf-8")
    except ValueError:  # not base64, or not UTF-8
        raise InvalidLinkError(part="request", reason="not a text") from None
