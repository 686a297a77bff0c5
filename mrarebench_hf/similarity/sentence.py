"""Sentence embeddings on the CPU: cosine of normalised vectors of a sentence-transformers model.

Every distinct text is embedded once, in batches of similar length, and kept on disk. A kept vector comes back bit for
bit; embedded anew among other texts, the same text gives the same vector to 1e-6, as sums are taken in another order.
The model is loaded when the first text has to be embedded, so that a run with known texts loads none.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import logging
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mrarebench_hf.errors import MissingDependencyError, ModelError
from mrarebench_hf.similarity._vectors import Embedding, Vectors, cache_folder, key_of

__all__ = ["open_similarity"]

# sha256 of the published weights by which a model, whatever its folder, is known to be this one.
_PUBLISHED = {"53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": ("all-MiniLM-L6-v2", 256)}
_SETTINGS = ("*.json", "*.txt", "*.model")
_WEIGHTS = "*.safetensors"
_OTHER_FORMATS = ("onnx/*", "openvino/*")
_OWN_MODULES = "sentence_transformers."
_TITLE = re.compile(r"^# (?:[\w.+-]+/)?([\w.+-]+)[ \t]*$", re.MULTILINE)
_BATCH = 64
_MANY = 512  # about two seconds of work; fewer need no bar
_INSTEAD = "or choose tfidf (--det-backend tfidf), which needs no model (its values do not compare with an embedding's)"


def open_similarity(spec: str, cache_dir: Path | None) -> _Sentence:
    """Open a model: a folder, or a name on the Hub.

    Raises:
        MissingDependencyError: without sentence-transformers.
        ModelError: when there is no such model; no other backend takes its place.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        what = f"the similarity {_shown(spec)} (--det-backend tfidf needs none)"
        raise MissingDependencyError("sentence-transformers", "embeddings", what)
    folder = _folder(spec)
    _check(folder, spec)
    name, digest = _identity(folder, spec)
    return _Sentence(name, folder, spec, Vectors((cache_dir or cache_folder()) / f"{digest[:16]}.f32"))


def _shown(spec: str) -> str:
    return repr(spec)[:120]


def _folder(spec: str) -> Path:
    own = Path(spec).expanduser()
    if own.is_dir():
        return own
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    patterns = [*_SETTINGS, "*.md", _WEIGHTS]
    try:
        return Path(snapshot_download(spec, allow_patterns=patterns, ignore_patterns=list(_OTHER_FORMATS)))
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise ModelError(
            f"the embedding model {_shown(spec)} is no folder here and cannot be had from the Hub "
            f"({type(error).__name__}): run once online, name a local folder, {_INSTEAD}"
        ) from error


def _check(folder: Path, spec: str) -> None:
    """Refuse what is no such model, or would run code of its own, before anything is loaded."""
    modules = _json(folder / "modules.json")
    if not isinstance(modules, list) or not all(isinstance(module, Mapping) for module in modules):
        raise ModelError(
            f"{_shown(spec)} has no modules.json, so it is no sentence-transformers model: name another, {_INSTEAD}"
        )
    foreign = [module.get("type") for module in modules if not str(module.get("type")).startswith(_OWN_MODULES)]
    if foreign:
        raise ModelError(f"{_shown(spec)} wants to run code of its own ({foreign[0]!r:.80}), which is never done")
    if not any(folder.rglob(_WEIGHTS)):
        raise ModelError(
            f"{_shown(spec)} holds no weights in safetensors form, the only one read: name another model, {_INSTEAD}"
        )


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None


def _identity(folder: Path, spec: str) -> tuple[str, str]:
    """The model's name without any path, and the hash of all that decides about its vectors."""
    weights, files = "", []
    for path in sorted(file for pattern in (*_SETTINGS, _WEIGHTS) for file in folder.rglob(pattern)):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        files.append([path.relative_to(folder).as_posix(), digest])
        weights = digest if path.match(_WEIGHTS) else weights
    whole = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    settings = _json(folder / "sentence_bert_config.json")
    length = settings.get("max_seq_length") if isinstance(settings, Mapping) else None
    published, published_length = _PUBLISHED.get(weights, ("", None))
    if published and length == published_length:
        return f"sbert:{published}", whole
    return f"sbert:{published or _own_name(folder, spec)}@{whole[:8]}", whole


