"""Datasets for tests: a cache of its own for each, and benchmark files of both tracks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from tsv_files import T1, T2, b64, encoded, png, t1, t2, write


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of datasets; the library reads the setting on import, so it is replaced there."""
    import datasets.config

    folder = tmp_path / "cache"
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder)
    monkeypatch.setenv("HF_DATASETS_CACHE", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder: two T1 cases (two pictures, none) and two T2 cases, with a column that passes through."""
    folder = tmp_path / "data"
    photo = encoded(Image.effect_noise((40, 30), 80).convert("RGB"), "JPEG")
    findings = '[{"title": "CT", "body": "A mass in the left adrenal gland."}]'
    ones = [
        t1("007", [b64(png()), b64(photo)], image__findings=findings, pmcid="PMC1"),
        t1("7", "", image__findings="", pmcid="NA"),
    ]
    write(folder / "MRareBench" / "diagnosis" / T1, ones)
    twos = [t2("a", [b64(photo)], row_key="k1"), t2("b", ["", b64(png())], row_key="")]
    write(folder / "MRareBench" / "evidence_verification" / T2, twos)
    return folder
