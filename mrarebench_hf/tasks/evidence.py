"""T2 Evidence verification: report the evidence that the pictures show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.tasks import Task

_INSTRUCTION = (
    "The diagnosis of this case is established. Using the labelled images, report the visible evidence that bears on "
    "it: for each image begin a line with its label and a colon (for example 'Image 1:'), name the kind of image and "
    "describe what is seen, in the large and in detail. Then say how the findings of the images fit together and what "
    "they mean for the diagnosis. Report only what can be seen; do not invent findings."
)


def _reply(references: Sequence[Mapping[str, Any]]) -> str:
    points = [point for case in references for point in case["evidence_points"]]
    return "\n".join(f"{p['image']}: {p['point']}" if p["image"] else str(p["point"]) for p in points)


TASK = Task(
    name="evidence",
    title="T2 Evidence verification",
    folder="evidence_verification",
    filename="evidence_verification_opened_FULL609.tsv",
    expected_rows=608,
    columns=(
        "index",
        "image",
        "image_path",
        "image_slot_map",
        "context",
        "question_open",
        "question",
        "final_diagnosis",
        "acceptable_evidence_points",
        "gold_rationale",
        "gold_answer_open",
        "decisive_image_ids",
        "supporting_image_ids",
        "task_type",
    ),
    required=("context", "acceptable_evidence_points"),
    # One text for all conditions: they must differ in what is shown, never in what is asked.
    instructions={"images": _INSTRUCTION},
    scorer="evidence",
    rubrics=("evidence",),
    rubrics_on_request=(),
    compares_texts=True,
    shown=(
        "t2_hierarchical_required_recall",
        "t2_required_recall",
        "t2_optional_recall",
        "t2_contradiction_rate",
        "det_hierarchical_required_recall",
        "det_required_recall@0.5",
        "det_grounded_ratio@0.5",
        "det_image_grounded_recall@0.5",
        "det_image_coverage",
        "det_image_attribution_hallucination_rate",
        "judge_fail_rate",
        "infer_fail_rate",
    ),
    legend=(
        "`t2_` by the judge, over the cases that it judged; `det_` by similarity of texts, without a judge; of "
        "contradictions and hallucinations less is better."
    ),
    contrasted=(
        "t2_hierarchical_required_recall",
        "t2_hier_level1_visual_recall",
        "t2_hier_level2_cross_recall_raw",
        "t2_hier_level3_diag_recall_raw",
        "det_hierarchical_required_recall",
        "det_required_recall@0.5",
    ),
    reply=_reply,
)
