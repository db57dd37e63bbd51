"""An otherwise empty page with one live figure of 64 cells and one button: what the lab is measured against."""

import plotly.graph_objects as go
import streamlit as st

from lessons.widgets.operation_buttons import OperationButton, draw_operation_buttons
from lessons.widgets.plot import draw

st.session_state.setdefault("presses", 0)


def press(_operation: str, _index: int) -> None:
    st.session_state.presses += 1


presses = st.session_state.presses
draw_operation_buttons([OperationButton("press", "press")], index=presses, key="operations", on_press=press)
cells = [(i % 8, i // 8) for i in range(64)]
figure = go.Figure(
    go.Scatter(
        x=[x for x, _ in cells],
        y=[y for _, y in cells],
        mode="markers+text",
        text=[str(i + presses) for i in range(64)],
        marker={
            "symbol": "square",
            "size": 34,
            "color": ["#d2e6f4" if (i + presses) % 3 else "#fbdfcd" for i in range(64)],
        },
    )
)
figure.update_layout(height=400, showlegend=False, template="none")
draw(figure, key="cells", label=f"64 cells after {presses} presses", dark_colors={})
