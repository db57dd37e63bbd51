"""Small pieces of HTML: what somebody typed stays as it was typed."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _draw() -> None:
    from lessons.widgets import cards  # noqa: PLC0415  (a script of its own)

    for is_plain in (True, False):
        cards.draw_lines(["**a** <b>", "[b](https://c.example)"], is_plain=is_plain)


def test_what_somebody_typed_is_no_markdown() -> None:
    """As the class's board and its phones draw an author's question and point; the lab's own words are Markdown."""
    at = AppTest.from_function(_draw).run()
    assert [each.value for each in at.markdown] == ["**a** <b>  \n[b](https://c.example)"]
    html = at.get("html")[0].proto.body
    assert html == '<p class="kv-plain">**a** &lt;b&gt;<br>[b](https://c.example)</p>'
