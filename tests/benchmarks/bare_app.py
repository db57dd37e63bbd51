"""The server around ``bare_script.py``: the lab's routes, headers and warm-up, a page of its own."""

import streamlit as st

from lessons.server import server

app = st.App(
    "bare_script.py", routes=server.build_routes(), middleware=server.build_middleware(), lifespan=server.lifespan
)
