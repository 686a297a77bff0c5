"""The merged raw record of a run, in the layout that MedVision users' scripts read: samples and results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from mrarebench_hf.records import Prompt, Response, TextPart

__all__ = ["results_document", "sample"]


def sample(
    number: int, prompt: Prompt, references: Mapping[str, Any], fingerprint: str, response: Response
) -> dict[str, Any]:
    """One row of the samples file; pictures are replaced by their hash and size.

    Args:
        number: the row's number in the dataset.
        prompt: what was shown.
        references: what is scored against.
        fingerprint: what the response is stored under.
        response: what came back.
    """
    shown = [
        {"text": part.text}
        if isinstance(part, TextPart)
        else {"image_sha256": hashlib.sha256(part.data or b"").hexdigest(), "bytes": len(part.data or b"")}
        for part in prompt.parts
    ]
    return {
        "doc_id": number,
        "doc": {"index": prompt.index, **references},
        "target": references.get("answer", references.get("gold_rationale")),
        "arguments": shown,
        "resps": [[response.text]],
        "filtered_resps": [response.text],
        "status": response.status,
        "reason": response.reason,
        "error": response.error,
        "finish_reason": response.finish_reason,
        "fingerprint": fingerprint,
    }


def results_document(tag: str, summary: Mapping[str, Any], n_answered: int) -> dict[str, Any]:
    """The results file: one flat mapping of metric values below the task's tag."""
    values = {name: metric["value"] for name, metric in summary["metrics"].items()}
    return {
        "results": {tag: {"alias": tag, **values}},
        "n-samples": {tag: {"original": summary["counts"]["n_total"], "effective": n_answered}},
        "model_name": summary["model"]["name"],
        "config": {"model": summary["model"], "generation": summary["generation"], "data": summary["data"]},
    }
