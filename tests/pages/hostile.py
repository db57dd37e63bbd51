"""Strings that were made to do harm, dealt out so that every page and field meets every kind of them."""

from __future__ import annotations

import re

from streamlit.testing.v1 import AppTest

from tests.pages.test_pages import sound

MEGABYTE = 1_000_000
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "entity": "&lt;b&gt;&#60;script&#62;",
    "svg": "<svg/onload=alert(1)>",
    "link": "[x](javascript:alert(1))",
    "picture": "![x](http://example.org/x.png)",
    "icon": ":material/delete: :red[x] :smile:",
    "formula": "$\\href{javascript:alert(1)}{x}$ $$\\frac{1}{0}$$",
    "code": "`x` ```\n# heading\n| a | b |\n",
    "bold": "**x** __y__ ~~z~~ *",
    "template": "{0} {seq_id} {x.__class__} %s ${x}",
    "path": "../../../../etc/passwd",
    "sql": "'; DROP TABLE runs; --",
    "spreadsheet": '=HYPERLINK("http://example.org")',
    "right-to-left": "\u202e3\u202c \u200f4\u061c",
    "zero-width": "\u200b\u200d\ufeff3\u2060",
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e8\U0001f1f3",
    "combining": "e" + "\u0301" * 400,
    "NUL": "4.used\x00__aA",
    "control": "\x1b[31m\x07\x08\r\n\t",
    "line separators": "\u2028\u2029\x85",
    "replacement": "\ufffd\ufffe\uffff",
    "digits": "9" * 5000,
    "other digits": "٣ ३ 三 ３ ² ½ Ⅳ ①",
    "number-like": "1e3 0x3 -0 +3 1_000 NaN inf 1e-999999999",
    "separators": "_._.-~,;" * 200,
    "brackets": "[" * 20_000,
    "a megabyte": "a" * MEGABYTE,
    "a megabyte of tokens": "4.used__" + "aA." * (MEGABYTE // 3),
    "proto": "__proto__.constructor",
}
EXECUTED = re.compile(r"<(script|img src=x|svg/onload|b>)|<[^>]*(onerror=alert|javascript:)", re.IGNORECASE)


def dealt(index: int, of: int) -> list[str]:
    """Every `of`-th of the hostile strings, beginning with another one for each index."""
    return [text for number, text in enumerate(HOSTILE.values()) if (number + index) % of == 0]


def harmless(at: AppTest) -> AppTest:
    """Drawn to its end, and nothing of what was given stands where it would be read as markup."""
    sound(at)
    for element in at.get("html"):
        assert not EXECUTED.search(str(element.proto.body)), element.proto.body[:300]
    for element in (*at.markdown, *at.caption):
        assert not (element.allow_html and EXECUTED.search(element.value)), element.value[:300]
    return at
