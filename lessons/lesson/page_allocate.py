"""Allocate: how a request gets its pages."""

from __future__ import annotations

from lessons.lesson.flow import Looks, lesson
from lessons.lesson.slot_lookup import in_the_slot, slots

lesson("allocate", Looks(beside=in_the_slot, slots=slots))
