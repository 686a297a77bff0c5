"""What scoring needs of one line, whoever wrote it."""

from __future__ import annotations

from typing import Any

import pytest

from mrarebench_hf.families import get
from mrarebench_hf.parse.sample import Sample, read_sample

BOX, AD = get("Detection"), get("AD")


def _line(doc: Any = None, **entries: Any) -> dict[str, Any]:
    return {"doc_id": 3, "doc": {} if doc is None else doc, "target": "[1, 2]", "resps": [["text"]], **entries}


def _sample(doc: Any = None, **entries: Any) -> Sample:
    return read_sample(_line(doc, **entries), BOX)


@pytest.mark.parametrize("resps", ["text", ["text"], [["text"]], [[["text"]]]])
def test_a_reply_is_found_however_deep_it_is_nested(resps: Any) -> None:
    assert _sample(resps=resps).reply == "text"


@pytest.mark.parametrize("resps", [None, [], [[]], [None], 3, {}, [[[["text"]]]]])
def test_what_is_no_text_is_no_reply(resps: Any) -> None:
    assert _sample(resps=resps).reply is None


def test_a_failed_request_has_no_reply_whatever_text_stands_there() -> None:
    assert _sample(status="failed").reply is None


def test_br54_a_reply_that_says_nan_stays_a_text() -> None:
    assert _sample(resps=[["NaN"]]).reply == "NaN"


@pytest.mark.parametrize("record", [None, [], "x", {}, {"doc": None}, {"doc": []}])
def test_a_line_without_a_doc_is_no_sample(record: Any) -> None:
    with pytest.raises(ValueError, match="no object 'doc'"):
        read_sample(record, BOX)


@pytest.mark.parametrize("doc_id", ["3", 3.0, True, None, 2**63])
def test_a_doc_id_is_a_whole_number(doc_id: Any) -> None:
    with pytest.raises(ValueError, match="doc_id"):
        _sample(doc_id=doc_id)


def test_a_missing_doc_id_counts_as_zero() -> None:
    line = _line()
    del line["doc_id"]
    assert read_sample(line, BOX).doc_id == 0


@pytest.mark.parametrize(
    ("doc", "spacing"),
    [
        ({"pixel_size": [0.5, 0.7]}, (0.5, 0.7)),
        ({"pixel_size_mm": [0.5, 0.7]}, (0.5, 0.7)),
        ({"voxel_size": [1.0, 2.0, 3.0], "slice_dim": 0}, (2.0, 3.0)),
        ({"voxel_size": [1.0, 2.0, 3.0], "slice_dim": 1}, (1.0, 3.0)),
        ({"voxel_size": [1.0, 2.0, 3.0], "slice_dim": 2}, (1.0, 2.0)),
        ({"voxel_size": [1.0, 2.0, 3.0]}, None),
        ({"voxel_size": [1.0, 2.0, 3.0], "slice_dim": True}, None),
        ({"pixel_size": [10**400, 1.0]}, None),
        ({"pixel_size": [1.0, 1e12]}, None),
        ({"voxel_size": [1.0, 2.0], "slice_dim": 2}, None),
        ({"voxel_size": "1, 2, 3", "slice_dim": 2}, None),
        ({"pixel_size": [0.5, 0]}, None),
        ({"pixel_size": [0.5, float("nan")]}, None),
        ({"pixel_size": ["0.5", 1]}, None),
        ({"pixel_size": 0.5}, None),
        ({"pixel_size": [0.5]}, None),
        ({}, None),
    ],
)
def test_spacing(doc: dict[str, Any], spacing: tuple[float, float] | None) -> None:
    assert _sample(doc).spacing_mm == spacing


def test_sizes_scales_and_names() -> None:
    doc = {"image_size_2d": [40, 64], "image_file": "a.nii.gz", "mask_file": 7, "slice_dim": 5, "label": "2"}
    sample = _sample(doc, pixel_size_scale={"s_h": 2.0, "s_w": 0.5, "mode": "anisotropic"})
    assert (sample.size_px, sample.scale) == ((40.0, 64.0), (2.0, 0.5))
    assert (sample.image_file, sample.mask_file, sample.slice_dim, sample.label) == ("a.nii.gz", None, None, "2")
    assert _sample({"image_size": [10, 20]}).size_px == (10.0, 20.0)
    assert _sample(pixel_size_scale="2").scale is None


def test_the_box_of_the_target_in_pixels_is_read_for_boxes_only() -> None:
    doc = {"bounding_boxes": {"dimensions": [[12, 10]]}}
    assert _sample(doc).box_size_px == (12.0, 10.0)
    assert read_sample(_line(doc), AD).box_size_px is None
    for odd in ({"dimensions": []}, {"dimensions": "x"}, [], None):
        assert _sample({"bounding_boxes": odd}).box_size_px is None


def test_the_kind_of_a_measure_stands_in_the_profile_or_beside_it() -> None:
    doc = {"biometric_profile": {"metric_type": "angle", "metric_key": "A1"}}
    sample = read_sample(_line(doc), AD)
    assert (sample.metric_type, sample.metric_key) == ("angle", "A1")
    sample = read_sample(_line({"metric_type": "distance", "biometric_profile": []}), AD)
    assert (sample.metric_type, sample.metric_key) == ("distance", None)


def test_a_stored_error_is_kept_when_it_is_an_object() -> None:
    assert _sample(nMAE={"NMAE": 0.1, "success": True}).stored_nmae == {"NMAE": 0.1, "success": True}
    assert _sample(nMAE=0.1).stored_nmae is None
