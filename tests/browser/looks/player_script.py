"""A page with a player whose server can answer otherwise than the frames that were ahead of it, for test_player.py."""

import streamlit as st

from lessons.server.ahead import Outlook, offer_outlook
from lessons.text.translations import get_translations
from lessons.widgets.film import Ahead, Film, Frame, describe_ahead, encode_chunk, split_figure
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons
from lessons.widgets.player import PlayerLook, Seek, draw_player, mount_ahead

state = st.session_state
state.setdefault("done", ["true", "true", "true"])  # for each operation, what its picture says
state.setdefault("at", "3")
state.setdefault("seeks", [])
state.setdefault("presses", [])


def seek(place: str) -> None:
    state.seeks.append(place)
    state.at = place


def press(operation: str, index: int) -> None:
    state.presses.append((operation, index, state.at))
    if operation != "refuse" and index == len(state.done):
        state.done.append("true")
        state.at = str(len(state.done))


def draw(step: int, said: str) -> Frame:
    spec = {"data": [{"type": "scatter", "x": [1, 2], "y": [step, step]}], "layout": {"height": 120}}
    return Frame(str(step), {"memory": split_figure(spec, f"{step} {said}")}, f"{step} {said}")


total = len(state.done)
suggested = "refuse" if "refuse" in st.query_params else "append"
places = [str(step) for step in range(total + 1)]
chunks = [encode_chunk([draw(step, state.done[step - 1] if step else "start")]) for step in range(total + 1)]
row = {"name": "op", "events": 1, "what": "", "refused": False}


def look_ahead(operation: str, said: str) -> Ahead:
    """Frames ahead of the press; they are wrong on purpose."""
    guess = encode_chunk([draw(total + 1, said)])
    return Ahead(operation, total, f"log{total}", f"log{total + 1}", row, [str(total + 1)], guess)


state.outlook = Outlook(f"log{total}", lambda name: describe_ahead(look_ahead(name, "fetched")))
there = Seek(f"log{total}", seek)
draw_operation_buttons(
    [OperationButton(name, name, suggested=name == suggested) for name in ("append", "refuse", "other")],
    index=total,
    key="operations",
    on_press=press,
    label="Operations",
    seek=there,
    only_at_end="free" not in st.query_params,
)
draw_player(
    Film(places, chunks),
    PlayerLook(("stage", "controls", "sentence")),
    key="memory",
    at=state.at,
    seek=there,
    words=get_translations("en"),
    rows=[row] * total,
    ahead=offer_outlook("secret", state.outlook),
)
st.button("another", on_click=lambda: state.presses.append(("another", total, state.at)))
mount_ahead(look_ahead(suggested, "guess"))
st.text(f"at={state.at}")
st.text(f"seeks={','.join(state.seeks)}")
st.text(f"presses={state.presses}")
