"""Small pieces of HTML that Streamlit has no widget for. All text is escaped; colours follow the theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from lessons.text.translations import Translations
from lessons.widgets.announce import announce

_HERE = "\0"
_SHOWN = 40  # characters of a text that came with a link

STYLE = """
<style>
.stMainBlockContainer { max-width: 76rem; padding: .75rem clamp(1rem, 3vw, 3rem) 4rem; }
[data-testid="stPageLink-NavLink"]:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
[class*="st-key-way_"] [data-testid="stPageLink-NavLink"] { padding-inline: 0; }
[class*="st-key-way_"] [data-testid="stPageLink-NavLink"] p { font-size: 1rem; font-weight: 600;
  text-decoration: underline; text-underline-offset: .2em; }
.kv-cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .5rem; }
ul.kv-cards { list-style: none; margin: 0; padding: 0; }
.kv-card { border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: .6rem;
  padding: .4rem .6rem; display: flex; flex-direction: column; gap: .15rem; }
.kv-card.same { border: 2px solid #1a7f5a; } .kv-card.other { border: 2px dashed #c2560c; }
ul.kv-cards li.kv-card { margin: 0; }
.kv-card .q { font-size: .8rem; } .kv-card .a { font-weight: 600; } .kv-card .a, .kv-card .o { font-size: .9rem; }
.kv-card .o { margin-top: auto; }
.kv-events { margin: 0; padding-left: 2.2rem; } .kv-events li { padding: .2rem .5rem; border-radius: .35rem; }
.kv-events li[aria-current] { background: color-mix(in srgb, currentColor 10%, transparent); font-weight: 600;
  outline: 1px solid color-mix(in srgb, currentColor 45%, transparent); }
.kv-events li.ahead::after { content: " …"; }
.kv-events li.ahead { border-left: 3px dotted color-mix(in srgb, currentColor 60%, transparent); }
ol.kv-code { margin: 0; padding: 0; list-style: none; }
ol.kv-code li { padding: .25rem .5rem; border-left: 3px solid color-mix(in srgb, currentColor 25%, transparent);
  margin-bottom: .25rem; display: grid; gap: .1rem; }
ol.kv-code li[aria-current] { border-left-color: currentColor; border-left-width: 6px;
  background: color-mix(in srgb, currentColor 10%, transparent); }
.kv-code code { white-space: pre-wrap; overflow-wrap: anywhere; background: none; padding: 0; }
.kv-code .where, .kv-code .facts { font-size: .85rem; overflow-wrap: anywhere; } .kv-code .facts { font-weight: 600; }
.stVerticalBlock[class*="_pair_of_pictures"] { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); }
.kv-note { border: 1px solid color-mix(in srgb, currentColor 35%, transparent); border-left-width: 5px;
  border-radius: .4rem; padding: .5rem .8rem; } .kv-note.point { border-style: double; border-width: 4px; }
.kv-note p { margin: 0; line-height: 1.5; } .kv-note .lead { font-size: .85rem; font-weight: 600; }
ol.kv-notes { margin: 0; padding-left: 1.4rem; } ol.kv-notes li { margin-bottom: .6rem; }
.kv-unread { margin: 0; padding: .5rem .75rem; border: 1px solid currentColor; border-radius: .4rem;
  overflow-wrap: anywhere; }
.kv-headline { font-size: 1.1rem; line-height: 1.55; margin: 0; }
@media (max-width: 640px) {
  [data-testid="stTable"] table { width: max-content; min-width: 100%; }
  [data-testid="stTable"] th * { white-space: nowrap; } [data-testid="stTable"] td { max-width: 15rem; }
  .st-key-top_bar button { min-height: 2.75rem; }
  [class*="st-key-my_way_"] > details > [data-testid="stExpanderDetails"] { padding-inline: .45rem; }
}
</style>
"""


_SIGNS = {"waiting": "…", "same": "✓", "other": "≠"}


def build_page_mark(url_path: str, group: str = "") -> str:
    """A style for the links to this page, and for the menu that holds them (`group`, its key), where colours are the
    reader's own: Streamlit marks the page in view with a tint alone, and CSS knows it only by its address.
    """
    links = f':is([href="{url_path}"], [href^="{url_path}?"])'
    marked = f'[data-testid="stPageLink-NavLink"]{links}'
    if group:
        marked += f", .st-key-{group} [data-testid='stPopoverButton']"
    line = "border: solid Highlight !important; border-width: 0 0 4px !important;"
    return f"<style>@media (forced-colors: active) {{ {marked} {{ {line} }} }}</style>"


@dataclass(frozen=True)
class Card:
    """One prediction beside its outcome. `state`: "waiting", "same" or "other"; `new`: settled by the newest step."""

    question: str
    answer: str
    outcome: str
    state: str
    new: bool = False


def draw_cards(items: Sequence[Card], label: str) -> None:
    """Draw the cards as a list in a grid that fits any width."""
    inner = "".join(
        f'<li class="kv-card {escape(c.state)}"><span class="q">{escape(c.question)}</span>'
        f'<span class="a">{escape(c.answer)}</span><span class="o">{escape(c.outcome)}</span></li>'
        for c in items
    )
    st.html(f'<ul class="kv-cards" aria-label="{escape(label)}">{inner}</ul>')


def draw_verdicts(items: Sequence[Card], label: str) -> None:
    """The cards as chips in a row: a sign and the question's name, which opens to the rest; see one_view.css."""
    inner = "".join(
        f'<li><details class="{escape(c.state)}{" new" * c.new}"><summary><span>{_SIGNS[c.state]}</span>'
        f'<span class="q">{escape(c.question)}</span></summary>'
        f'<div class="kv-card {escape(c.state)}"><span class="q">{escape(c.question)}</span>'
        f'<span class="a">{escape(c.answer)}</span><span class="o">{escape(c.outcome)}</span></div></details></li>'
        for c in items
    )
    with st.container(key="verdicts"):
        st.html(f'<ul class="kv-verdicts" aria-label="{escape(label)}">{inner}</ul>')
    announce(*(f"{c.question}: {c.outcome}" for c in items if c.new))


def draw_event_list(lines: Sequence[str], shown: int) -> None:
    """The events of a step in order; the last of the `shown` ones is the current one, later ones lie ahead."""
    items = []
    for i, line in enumerate(lines):
        mark = ' aria-current="step"' if i == shown - 1 else ' class="ahead"' if i >= shown else ""
        items.append(f"<li{mark}>{escape(line)}</li>")
    st.html(f'<ol class="kv-events">{"".join(items)}</ol>')


def draw_heading(level: int, text: str) -> None:
    """A heading without the link that Streamlit would add to it: one stop less for the keyboard."""
    {1: st.title, 2: st.header, 3: st.subheader}[level](text, anchor=False)


def draw_headline(first: str, text: str) -> None:
    """What must not be missed, `first` strongest; a screen reader says it when it changes."""
    announce(first, text)
    lines = [f"<strong>{escape(first)}</strong>"] * bool(first) + [escape(text)] * bool(text)
    st.html(f'<p class="kv-headline">{"<br>".join(lines)}</p>')


def draw_unread(parameters: Mapping[str, str], words: Translations) -> None:
    """Which parts of the address nobody could make anything of; nothing where there are none."""
    for key, text in parameters.items():
        what = f"<code>{escape(f'{key}={text[:_SHOWN]}')}</code>"
        st.html(f'<p class="kv-unread">{escape(words.text("site.unread", what=_HERE)).replace(_HERE, what)}</p>')
