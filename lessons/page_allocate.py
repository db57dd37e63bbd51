"""Allocate: how a request gets its pages."""

from __future__ import annotations

from lessons.lesson import Looks, lesson
from lessons.slot_views import in_the_slot, slots

lesson("allocate", Looks(beside=in_the_slot, slots=slots))
