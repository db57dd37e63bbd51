"""The report files of a class: read, each once, and added up by question and by idea. Pure; nothing is stored."""
