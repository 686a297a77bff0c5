"""How fast MedVision's stages 2 and 3 and its box metrics are, against medvision_bm 1.2.1 in the same run.

    python benchmarks/medvision_stages.py [--samples 20000] [--peer PYTHON] [--repeat 3]

Writes a results tree of made-up samples (answers of 100 to 200 words, one in eight of them wrong; real volumes for the
headers) into a temporary folder, and runs both stages on it under profile ``medvision_bm``, stage 2 under ``spec`` too.
``--peer`` is the interpreter of an environment with medvision-bm 1.2.1; without it only ours is timed. What that
package imports from MedVision's dataset package is stood in for by a few lines that hold the same labels.
Rates are of one process: the difference of whole commands over few and many samples, so that nobody's start-up counts;
the start-up is printed beside them. Memory is the peak of a process that parses few and many samples.
Aims: stage 2 15 times, stage 3 30 times, boxes 100 times as fast.

Last run (two shared cores, CPython 3.11): see docs/medvision.md. The first two aims are not reached.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nibabel
import numpy as np

from mrarebench_hf.score.boxes import overlap

FAMILIES = {
    "Detection": ("KiTS23", "BoxCoordinate", "summarize_detection_task"),
    "TL": ("KiTS23", "TumorLesionSize", "summarize_TL_task"),
    "AD": ("Ceph-Biometrics-400", "BiometricsFromLandmarks_Distance", "summarize_AD_task"),
}
PACKAGES = {"KiTS23": "KiTS23", "Ceph-Biometrics-400": "Ceph_Biometrics_400"}
LABELS = {"image_modality": "CT", "labels_map": {"1": "kidney", "2": "kidney tumor"}, "target_label": 2}
SENTENCE = "the slice shows a bright rim around a darker core and its border runs along pixel 45 of row 12 so that"
N_BOXES = 1_000_000
# How many times fewer samples the small tree has.
FEWER = 20
PEER_BOXES = """
import json, sys, time
from medvision_bm.utils import parse_utils
boxes = json.load(sys.stdin)
start = time.perf_counter()
for p, t in boxes:
    parse_utils.cal_IoU(p, t)
    parse_utils.cal_F1(p, t)
    parse_utils.cal_Precision(p, t)
    parse_utils.cal_Recall(p, t)
