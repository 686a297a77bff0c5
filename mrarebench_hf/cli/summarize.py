"""Stage 3 of MedVision: groups, models and a leaderboard from parsed files.

  mrarebench summarize --task_type TL --task_dir Results/MedVision-TL --plans plans.json
  mrarebench summarize --task_type Detection --task_dir Results/MedVision-detect --plans plans.json --random-baseline
  mrarebench summarize --task_type Detection --model_dir Results/MedVision-detect/my-model --by box-size

Writes summary_*.json, .md, .csv and .tex into the task's folder, and one summary per model into its parsed/.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mrarebench_hf import families
from mrarebench_hf.cli._measurement_options import add_common
from mrarebench_hf.cli._shared import end_as_interrupt

HELP = "MedVision: groups, models and a leaderboard from parsed files"
INTERRUPTED = "nothing is half-written; run it again"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_common(parser)
    parser.add_argument("--plans", type=Path, metavar="FILE", help="JSON with the names of every dataset's labels")
    parser.add_argument("--by", choices=("published", "box-size"), default="published", help="how samples are grouped")
    parser.add_argument("--random-baseline", "--random_baseline", action="store_true",
                        help="Detection: add what random boxes score on the same targets")  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the random boxes")
    parser.add_argument("--skip_model_wo_parsed_files", "--skip-model-wo-parsed-files", action="store_true",
                        help="pass over models without parsed files")  # fmt: skip
    parser.add_argument("--resps_key", "--resps-key", default="filtered_resps", metavar="KEY",
                        help="field of a parsed line that holds the numbers; default: filtered_resps")  # fmt: skip
    removed = parser.add_argument_group("samples that a later release removed (TL)")
    removed.add_argument("--removed_samples_dir", "--removed-samples-dir", type=Path, metavar="DIR",
                         help="leave out what DIR/<dataset>/NAME lists")  # fmt: skip
    removed.add_argument("--removed_samples_filename", "--removed-samples-filename", metavar="NAME",
                         default="multi_cluster_samples_v1.0.0_to_v1.1.0.json", help="%(default)s")  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Summarize; print the tables, or the document as JSON."""
    from mrarebench_hf.pipeline.measurement_summary import Summarizing, summarize_measurements
    from mrarebench_hf.store.atomic import dumps

    end_as_interrupt()
    how = Summarizing(
        family=families.get(args.task_type),
        profile=args.profile,
        by=args.by,
        plans=args.plans,
        data_root=args.data_root,
        limit=args.limit,
        parsed_dirname=args.parsed_dirname,
        resps_key=args.resps_key,
        removed_dir=args.removed_samples_dir,
        removed_name=args.removed_samples_filename,
        skip_unparsed=args.skip_model_wo_parsed_files,
        random_baseline=args.random_baseline,
        seed=args.seed,
    )
    document, markdown = summarize_measurements(how, args.task_dir, args.model_dir, args.models)
    print(dumps(document, indent=2) if args.json else markdown, end="")
    return 0
