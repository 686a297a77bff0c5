"""Stage source: values inside the JSON files of a benchmark, each with the place that it stands at.

In: a gzip file of one JSON object. Out: a node that is asked for what it should hold, and whose errors name the file
and the place in it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from mrarebench_hf.errors import DataFormatError, DataNotFoundError

__all__ = ["JsonNode", "read_gz_json"]

_JSON_NAMES: dict[type, str] = {dict: "an object", list: "a list of {}"}


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value inside a JSON file, and the key or position that leads to it; for the root that is the file's path."""

    value: Any
    key: str | int
    parent: JsonNode | None = None

    @property
    def where(self) -> str:
        """The file and the place in it, ``plan.json.gz: tasks[0].test_cases``."""
        steps: list[str] = []
        node = self
        while node.parent is not None:
            steps.append(f"[{node.key}]" if isinstance(node.key, int) else f".{node.key}")
            node = node.parent
        inside = "".join(reversed(steps)).removeprefix(".")
        return f"{node.key}: {inside or 'the document'}"

    def fault(self, expected: str) -> DataFormatError:
        """An error that says what should be here."""
        name = _JSON_NAMES.get(type(self.value))
        found = name.format(len(self.value)) if name else repr(self.value)[:80]
        return DataFormatError(f"{self.where} is {found}, not {expected}")

    def mapping(self) -> dict[str, Any]:
        """The value as an object."""
        if not isinstance(self.value, dict):
            raise self.fault("an object")
        return self.value

    def find(self, key: str) -> JsonNode | None:
        """The value of a key that may be absent; null counts as absent."""
        found = self.mapping().get(key)
        return None if found is None else JsonNode(found, key, self)

    def get(self, key: str) -> JsonNode:
        """The value of a key that must be there."""
        node = self.find(key)
        if node is None:
            raise DataFormatError(f"{JsonNode(None, key, self).where} is missing")
        return node

    def items(self, length: int | None = None) -> Iterator[JsonNode]:
        """The elements of a list, of one length where it is given."""
        if not isinstance(self.value, list) or length not in (None, len(self.value)):
            raise self.fault("a list" if length is None else f"a list of {length}")
        for position, value in enumerate(self.value):
            yield JsonNode(value, position, self)

    def text(self) -> str:
        """The value as text."""
        if not isinstance(self.value, str):
            raise self.fault("text")
        return self.value

    def number(self) -> float:
        """The value as a number, which may be NaN or infinite."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.fault("a number")
        return float(self.value)

    def integer(self, least: int = 0) -> int:
        """The value as a whole number that is not below a bound; 2.0 is one."""
        value = self.number()
        if not value.is_integer() or value < least:
            raise self.fault(f"a whole number from {least}")
        return int(value)

    def path(self) -> str:
        """The value as a relative path that does not leave its folder."""
        text = self.text()
        path = PurePosixPath(text)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\\" in text or not text.isprintable():
            raise self.fault("a path below the dataset's folder")
        return str(path)


def read_gz_json(path: Path) -> tuple[JsonNode, str]:
    """A gzip file of one JSON object, and the SHA-256 of the file in hex.

    Raises:
        DataNotFoundError: when there is no such file.
        DataFormatError: when it cannot be read as that.
    """
    try:
        packed = path.read_bytes()
        document = _parsed(gzip.decompress(packed))
    except FileNotFoundError as error:
        raise DataNotFoundError(f"no file {path}") from error
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise DataFormatError(f"{path} is no whole gzip file of JSON: {error}") from error
    if not isinstance(document, dict):
        raise JsonNode(document, str(path)).fault("an object")
    return JsonNode(document, str(path)), hashlib.sha256(packed).hexdigest()


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # the slower reader knows NaN, which planners may have written
        return json.loads(text, parse_int=float)
