"""The hands-on task as a case, and the task at another block_size. Their ids are the letters of their questions."""

from __future__ import annotations

from lab.activities.cases.case import Case
from lab.activities.question import FORMS
from lab.trace.presets import PLAN, build_task_config

TASK, RESIZED = "task", "resized"
# By the first word of an attempt at it.
TASKS: dict[str, Case] = {
    TASK: Case("P", build_task_config(), PLAN, FORMS["P"]),
    RESIZED: Case("Q", build_task_config(8), PLAN, FORMS["Q"]),
}