print(time.perf_counter() - start)
"""


def sample(family: str, number: int, draw: random.Random) -> dict[str, Any]:
    """One raw line."""
    text = " ".join(draw.choices(SENTENCE.split(), k=draw.randrange(100, 200)))
    if family == "Detection":
        target = [0.1, 0.2, 0.5, 0.6]
    else:
        target = [draw.uniform(5, 90) for _ in range(2 if family == "TL" else 1)]
    answer = ", ".join(f"{value * draw.uniform(0.8, 1.2):.3f}" for value in target)
    reply = f"<think>{text}</think> <answer>{answer}</answer>" if draw.random() > 0.125 else text
    doc = {
        "image_file": f"Data/{number % 20}.nii.gz", "slice_dim": 2, "slice_idx": number % 8, "taskID": "01",
        "label": "2", "image_size_2d": [40, 64], "pixel_size": [0.5, 0.5],
        "bounding_boxes": {"dimensions": [[16, 25]]},
        "biometric_profile": {"metric_type": "distance", "metric_key": f"L{number % 10}"},
    }  # fmt: skip
    shown = str(target[0]) if family == "AD" else str(target)
    prompt = "Measure it and answer with numbers only. " * 10
    return {
        "doc_id": number,
        "doc": doc,
        "target": shown,
        "resps": [[reply]],
        "filtered_resps": [reply],
        "input": prompt,
    }


def write_tree(root: Path, n_samples: int) -> None:
    """A results tree with one model and one file per family, its volumes, plans, and the stand-in of the labels."""
    draw = random.Random(0)
    (root / "Data").mkdir(parents=True)
    for number in range(20):
        volume = nibabel.Nifti1Image(np.zeros((40, 64, 10), np.uint8), np.diag([0.5, 0.5, 3, 1]))
        nibabel.save(volume, root / f"Data/{number}.nii.gz")
    for family, (dataset, kind, _) in FAMILIES.items():
        model = root / "Results" / family / "model"
        model.mkdir(parents=True)
        task = f"{dataset}_{kind}_Task01_Axial"
        with (model / f"20250101_000000_samples_{task}.jsonl").open("w") as file:
            file.writelines(json.dumps(sample(family, number, draw)) + "\n" for number in range(n_samples))
        (model / "20250101_000000_results.json").write_text(json.dumps({"results": {task: {"alias": task}}}))
    plans = {dataset: {"segmentation": [LABELS], "biometry": [LABELS]} for dataset in PACKAGES}
    (root / "plans.json").write_text(json.dumps(plans))
    for package in PACKAGES.values():
        folder = root / "stand-in" / "medvision_ds" / "datasets" / package
        folder.mkdir(parents=True)
        for name in ("preprocess_segmentation", "preprocess_biometry"):
            (folder / f"{name}.py").write_text(f"benchmark_plan = {{'tasks': [{LABELS!r}]}}\n")
    utils = root / "stand-in" / "medvision_ds" / "utils"
    utils.mkdir()
    names = ("add_bbox_overlay", "add_landmarks_and_line_overlay", "add_mask_overlay_contour")
    (utils / "doc_to_visual_utils.py").write_text("".join(f"def {name}(*a, **k): ...\n" for name in names))


def seconds(root: Path, words: list[str], repeat: int) -> float:
    """Wall time of the fastest of some runs of a command in the tree."""
    environment = {**os.environ, "PYTHONPATH": str(root / "stand-in"), "HF_HUB_OFFLINE": "1"}
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        words = [word.replace("{root}", str(root)) for word in words]  # medvision_bm wants a model's absolute path
        run = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"{' '.join(words)}\n{run.stderr[-2000:]}")
        found.append(time.perf_counter() - start)
    return min(found)


def rate(words: list[str], roots: tuple[Path, Path], n_samples: int, repeat: int) -> tuple[float, float]:
    """Samples per second, and seconds of start-up, from trees of few and many samples."""
    small, large = (seconds(root, words, repeat) for root in roots)
    per_sample = (large - small) / (n_samples - n_samples // FEWER)
    return 1 / per_sample, small - n_samples // FEWER * per_sample


def stages(roots: tuple[Path, Path], options: argparse.Namespace) -> dict[str, Any]:
    """Rates of all stages and families, ours and the peer's."""
    found: dict[str, Any] = {}
    for family, (_, _, summarizer) in FAMILIES.items():
        model, task = f"Results/{family}/model", f"Results/{family}"
        ours = [sys.executable, "-m", "mrarebench_hf.parse", "--task_type", family, "--model_dir", model, "--profile"]
        commands = {"stage 2, spec": [*ours, "spec"], "stage 2, medvision_bm": [*ours, "medvision_bm"]}
        commands["stage 3, medvision_bm"] = [
            sys.executable, "-m", "mrarebench_hf.summarize", "--task_type", family, "--task_dir", task,
            "--profile", "medvision_bm", "--plans", "plans.json",
        ]  # fmt: skip
        for name, words in commands.items():
            found[f"{family}, {name}"] = {"ours": rate(words, roots, options.samples, options.repeat)}
        if options.peer:
            parse = [options.peer, "-m", "medvision_bm.benchmark.parse_outputs", "--task_type", family, "--model_dir"]
            summarize = [options.peer, "-m", f"medvision_bm.benchmark.{summarizer}", "--task_dir", task]
            peer = {
                "stage 2": rate([*parse, f"{{root}}/{model}"], roots, options.samples, 1),
                "stage 3": rate(summarize, roots, options.samples, 1),
            }
            for name in commands:
                found[f"{family}, {name}"]["peer"] = peer[name.partition(",")[0]]
    return found


def boxes(peer: str | None) -> dict[str, float]:
    """Microseconds per box of all four overlaps."""
    draw = np.random.default_rng(0)
    predicted, target = draw.random((N_BOXES, 4)), draw.random((N_BOXES, 4))
    start = time.perf_counter()
    overlap(predicted, target)
    found = {"ours": (time.perf_counter() - start) / N_BOXES * 1e6}
    if peer:
        few = 20_000
        pairs = json.dumps(list(zip(predicted[:few].tolist(), target[:few].tolist(), strict=True)))
        run = subprocess.run([peer, "-c", PEER_BOXES], input=pairs, capture_output=True, text=True, check=True)
        found["peer"] = float(run.stdout.split()[-1]) / few * 1e6
    return found


def peak_mb(root: Path) -> float:
    """Peak memory of a process that parses one file."""
    code = (
        "import resource, sys; from mrarebench_hf.cli import main; main(sys.argv[1:]); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    words = [sys.executable, "-c", code, "parse", "--task_type", "TL", "--model_dir", "Results/TL/model"]
    run = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
    return int(run.stdout.split()[-1]) / 1024


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--peer", help="interpreter of an environment with medvision-bm 1.2.1")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few", Path(folder) / "many"
        write_tree(few, options.samples // FEWER)
        write_tree(many, options.samples)
        for name, found in stages((few, many), options).items():
            text = f"{name:36s} {found['ours'][0]:9,.0f}/s  start-up {found['ours'][1]:4.1f} s"
            if "peer" in found:
                speed, startup = found["peer"]
                text += f"   peer {speed:7,.0f}/s  start-up {startup:4.1f} s   {found['ours'][0] / speed:6.1f} x"
            print(text)
        memory = [peak_mb(root) for root in (few, many)]
        print(
            f"peak memory of stage 2: {memory[0]:.0f} MB for few samples, {memory[1]:.0f} MB for {FEWER} times as many"
        )
    found_boxes = boxes(options.peer)
    print("microseconds per box: " + ", ".join(f"{name} {value:.3f}" for name, value in found_boxes.items()))
    if "peer" in found_boxes:
        print(f"boxes: {found_boxes['peer'] / found_boxes['ours']:.0f} x as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main())
