"""Stage dataset: cases and prompts in, ``datasets.Dataset`` objects and a Hub-ready repository out.

Pictures stay the bytes they came in. Nothing here imports datasets before a function is called.
"""

from __future__ import annotations

from mrarebench_hf.dataset.loading import load, prepare
from mrarebench_hf.dataset.prepared import Prepared

__all__ = ["Prepared", "load", "prepare"]
