"""The lab itself, with short studies: a test need not wait for more steps than it looks at."""

from pathlib import Path

import streamlit as st

from lessons.memory import jobs
from lessons.server import server

jobs.STUDY_STEPS = 300
SHELL = Path(__file__).resolve().parent.parent.parent / "lessons" / "shell.py"
app = st.App(str(SHELL), routes=server.build_routes(), middleware=server.build_middleware(), lifespan=server.lifespan)
