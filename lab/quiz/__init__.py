"""The quiz: seeded questions about small scenarios, each answered by a run of the engine. No page, no torch.

question.py    what a question and a grade are
draw.py run.py a scenario drawn at random, and its run
kinds_*.py concepts.py examples.py   the kinds of question
generate.py    from a name to the question; grade.py grades; words.py makes the texts
round.py       ten questions, and their attempt; summary.py   what it has shown; link.py   a name as a short text
"""
