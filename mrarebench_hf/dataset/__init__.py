"""Cases and prompts into datasets: rows for Python and for the Hub, pictures kept as the bytes they came in.

Comes in: the name of a condition. Goes out: a ``datasets.Dataset``, its cache, or a repository folder.
"""

from __future__ import annotations

from mrarebench_hf.dataset.prepared import NAME, Prepared, load, prepare


__all__ = ["NAME", "Prepared", "load", "prepare"]