def _own_name(folder: Path, spec: str) -> str:
    """The name on the Hub, or what a local model's own card calls it, else its folder's name."""
    if not Path(spec).expanduser().is_dir():
        return spec
    try:
        title = _TITLE.search((folder / "README.md").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        title = None
    return title[1] if title else folder.resolve().name


class _Sentence:
    """Cosine similarity of embeddings."""

    def __init__(self, name: str, folder: Path, spec: str, store: Vectors) -> None:
        self.name = name
        self._folder = folder
        self._spec = spec
        self._store = store
        self._known: dict[bytes, Embedding] = store.read()
        self._model: Any = None

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed those texts that are not known yet, the longest first, and keep them."""
        wanted = {key_of(text): text for text in texts}
        new = {key: text for key, text in wanted.items() if key not in self._known}
        if not new:
            return
        ordered = dict(sorted(new.items(), key=lambda item: (-len(item[1]), item[0])))
        found = dict(zip(ordered, self._embed(list(ordered.values())), strict=True))
        self._store.add(found)
        self._known |= found

    def matrix(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
        """Similarities; texts that were not prepared are embedded now."""
        if not a or not b:
            return np.zeros((len(a), len(b)))
        self.prepare([*a, *b])
        found: NDArray[np.float64] = np.clip(self._units(a) @ self._units(b).T, -1.0, 1.0)
        return found

    def n_truncated(self, texts: Iterable[str]) -> int:
        """How many distinct texts have more tokens than the model reads."""
        distinct = set(texts)
        self.prepare(distinct)
        return sum(self._known[key_of(text)].truncated for text in distinct)

    def _units(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Vectors of length one to the last digit, shape ``(len(texts), dimension)``."""
        rows: NDArray[np.float64] = np.stack([self._known[key_of(text)].vector for text in texts]).astype(np.float64)
        units: NDArray[np.float64] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units

    def _embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self._model is None:
            self._model = _load(self._folder, self._spec)
        # Tokenizers refuse halves of surrogate pairs, which a model's JSON may hold.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        vectors = self._model.encode(
            clean,
            batch_size=_BATCH,
            show_progress_bar=len(clean) > _MANY and sys.stderr.isatty(),
            convert_to_numpy=True,
            normalize_embeddings=True,
        )
        cut = self._truncated(clean)
        return [Embedding(v.astype(np.float32), t in cut) for t, v in zip(clean, vectors, strict=True)]

    def _truncated(self, texts: Sequence[str]) -> set[str]:
        limit = self._model.max_seq_length
        # A token has at least one character, so most texts need no look.
        long = [text for text in texts if limit is not None and len(text) > limit - 2]
        if not long:
            return set()
        tokens = self._model.tokenizer(long, truncation=False, verbose=False)["input_ids"]
        return {text for text, ids in zip(long, tokens, strict=True) if len(ids) > limit}


def _load(folder: Path, spec: str) -> Any:
    from sentence_transformers import SentenceTransformer

    with _quiet():
        try:
            return SentenceTransformer(
                str(folder), device="cpu", local_files_only=True, model_kwargs={"use_safetensors": True}
            )
        except Exception as error:
            told = f"{type(error).__name__}: {error}".splitlines()[0].replace(str(folder), "…")
            raise ModelError(
                f"{_shown(spec)} cannot be loaded ({told:.200}): name another model, {_INSTEAD}"
            ) from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silence what the libraries say and draw about loading."""
    from transformers.utils import logging as drawn

    loggers = [logging.getLogger(name) for name in ("sentence_transformers", "transformers")]
    levels = [logger.level for logger in loggers]
    drew = drawn.is_progress_bar_enabled()
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    drawn.disable_progress_bar()
    try:
        yield
    finally:
        if drew:
            drawn.enable_progress_bar()
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
