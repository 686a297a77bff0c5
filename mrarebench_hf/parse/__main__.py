"""``python -m mrarebench_hf.parse``: the verb ``mrarebench parse``."""

from __future__ import annotations

import sys

from mrarebench_hf.cli import main

if __name__ == "__main__":
    sys.exit(main(["parse", *sys.argv[1:]]))
