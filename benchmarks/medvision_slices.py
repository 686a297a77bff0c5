"""How fast and in how much memory slices of MedVision's volumes become pictures.

    python benchmarks/medvision_slices.py [--samples 1000] [--reloads 5] [--resize 512]

Writes one volume of 512 x 512 x 400 voxels, int16, as ``.nii.gz`` into a temporary folder; turns samples of it, axial,
coronal and sagittal in turn, into Pillow pictures, in a process of its own whose peak memory is printed; and does the
same for a few samples with the volume loaded anew as float32 for each, as medvision_bm does.
Aims: at most 600 MB, and 20 times as fast per sample.

Last run (two shared cores, CPython 3.11): 2.8 ms per sample against 2,809 ms, 988 times as fast; peak 250 MB, of which
the volume is 200. Resized to 896 x 896: 21 ms, 158 times; peak 282 MB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nibabel
import numpy as np

from mrarebench_hf.measured import MeasuredSample
from mrarebench_hf.measured_names import PLANES
from mrarebench_hf.source.slice_picture import slice_picture
from mrarebench_hf.source.volume import Volumes

SHAPE = (512, 512, 400)
ZOOMS = (0.75, 0.75, 1.5)
NAME = "Datasets/Toy/Images/a.nii.gz"


def write_volume(root: Path) -> Path:
    """A body-like volume: an ellipsoid of soft tissue in air, with noise."""
    path = root / NAME
    path.parent.mkdir(parents=True)
    draw = np.random.default_rng(0)
    values = np.empty(SHAPE, np.int16, order="F")
    rows, columns = np.ogrid[-1 : 1 : SHAPE[0] * 1j, -1 : 1 : SHAPE[1] * 1j]
    for number, height in enumerate(np.linspace(-1, 1, SHAPE[2])):
        inside = rows**2 / 0.5 + columns**2 / 0.8 + height**2 < 1
        noise = draw.integers(-30, 30, SHAPE[:2])
        values[:, :, number] = np.where(inside, 40 + noise, -1000)
    nibabel.save(nibabel.Nifti1Image(values, np.diag([*ZOOMS, 1])), path)
    return path


def sample(number: int) -> MeasuredSample:
    """One sample: planes in turn, slices spread over the volume."""
    axis = 2 - number % 3
    return MeasuredSample(
        sample_id=str(number), family="TL", dataset="Toy", task_id="01", task_type="Tumor-Lesion-Size",
        plane=PLANES[axis], slice_dim=axis, slice_idx=number * 7 % SHAPE[axis], case_id="a", image_file=NAME,
        mask_file=None, landmark_file=None, modality="CT", description="", label=2, label_name="kidney tumor",
        unit="mm", values=(10.0, 8.0), box_px=None, measure=None, array_size=SHAPE, voxel_mm=ZOOMS, release="1.4.0",
    )  # fmt: skip


def iterate(root: Path, n_samples: int, side: int | None) -> dict[str, float]:
    """Seconds and peak memory in MB of turning samples into pictures; for a fresh process."""
    volumes = Volumes(root)
    size = None if side is None else (side, side)
    before = peak_mb()
    start = time.perf_counter()
    slice_picture(volumes, sample(0), size).image()
    first = time.perf_counter() - start
    for number in range(1, n_samples):
        slice_picture(volumes, sample(number), size).image()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "first": first, "before_mb": before, "peak_mb": peak_mb()}


def peak_mb() -> float:
    """Peak memory of this process from Linux's /proc; ``ru_maxrss`` would count what its parent held at the start."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) / 1024


def reload(path: Path, n_samples: int) -> float:
    """Seconds per sample when the volume is loaded as float32 for each."""
    start = time.perf_counter()
    for number in range(n_samples):
        shown = sample(number)
        nibabel.load(path).get_fdata(dtype=np.float32).take(shown.slice_idx, shown.slice_dim)
    return (time.perf_counter() - start) / n_samples


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--reloads", type=int, default=5)
    parser.add_argument("--resize", type=int, help="side in pixels to bring the slices to")
    parser.add_argument("--iterate", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.iterate:
        print(json.dumps(iterate(options.iterate, options.samples, options.resize)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = write_volume(Path(folder))
        words = [sys.executable, __file__, "--iterate", folder, "--samples", str(options.samples)]
        words += ["--resize", str(options.resize)] if options.resize else []
        run = subprocess.run(words, capture_output=True, text=True, check=True)
        found = json.loads(run.stdout)
        each, reloaded = found["seconds"] / options.samples, reload(path, options.reloads)
        print(f"volume: {np.prod(SHAPE) * 2 / 2**20:.0f} MB as int16, {path.stat().st_size / 2**20:.0f} MB packed")
        print(f"{options.samples} samples: {found['seconds']:.1f} s, of that the first {found['first']:.1f} s")
        print(f"per sample: {each * 1e3:.2f} ms; volume loaded anew: {reloaded * 1e3:.0f} ms; {reloaded / each:.0f} x")
        print(f"peak memory: {found['peak_mb']:.0f} MB, before the first sample {found['before_mb']:.0f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
