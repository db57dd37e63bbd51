"""Small pieces of HTML that Streamlit has no widget for. All text is escaped; colours follow the theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from lessons.text.translations import Translations
from lessons.widgets.after_page import announce

_HERE = "\0"
_SHOWN = 40  # characters of a text that came with a link


def build_page_mark(url_path: str, group: str = "") -> str:
    """Build a style that marks the links to this page, and the menu with the key `group`, in forced colours.

    Streamlit marks the page in view by a tint only, which forced colours remove. CSS can find the links only by
    address.
    """
    links = f':is([href="{url_path}"], [href^="{url_path}?"])'
    marked = f'[data-testid="stPageLink-NavLink"]{links}'
    if group:
        marked += f", .st-key-{group} [data-testid='stPopoverButton']"
    line = "border: solid Highlight !important; border-width: 0 0 4px !important;"
    return f"<style>@media (forced-colors: active) {{ {marked} {{ {line} }} }}</style>"


def draw_event_list(lines: Sequence[str], shown: int) -> None:
    """Draw the events of a step in order. The last of the first `shown` events is current; later ones are ahead."""
    items = []
    for i, line in enumerate(lines):
        mark = ' aria-current="step"' if i == shown - 1 else ' class="ahead"' if i >= shown else ""
        items.append(f"<li{mark}>{escape(line)}</li>")
    st.html(f'<ol class="kv-events">{"".join(items)}</ol>')


def draw_heading(level: int, text: str) -> None:
    """Draw a heading without Streamlit's link, which would be one more stop for the keyboard."""
    {1: st.title, 2: st.header, 3: st.subheader}[level](text, anchor=False)


def draw_plain_heading(level: int, text: str) -> None:
    """Draw text that somebody typed as a heading: no sign in it is a mark."""
    st.html(f'<h{level} class="kv-plain">{escape(text)}</h{level}>')


def draw_lines(lines: Sequence[str], *, is_plain: bool) -> None:
    """Draw lines below each other: as Markdown, or, where somebody typed them, as they are."""
    if is_plain:
        st.html(f'<p class="kv-plain">{"<br>".join(map(escape, lines))}</p>')
    else:
        st.markdown("  \n".join(lines))


def draw_headline(first: str, text: str) -> None:
    """Draw important text, `first` in bold, and announce it."""
    announce(first, text)
    lines = [f"<strong>{escape(first)}</strong>"] * bool(first) + [escape(text)] * bool(text)
    st.html(f'<p class="kv-headline">{"<br>".join(lines)}</p>')


def draw_unread(parameters: Mapping[str, str], words: Translations) -> None:
    """Report each part of the address that could not be read."""
    for key, text in parameters.items():
        what = f"<code>{escape(f'{key}={text[:_SHOWN]}')}</code>"
        st.html(f'<p class="kv-unread">{escape(words.text("site.unread", what=_HERE)).replace(_HERE, what)}</p>')
