"""Virtual students over Streamlit's real websocket protocol: see `python -m tests.load --help`."""
