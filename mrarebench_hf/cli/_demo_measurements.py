"""The part of ``mrarebench demo`` that measures: MedVision's three families on computer-made volumes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

__all__ = ["MISSING", "can_measure", "measure"]

MISSING = "no volumes  pip install 'mrarebench-hf[medvision]' adds measurements on volumes to the demo"
_BASELINES = {"Detection": ("oracle", "center", "random"), "TL": ("oracle", "prior", "random"),
              "AD": ("oracle", "prior", "random")}  # fmt: skip


def can_measure() -> bool:
    """Whether the packages that read and write volumes are installed."""
    return all(importlib.util.find_spec(package) for package in ("nibabel", "scipy"))


def measure(out: Path) -> tuple[list[int], list[str]]:
    """Write the volumes, run the baselines of every family through the three stages.

    Args:
        out: the demo's folder.

    Returns:
        Exit codes, and the table over the models of each family.
    """
    from mrarebench_hf import demo
    from mrarebench_hf.pipeline.measured_options import MeasuredOptions
    from mrarebench_hf.pipeline.measured_run import run_measurements
    from mrarebench_hf.pipeline.measurement_summary import Summarizing, summarize_measurements
    from mrarebench_hf.report.measurement_tables import as_markdown
    from mrarebench_hf.source.task_list import read_tasks

    data, results = out / "volumes", out / "results"
    demo.write_volumes(data)
    codes, tables = [], []
    for path in demo.write_task_lists(data):
        tasks = read_tasks([str(path)])
        for name in _BASELINES[tasks.family.name]:
            print(f"{tasks.tag}: baseline:{name}", flush=True)
            options = MeasuredOptions(tasks, f"baseline:{name}", data, results_dir=results)
            codes.append(run_measurements(options).exit_code)
        document, _ = summarize_measurements(Summarizing(tasks.family), task_dir=results / tasks.tag)
        tables.append(as_markdown(tasks.family, document, groups=False))
    return codes, tables
