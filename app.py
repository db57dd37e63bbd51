"""The entry of the lab: ``streamlit run app.py``.

Everything a plain Streamlit script cannot do is added here: plotly.js from the app's own origin, a readiness
route, security headers on every response, and imports that are warm before the first learner comes.
"""

import streamlit as st

from lessons.server import server

try:
    middleware = server.build_middleware()
except ValueError as problem:  # a setting that cannot be meant
    raise SystemExit(str(problem)) from None

app = st.App("lessons/shell.py", routes=server.build_routes(), middleware=middleware, lifespan=server.lifespan)
