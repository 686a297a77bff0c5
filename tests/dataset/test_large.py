"""BR-12 at full size: 24 items of 100 MB pass through in bounded memory. Takes 6 GB of disk and about a minute."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tsv_files import T1, png

N_ROWS, N_BYTES = 24, 100_000_000
PROGRAM = """
import sys
from mrarebench_hf.dataset import prepare
from mrarebench_hf.dataset.repository import build
from mrarebench_hf.dataset.rows import prompt_of
def peak():
    return next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
prepare(["Diagnosis"], data_dir=sys.argv[1])
print(peak())
prepared = build(sys.argv[2], ["Diagnosis"], data_dir=sys.argv[1])["Diagnosis"]
print(peak())
# Memory-mapped from here on: what is read counts until the system wants it back.
print([len(prompt_of(row).images[0]) for row in prepared.dataset(decode=False)])
"""


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("MRAREBENCH_LARGE_TESTS"), reason="MRAREBENCH_LARGE_TESTS is not set")
def test_br12_large_pictures_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "data" / T1
    path.parent.mkdir()
    with path.open("wb") as file:
        file.write(b"index\timage\tcontext\tanswer\n")
        for row in range(N_ROWS):
            # Random bytes behind the end of a picture: its header is good, its size is what is wanted.
            text = base64.b64encode(png() + os.urandom(N_BYTES - len(png())))
            file.write(b'%d\t"[""%b""]"\tcontext\tanswer\n' % (row, text))
    out = tmp_path / "out"
    command = [sys.executable, "-c", PROGRAM, str(path.parent), str(out)]
    environment = {**os.environ, "HF_DATASETS_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    *peaks_kb, sizes = done.stdout.splitlines()
    assert json.loads(sizes) == [N_BYTES] * N_ROWS
    print("peak memory in GB after prepare and build:", [int(kb) * 1024 / 1e9 for kb in peaks_kb])
    assert max(int(kb) * 1024 for kb in peaks_kb) < 4e9
    import pyarrow.parquet as pq

    [parquet] = (out / "data" / "Diagnosis").iterdir()
    meta = pq.read_metadata(parquet)
    assert max(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups)) <= 500e6
