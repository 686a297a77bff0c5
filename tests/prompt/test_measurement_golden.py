"""MedVision's prompts byte by byte, one file for each kind of question and variant in `tests/golden/medvision/prompts`.

After a change that is meant, raise ``TEMPLATE_VERSION``, write them anew with

    MRAREBENCH_ACCEPT_PROMPTS=1 python -m pytest tests/prompt/test_measurement_golden.py

and review the difference like code: other words are another benchmark, and stored answers no longer count.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mrarebench_hf.measured import Geometry, MeasuredSample
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.prompt.measurement import measurement_prompt

GOLDEN = Path(__file__).parents[1] / "golden" / "medvision" / "prompts"
CASES = [
    (kind, variant) for kind in ("box", "ellipse", "distance", "angle") for variant in ("", "-CoT", "-CoT-woInstruct")
]


@pytest.mark.parametrize(("kind", "variant"), CASES)
def test_prompts_are_frozen(
    kind: str, variant: str, sample_of: Callable[[str], MeasuredSample], task_of: Callable[[str, str], TaskName]
) -> None:
    path = GOLDEN / f"{kind}{variant}.txt"
    prompt = measurement_prompt(sample_of(kind), task_of(kind, variant), Geometry((384, 512), (0.75, 0.4296875)))
    text = f"{prompt}\n".encode()
    if os.environ.get("MRAREBENCH_ACCEPT_PROMPTS"):
        path.write_bytes(text)
    assert text == path.read_bytes(), f"prompts changed; if that is meant, see {Path(__file__).name}"


def test_no_file_is_left_over() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == {f"{kind}{variant}.txt" for kind, variant in CASES}
