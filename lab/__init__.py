"""The engine of the lab and its pictures. Knows nothing of Streamlit."""
