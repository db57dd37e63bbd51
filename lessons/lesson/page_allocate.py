"""The allocate lesson: how a request gets its blocks."""

from __future__ import annotations

from lessons.lesson.flow import LessonParts, draw_lesson
from lessons.lesson.slot_lookup import build_slots, draw_in_the_slot

draw_lesson("allocate", LessonParts(beside=draw_in_the_slot, slots=build_slots))
