"""The drawn factor of scaled-pixel-size tasks, against a draw made here."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from mrarebench_hf.errors import UsageError
from mrarebench_hf.source.pixel_scale import draw_scale, scale_range

FIELDS = ("Data/Datasets/A/Images/1.nii.gz", 2, 7, "01", None)


def test_the_sample_alone_seeds_the_draw() -> None:
    digest = hashlib.blake2b(b"Data/Datasets/A/Images/1.nii.gz|2|7|01|None", digest_size=8).hexdigest()
    expected = np.random.RandomState(int(digest, 16) % 2**32).uniform(0.5, 3.0, size=2)
    assert draw_scale(FIELDS, True, (0.5, 3.0)) == tuple(expected)
    assert draw_scale(FIELDS, False, (0.5, 3.0)) == (expected[0], expected[0])
    assert draw_scale(("./" + FIELDS[0], *FIELDS[1:]), False, (0.5, 3.0)) != (expected[0], expected[0])


def test_the_bounds_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scale_range() == (0.5, 3.0)
    monkeypatch.setenv("MEDVISION_SCALED_PS_LOW", "0.8")
    assert scale_range() == (0.8, 3.0)
    monkeypatch.setenv("MEDVISION_SCALED_PS_HIGH", "three")
    with pytest.raises(UsageError, match="MEDVISION_SCALED_PS_HIGH='three' is no number"):
        scale_range()
