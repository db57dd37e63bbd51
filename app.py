"""The lab's entry point: ``streamlit run app.py``.

It adds what a plain Streamlit script cannot do: plotly.js from the app's own origin, a readiness route, security
headers on every response, and heavy imports before the first learner comes.
"""

import streamlit as st

from lessons.classroom import service
from lessons.server import server

try:
    middleware = server.build_middleware()
except ValueError as problem:  # an invalid setting
    raise SystemExit(str(problem)) from None

routes = [*service.build_routes(), *server.build_routes()]
app = st.App("lessons/shell.py", routes=routes, middleware=middleware, lifespan=server.lifespan)
