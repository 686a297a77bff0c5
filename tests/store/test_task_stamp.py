"""One stamp per MedVision task in a model's folder, so that no task counts twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mrarebench_hf.store.task_stamp import EARLIER, replace_stamp

TASK = "KiTS23_TumorLesionSize_Task01_Axial"


def samples(stamp: str, task: str = TASK) -> str:
    return f"{stamp}_samples_{task}.jsonl"


def below(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_a_first_run_takes_the_time(tmp_path: Path) -> None:
    assert re.fullmatch(r"\d{8}_\d{6}", replace_stamp(tmp_path, TASK, fresh=False))


def test_a_task_that_is_there_keeps_its_newest_stamp_and_loses_what_was_parsed(tmp_path: Path) -> None:
    other = samples("20250101_000000", "KiTS23_TumorLesionSize_Task02_Axial")
    new, old = "20250301_000000", "20250201_000000"
    put(tmp_path, other, samples(new), samples(old), f"{old}_results.json", f"parsed/{samples(new)}")
    put(tmp_path, f"parsed/{new}_results.json", f"parsed/{new}_scores_{TASK}.parquet", f"parsed/{other}")
    assert replace_stamp(tmp_path, TASK, fresh=False) == new
    kept = {other, samples(new), f"parsed/{other}"}
    assert below(tmp_path) == kept | {f"{EARLIER}/{samples(old)}", f"{EARLIER}/{old}_results.json"}


@pytest.mark.parametrize("with_results", [True, False])
def test_a_fresh_start_keeps_every_earlier_answer(tmp_path: Path, with_results: bool) -> None:
    stamp = "20250301_000000"
    names = {samples(stamp)} | ({f"{stamp}_results.json"} if with_results else set())
    put(tmp_path, *names)
    assert replace_stamp(tmp_path, TASK, fresh=True) != stamp
    assert below(tmp_path) == {f"{EARLIER}/{name}" for name in names}
