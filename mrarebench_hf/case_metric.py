"""What all our evaluate modules have in common: one prediction and one reference per case, checked one by one.

It is mixed in before ``evaluate.Metric`` and is none itself, as evaluate takes the first metric class that a module's
file holds for the module. Nothing here imports evaluate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["CaseMetric"]


class CaseMetric:
    """Mixin that checks every entry before evaluate stores it, and leaves no lock behind after an error.

    A metric defines ``_prediction(entry, row)`` and ``_reference(entry, row)``: the entry as its features want it, or
    ValueError with the row and the entry. None is a prediction too: a failed request.
    """

    def _prediction(self, entry: Any, row: int) -> Any:
        raise NotImplementedError

    def _reference(self, entry: Any, row: int) -> Any:
        raise NotImplementedError

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one case; a prediction of None is a failed request."""
        entry = {"prediction": self._prediction(prediction, 0), "reference": self._reference(reference, 0)}
        super().add(**entry, **kwargs)  # type: ignore[misc]

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add cases; as many references as predictions."""
        predictions = _entries("predictions", predictions)
        references = _entries("references", references)
        if len(predictions) != len(references):
            raise ValueError(f"{len(predictions)} predictions for {len(references)} references: one of each per case")
        super().add_batch(  # type: ignore[misc]
            predictions=[self._prediction(entry, row) for row, entry in enumerate(predictions)],
            references=[self._reference(entry, row) for row, entry in enumerate(references)],
            **kwargs,
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Compute over what was added and what is given; after an error the module starts afresh."""
        try:
            return super().compute(predictions=predictions, references=references, **kwargs)  # type: ignore[misc]
        except BaseException:
            self._reset()
            raise

    def _reset(self) -> None:
        """Let go of the cache file, which evaluate keeps locked when an error comes out of it."""
        for lock in (getattr(self, "filelock", None), *(getattr(self, "filelocks", None) or ())):
            if lock is not None:
                lock.release(force=True)
        self.writer = self.data = self.filelock = self.cache_file_name = self.buf_writer = None
        self.filelocks = self.file_paths = self.selected_feature_format = None


def _entries(what: str, entries: Any) -> list[Any]:
    if entries is None or isinstance(entries, str | bytes | Mapping):
        raise ValueError(f"{what} must be a list with one entry per case, got {entries!r:.80}")
    return list(entries)
