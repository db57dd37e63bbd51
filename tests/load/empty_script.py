"""An empty Streamlit page with one button: what the lab's pages are measured against."""

import streamlit as st

st.session_state.setdefault("presses", 0)
st.button("press", key="press")
