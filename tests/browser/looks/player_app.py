"""The server around ``player_script.py``, with the lab's routes and headers."""

import streamlit as st

from lessons.server import server

app = st.App(
    "player_script.py", routes=server.build_routes(), middleware=server.build_middleware(), lifespan=server.lifespan
)
