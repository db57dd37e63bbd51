"""The pages. The only home of Streamlit, besides app.py."""
