"""TF-IDF with English stop words and one- and two-word terms, fitted anew on each pair of lists as in the protocol.

Needs no model. Blind to synonyms and to negation, and weights depend on the very texts compared.
Source: specification of the published benchmark, section 8.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["open_similarity"]


def open_similarity(_spec: str, _cache_dir: Path | None) -> _Tfidf:
    """The backend; it has no options."""
    return _Tfidf()


class _Tfidf:
    """TF-IDF cosine similarity."""

    name = "tfidf"

    def prepare(self, texts: Iterable[str]) -> None:
        """Nothing can be done before the lists are known."""

    def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
        """Similarities; where no text has a word that counts, only equal texts are alike."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        if not a or not b:
            return np.zeros((len(a), len(b)))
        try:
            weights = TfidfVectorizer(stop_words="english", ngram_range=(1, 2)).fit_transform([*a, *b])
        except ValueError:  # only stop words and single characters: the protocol has no value here
            return np.array([[float(x.strip() == y.strip() != "") for y in b] for x in a])
        found = np.asarray((weights[: len(a)] @ weights[len(a) :].T).todense(), dtype=np.float64)
        return np.minimum(found, 1.0)  # sums of squares may pass 1 in the last digit

    def n_truncated(self, texts: Iterable[str]) -> int:
        """None: every text is read to its end."""
        return 0
