"""Structure against the published harness, and our own prompts byte by byte.

`tests/golden/mrarebench` holds 60 + 60 invented rows in the real format, many of them odd on purpose (pictures shrunk
to a pixel), and `tests/golden/prompts.jsonl.gz` what the harness made of them: labels and order of the pictures, and
the hashes of the context block (with the findings where they are shown). Differences that we accept are listed in
`docs/parity.md`, "Prompts and data", and nowhere else.

`tests/golden/prompts/<condition>.txt` freezes whole prompts. After a change that is meant, write them anew with

    MRAREBENCH_ACCEPT_PROMPTS=1 python -m pytest tests/prompt/test_golden.py

and review the difference like code: other words are another benchmark, and stored answers no longer count.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from mrarebench_hf import conditions, tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.prompt import build
from mrarebench_hf.records import Case, ImagePart, TextPart
from mrarebench_hf.source.cases import read_cases

GOLDEN = Path(__file__).parents[1] / "golden"
FROZEN = ("0", "20", "32", "38", "40", "49")
# (condition, row): see docs/parity.md.
PICTURES = {(c, "41") for c in ("Diagnosis", "Diagnosis_FD")} | {
    (c, row) for c in ("EvidenceVerif", "EvidenceVerif_NoDx") for row in ("44", "46")
}
CONTEXTS = {("EvidenceVerif_NoDx", "40"), ("EvidenceVerif_NoDx", "52")}


@cache
def cases(task: str) -> dict[str, Case]:
    packed = GOLDEN / "mrarebench" / f"{tasks.get(task).filename}.gz"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.tsv"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        return {case.index: case for batch in read_cases(path, task) for case in batch}


@cache
def records() -> list[dict[str, Any]]:
    lines = gzip.decompress((GOLDEN / "prompts.jsonl.gz").read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines]


def differences(record: dict[str, Any]) -> set[str]:
    condition = conditions.get(record["condition"])
    case, task = cases(condition.task)[record["index"]], tasks.get(condition.task)
    prompt = build(case, condition, task)
    found = set()
    if [p.text if isinstance(p, TextPart) else None for p in prompt.parts[:-1]] != record["parts"]:
        found.add("pictures")
    blocks = prompt.text.removesuffix(task.instructions[condition.instruction]).removesuffix("\n\n")
    question = case.cells[record["question_column"]] if record["question_column"] else None
    if question is not None:
        assert blocks.endswith(f"Question: {question}")
        blocks = blocks.removesuffix(f"Question: {question}").removesuffix("\n\n")
    # The recording cut a context that ends with a line break (row 50) before it; the text shown is the same.
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (blocks, blocks.removesuffix("\n")) if text]
    if record["context_sha256"] not in (hashes or [None]):
        found.add("context")
    return found


def test_structure_equals_the_harness_but_for_what_is_named() -> None:
    assert len(records()) == 6 * 60
    found: dict[str, set[tuple[str, str]]] = {"pictures": set(), "context": set()}
    for record in records():
        for kind in differences(record):
            found[kind].add((conditions.get(record["condition"]).name, record["index"]))
    assert found == {"pictures": PICTURES, "context": CONTEXTS}


def test_findings_equal_the_harness() -> None:
    from mrarebench_hf.source.cells import findings

    n_checked = 0
    for record in records():
        if record["condition"] == "MRareBench_Diagnosis_FD" and record["findings_sha256"]:
            text = findings(cases("diagnosis")[record["index"]].cells.get("image findings", ""))
            assert hashlib.sha256(text.encode()).hexdigest() == record["findings_sha256"], record["index"]
            n_checked += 1
    assert n_checked >= 55


def render(condition: Condition) -> str:
    """Prompts as one text; a picture is its length and hash, a line of its own says where each part begins."""
    lines = []
    for index in FROZEN:
        lines.append(f"=== {condition.name}, id {index}")
        for part in build(cases(condition.task)[index], condition).parts:
            if isinstance(part, ImagePart):
                assert part.data is not None
                lines.append(f"--- image: {len(part.data)} bytes, sha256 {hashlib.sha256(part.data).hexdigest()[:16]}")
            else:
                lines.append(f"--- text\n{part.text}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("condition", conditions.CONDITIONS, ids=lambda c: c.name)
def test_prompts_are_frozen(condition: Condition) -> None:
    path = GOLDEN / "prompts" / f"{condition.name}.txt"
    text = render(condition).encode()
    if os.environ.get("MRAREBENCH_ACCEPT_PROMPTS"):
        path.write_bytes(text)
    assert text == path.read_bytes(), f"prompts changed; if that is meant, see {Path(__file__).name}"
