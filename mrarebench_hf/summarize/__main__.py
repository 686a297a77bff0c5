"""``python -m mrarebench_hf.summarize``: the verb ``mrarebench summarize``."""

from __future__ import annotations

import sys

from mrarebench_hf.cli import main

if __name__ == "__main__":
    sys.exit(main(["summarize", *sys.argv[1:]]))
