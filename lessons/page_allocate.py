"""Allocate: how a request gets its pages."""

from __future__ import annotations

from lessons.lesson import Looks, lesson
from lessons.slot_views import look_up, slots, tensor_answers

lesson("allocate", Looks(above=tensor_answers, under=look_up, slots=slots))
