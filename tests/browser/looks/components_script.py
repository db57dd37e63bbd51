"""A page that mounts every component and prints what came back, for test_components.py."""

import plotly.graph_objects as go
import streamlit as st

from lessons.state.browser_store import mount_store
from lessons.widgets.copy_link import copy_link
from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons
from lessons.widgets.plot import draw

LIGHT, DARK = "#0072b2", "#56b4e9"
state = st.session_state
state.setdefault("runs", 0)
state.setdefault("clicked", [])
state.setdefault("columns", 8)
state.setdefault("log", [])
state.setdefault("show", True)
state.setdefault("writes", 0)
state.setdefault("write", None)
state.runs += 1


def write() -> None:
    state.writes += 1
    state.write = {"written": state.writes}


def write_too_much() -> None:
    state.writes += 1
    state.write = {"much": "x" * 1_200_000}


def forget() -> None:
    state.writes += 1
    state.write = {}


def shell() -> None:
    record = mount_store(lang="zh-CN", write=state.write, write_id=str(state.writes))
    st.button("write", on_click=write)
    st.button("write too much", on_click=write_too_much)
    st.button("forget", on_click=forget)
    st.text(f"record={str(record)[:60]}")
    st.text(f"runs={state.runs}")


def press(operation: str, index: int) -> None:
    state.log.append((operation, index))


def figure() -> go.Figure:
    markers = go.Scatter(
        x=list(range(state.columns)),
        y=[len(state.log)] * state.columns,
        mode="markers",
        marker={"size": 30, "color": [LIGHT] * state.columns, "symbol": "square"},
        customdata=[f"block-{i}" for i in range(state.columns)],
    )
    layout = {
        "height": 240,
        "meta": {"min_width": 320},
        "template": "none",
        "margin": {"l": 20, "r": 20, "t": 20, "b": 20},
    }
    return go.Figure(markers, layout)


def first() -> None:
    st.title("Components")
    st.toggle("show", key="show")
    if state.show:
        draw(
            figure(),
            key="plot",
            label=f"{state.columns} blocks, {len(state.log)} operations",
            dark_colors={LIGHT: DARK},
            on_click=state.clicked.append,
            on_columns=lambda columns: state.update(columns=columns),
            columns=state.columns,
        )
    st.text(f"clicked={','.join(state.clicked)}")
    draw_operation_buttons(
        [
            OperationButton("append", "append_token to A", suggested=True, hint="suggested next"),
            OperationButton("release", f"release A ({len(state.log)})"),
            OperationButton("never", "allocate B", disabled=True, hint="B is already allocated"),
        ],
        # "release" stands for a press that the lab refuses: the index stays.
        index=sum(operation == "append" for operation, _ in state.log),
        key="operations",
        on_press=press,
        label="Operations",
    )
    st.text(f"log={state.log}")
    instead = "This is too long" if "long" in st.query_params else ""
    copy_link(key="copy", label="Copy link", done_label="Link copied", params={"lang": "zh"}, instead=instead)
    st.button("a primary button", type="primary")
    st.segmented_control("a choice", ["one", "two"], default="one", key="choice")


def second() -> None:
    st.title("Another page")


pages = [
    st.Page(first, title="First", url_path="first", default=True),
    st.Page(second, title="Second", url_path="second"),
]
page = st.navigation(pages, position="hidden")
for each in pages:
    st.page_link(each)
shell()
page.run()
