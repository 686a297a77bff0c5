"""Stage dataset: cases, samples and prompts in, ``datasets.Dataset`` objects and a Hub-ready repository out.

Pictures of cases stay the bytes they came in. Nothing here imports datasets before a function is called.
"""

from __future__ import annotations

from mrarebench_hf.dataset.by_name import load
from mrarebench_hf.dataset.loading import prepare
from mrarebench_hf.dataset.measured_loading import prepare_tasks
from mrarebench_hf.dataset.prepared import Prepared

__all__ = ["Prepared", "load", "prepare", "prepare_tasks"]
