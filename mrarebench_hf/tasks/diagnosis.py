"""T1 Diagnosis: a ranked list of ten diagnoses for a rare-disease case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mrarebench_hf.tasks import Task

_LIST_FORMAT = (
    "Rank your ten most likely diagnoses, the most likely first. Reply with nothing but a numbered list from 1 to 10, "
    "one specific disease name per line, without explanations."
)


def _reply(references: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"{rank}. {case['answer']}" for rank, case in enumerate(references, 1))


TASK = Task(
    name="diagnosis",
    title="T1 Diagnosis",
    folder="diagnosis",
    filename="diagnosis_opened.tsv",
    expected_rows=300,
    columns=(
        "index",
        "image",
        "image_path",
        "question",
        "context",
        "image findings",
        "answer",
        "answer_aliases",
        "figure_mapping",
    ),
    required=("context", "answer"),
    instructions={
        "images": f"Base your reasoning on the case description and the medical images above. {_LIST_FORMAT}",
        "text": f"Base your reasoning on the case description above. {_LIST_FORMAT}",
    },
    scorer="diagnosis",
    rubrics=("diagnosis",),
    rubrics_on_request=("rare_candidates",),
    compares_texts=False,
    shown=(
        "recall@1",
        "recall@3",
        "recall@5",
        "recall@10",
        "MRR",
        "MR",
        "judge_avg_score",
        "parse_fail_rate",
        "judge_fail_rate",
        "infer_fail_rate",
    ),
    legend="MR is the mean rank of the first hit, lower is better.",
    contrasted=("recall@1", "recall@10", "MRR", "strict_recall@1", "strict_recall@10", "strict_MRR"),
    reply=_reply,
)
