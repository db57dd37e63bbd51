"""The fields of a scenario file, each read with the type that it must have. Files are not trusted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lab.sandbox.errors import FileFieldError

LARGEST = 999_999  # larger numbers are refused


class FileFields:
    """The fields of one JSON object, each read with the type that it must have. Raises FileFieldError."""

    def __init__(self, content: object, where: str, known: set[str]) -> None:
        self.where = where
        if not isinstance(content, dict):
            raise FileFieldError(where=where)
        self.content: Mapping[str, Any] = content
        for name in self.content:
            if name not in known:
                raise FileFieldError(where=self.path(name if re.fullmatch(r"[A-Za-z0-9_-]{1,30}", name) else "?"))

    def path(self, name: str) -> str:
        """The field's path in the file."""
        return f"{self.where}.{name}" if self.where else name

    def take_each(self, name: str, default: Any = None) -> Iterator[tuple[str, Any]]:
        """The path and the value of each item of a list."""
        return ((f"{self.path(name)}[{i}]", each) for i, each in enumerate(self.take(name, list, default)))

    def take(self, name: str, kind: Any, default: Any = None, fits: Callable[[Any], object] = lambda _: True) -> Any:
        """The field's value if it has that type and fits; `default` if the field is missing and there is a default."""
        value = self.content.get(name, default)
        # bool is a subclass of int, and True is not a number here; nor is a number too long for any sentence
        if type(value) is not kind or (kind is int and abs(value) > LARGEST) or not fits(value):
            raise FileFieldError(where=self.path(name))
        return value
