"""Where a track's file is looked for, and what is said when it is nowhere."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tsv_files import T1, T2, t1, write

from mrarebench_hf.errors import DataNotFoundError, UsageError
from mrarebench_hf.source.resolve import locate, sha256_of


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("LMUData", raising=False)
    monkeypatch.delenv("MRAREBENCH_ROOT", raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.mark.parametrize("place", [f"diagnosis/{T1}", f"MRareBench/diagnosis/{T1}", T1])
def test_a_named_folder(tmp_path: Path, place: str) -> None:
    path = write(tmp_path / place, [t1()])
    found = locate("diagnosis", data_dir=tmp_path)
    assert (found.path, found.source, found.revision) == (path, "local", None)
    assert locate("diagnosis", data_dir=path).path == path
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert sha256_of(path) == sha256
    assert found.provenance(sha256, 1).source == "local"


def test_the_other_track_lies_beside_a_named_file(tmp_path: Path) -> None:
    one, two = write(tmp_path / "a.tsv", [t1()]), write(tmp_path / T1, [t1()])
    assert locate("evidence", data_dir=one).path == one
    assert locate("evidence", data_dir=two).path == two
    other = write(tmp_path / T2, [t1()])
    assert locate("evidence", data_dir=two).path == other
    # A file with a name of its own is what it says, also beside the published one.
    assert locate("diagnosis", data_dir=one).path == one


def test_a_named_folder_without_the_file(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"no diagnosis_opened.tsv for T1 Diagnosis: tried .*--data-dir takes"):
        locate("diagnosis", data_dir=tmp_path)
    with pytest.raises(DataNotFoundError, match=r"there is no folder .*gone; tried"):
        locate("diagnosis", data_dir=tmp_path / "gone")


def test_the_harness_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LMUData", str(tmp_path))
    path = write(tmp_path / "MRareBench" / "diagnosis" / T1, [t1()])
    assert locate("diagnosis").path == path
    other = write(tmp_path / "Other" / "diagnosis" / T1, [t1()])
    monkeypatch.setenv("MRAREBENCH_ROOT", "Other")
    assert locate("diagnosis").path == other
    assert locate("diagnosis", data_dir=tmp_path).path == other


def test_the_home_folder_and_what_the_harness_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LMUData", str(tmp_path / "none"))
    path = write(tmp_path / "home" / "LMUData" / "MRareBench_Diagnosis_FD.tsv", [t1()])
    assert locate("diagnosis").path == path


def test_a_revision_is_one_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LMUData", str(tmp_path))
    write(tmp_path / "MRareBench" / "diagnosis" / T1, [t1()])
    with pytest.raises(UsageError, match=r"revision 'v1' is one of the Hub dataset"):
        locate("diagnosis", data_dir=tmp_path, revision="v1")
    with pytest.raises(DataNotFoundError, match=r"offline mode is on .*at revision 'v1' is not in the cache"):
        locate("diagnosis", revision="v1")


def test_nowhere_and_offline(tmp_path: Path) -> None:
    words = (
        r"no diagnosis_opened.tsv for T1 Diagnosis: offline mode is on \(HF_HUB_OFFLINE\), and junzhin/MRareBench is "
        r"not in the cache. Tried before: .*home/LMUData/MRareBench/diagnosis/diagnosis_opened.tsv.*--data-dir takes"
    )
    with pytest.raises(DataNotFoundError, match=words) as caught:
        locate("diagnosis")
    assert "\n" not in str(caught.value)
