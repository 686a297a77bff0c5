"""mrarebench_hf: evaluate vision-language models on MRareBench and MedVision.

Importing this package is cheap: torch, transformers and datasets load only when a call needs them.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any

from mrarebench_hf.shipped import metric_path

if TYPE_CHECKING:
    from mrarebench_hf.dataset import load

try:
    __version__ = metadata.version("mrarebench-hf")
except metadata.PackageNotFoundError:  # a checkout on sys.path, not installed
    __version__ = "0+unknown"

__all__ = ["__version__", "load", "metric_path"]


def __getattr__(name: str) -> Any:
    if name == "load":
        from mrarebench_hf.dataset import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
