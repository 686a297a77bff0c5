"""``python -m mrarebench_hf.judge``: the verb ``mrarebench judge``."""

from __future__ import annotations

import sys

from mrarebench_hf.cli import main

if __name__ == "__main__":
    sys.exit(main(["judge", *sys.argv[1:]]))
