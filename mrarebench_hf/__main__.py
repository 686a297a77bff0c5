"""``python -m mrarebench_hf`` and ``accelerate launch -m mrarebench_hf``: the command line."""

from __future__ import annotations

import sys

from mrarebench_hf.cli import main

if __name__ == "__main__":
    sys.exit(main())
