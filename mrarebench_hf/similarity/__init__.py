"""Stage similarity: texts in, how alike they are out; the backend is the user's choice and never changes by itself.

Two backends do not compare: thresholds that suit one do not suit the other, so a result names its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf import registry
from mrarebench_hf.errors import UsageError

__all__ = ["Similarity", "open_similarity"]

_TFIDF = "tfidf"
_SENTENCE = "sentence"
_SHORT_NAMES = {"minilm": "sentence-transformers/all-MiniLM-L6-v2"}


class Similarity(Protocol):
    """What every backend offers.

    Attributes:
        name: what stands as ``det_backend`` beside every value.
    """

    name: str

    def prepare(self, texts: Iterable[str]) -> None:
        """Take in all texts of a run at once, so that each is worked on once."""

    def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
        """Cosine similarities, shape ``(len(a), len(b))``, −1 to 1; 1 for equal texts."""

    def n_truncated(self, texts: Iterable[str]) -> int:
        """How many distinct texts are longer than the backend reads; it compares their beginnings."""


def open_similarity(spec: str, *, cache_dir: Path | None = None) -> Similarity:
    """Open a backend; it is never another one than was asked for.

    Args:
        spec: "tfidf", "minilm" (all-MiniLM-L6-v2), or a sentence-transformers model: a folder or its name on the Hub.
        cache_dir: where embeddings are kept; None for ``$MRAREBENCH_CACHE``, else the user's cache folder.

    Raises:
        ModelError: when the model or a package that it needs is not there.
    """
    if not spec.strip():
        raise UsageError("the name of the similarity is empty: minilm, tfidf, or a sentence-transformers model")
    entry = _TFIDF if spec == _TFIDF else _SENTENCE
    module = registry.load(__name__, entry, kind="similarity")
    return cast(Similarity, module.open_similarity(_SHORT_NAMES.get(spec, spec), cache_dir))
