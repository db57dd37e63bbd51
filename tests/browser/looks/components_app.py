"""The server around ``components_script.py``: the lab's routes, headers and warm-up, another page."""

import streamlit as st

from lessons.server import server

app = st.App(
    "components_script.py", routes=server.build_routes(), middleware=server.build_middleware(), lifespan=server.lifespan
)
