"""Which plan file a release means, over folders written here."""

from __future__ import annotations

from pathlib import Path

import pytest
from medvision_plans import boxes_task, write_plan

from mrarebench_hf.errors import DataNotFoundError, UnknownNameError
from mrarebench_hf.source.releases import RELEASES, RESTRICTED, find_plan, resolve_release


def test_latest_is_the_newest_and_others_are_taken_exactly() -> None:
    assert resolve_release("latest") == RELEASES[-1] == "1.4.0"
    assert [resolve_release(release) for release in RELEASES] == list(RELEASES)
    for text in ("1.4", "v1.4.0", "1.5.0", ""):
        with pytest.raises(UnknownNameError, match=r"unknown MedVision release .*1\.2\.1, 1\.3\.0, 1\.4\.0, latest"):
            resolve_release(text)


def test_the_newest_plan_that_is_not_newer_is_taken_per_kind(tmp_path: Path) -> None:
    for version in ("1.0.0", "1.1.1", "1.4.0", "1.10.0"):
        write_plan(tmp_path, "biometry", version=version)
    write_plan(tmp_path, "detection", version="1.0.0")
    write_plan(tmp_path, "detection", version="1.3.0", dataset="Other")
    found = {release: find_plan(tmp_path, "Toy", "biometry", release).version for release in RELEASES}
    assert list(found.values()) == ["1.0.0", "1.0.0", "1.1.1", "1.1.1", "1.1.1", "1.1.1", "1.4.0"]
    plan = find_plan(tmp_path, "Toy", "detection", "latest")
    assert (plan.kind, plan.version) == ("detection", "1.0.0")
    assert plan.path == tmp_path / "Datasets" / "Toy" / "benchmark_plan_detection_v1.0.0.json.gz"


def test_what_is_not_there_is_said_with_what_is(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"no folder .*nowhere: --data-dir"):
        find_plan(tmp_path / "nowhere", "Toy", "detection", "1.0.0")
    with pytest.raises(DataNotFoundError, match="no folder Datasets in"):
        find_plan(tmp_path, "Toy", "detection", "1.0.0")
    for version in ("1.4.0", "1.10.0", "1.2.0"):
        write_plan(tmp_path, "biometry", version=version)
    write_plan(tmp_path, "detection", dataset="Other")
    with pytest.raises(DataNotFoundError, match=r"no dataset 'KiTS23' .*Datasets there: Other, Toy\."):
        find_plan(tmp_path, "KiTS23", "detection", "1.4.0")
    with pytest.raises(
        DataNotFoundError, match=r"no biometry plan of Toy .*Versions there: 1\.2\.0, 1\.4\.0, 1\.10\.0"
    ):
        find_plan(tmp_path, "Toy", "biometry", "1.1.1")
    with pytest.raises(DataNotFoundError, match=r"no segmentation plan of Toy .*Versions there: none"):
        find_plan(tmp_path, "Toy", "segmentation", "1.4.0")


@pytest.mark.parametrize("dataset", sorted(RESTRICTED))
def test_how_to_get_a_restricted_dataset_is_said(tmp_path: Path, dataset: str) -> None:
    write_plan(tmp_path, "detection")
    with pytest.raises(DataNotFoundError) as error:
        find_plan(tmp_path, dataset, "detection", "1.4.0")
    assert f"{dataset} is restricted: {RESTRICTED[dataset]}." in str(error.value)


@pytest.mark.parametrize("dataset", ["..", ".", "Toy/../Toy", "../outside"])
def test_a_name_does_not_lead_out_of_the_folder(tmp_path: Path, dataset: str) -> None:
    write_plan(tmp_path / "data", "detection", boxes_task())
    write_plan(tmp_path / "data" / "Datasets", "detection", boxes_task(), dataset="../../outside")
    with pytest.raises(DataNotFoundError, match="no dataset"):
        find_plan(tmp_path / "data", dataset, "detection", "1.4.0")
