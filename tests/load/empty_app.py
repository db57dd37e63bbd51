"""The server around ``empty_script.py``: with the lab's routes and warm-up, so that only the page differs."""

import streamlit as st

from lessons.server import server

app = st.App(
    "empty_script.py", routes=server.build_routes(), middleware=server.build_middleware(), lifespan=server.lifespan
)
