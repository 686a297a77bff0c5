"""Tables: the document's numbers, rounded, and nothing that breaks out of a cell."""

from __future__ import annotations

from typing import Any

from mrarebench_hf.report.markdown import cell, render


def run(name: str = "org/model", **metrics: float | None) -> dict[str, Any]:
    return {
        "condition": "Diagnosis",
        "model": {"name": name, "revision": "0123456789"},
        "data": {"n": 8},
        "counts": {"n_total": 8, "n_scored": 6, "n_unparsed": 1, "n_missing": 1},
        "metrics": {key: {"value": value} for key, value in metrics.items()},
        "groups": {},
        "judge": None,
        "det_backend": None,
        "warnings": [],
    }


def document(*runs: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {"runs": list(runs), "contrasts": [], "judge_agreement": [], "notes": [], **parts}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_row_holds_counts_and_rounded_values_of_both_rules() -> None:
    metrics = {"recall@1": 0.12345, "strict_recall@1": 0.1, "MR": None, "strict_MR": 2.0, "infer_fail_rate": 0.125}
    text = render(document(run(**metrics)))
    header, _, row = [line for line in text.splitlines() if line.startswith("|")]
    names = ["condition", "model", "n", "scored", "unparsed", "missing", "recall@1", "MR", "infer_fail_rate"]
    assert cells(header) == names
    assert cells(row) == ["Diagnosis", "org/model", "8", "6", "1", "1", "0.123 / 0.100", "– / 2.000", "0.125"]
    assert "Contrasts" not in text


def test_contrasts_show_sign_interval_and_p() -> None:
    hits = {"value": 0.25, "low": -0.125, "high": 0.5, "n": 8, "p_mcnemar": 0.625}
    ranks = {"value": -0.5, "low": -1.0, "high": 0.0, "n": 8, "p_mcnemar": None}
    nothing = {"value": None, "low": None, "high": None, "n": 0, "p_mcnemar": None}
    contrast = {
        "symbol": "Δ_vis",
        "minuend": "Diagnosis",
        "subtrahend": "Diagnosis_TO",
        "n_shared": 8,
        "metrics": {"recall@1": hits, "MRR": ranks, "strict_MRR": nothing},
    }
    entry = {"model": {"name": "m", "revision": None}, "contrasts": {"delta_vis": contrast}}
    text = render(document(run(), contrasts=[entry]))
    row = cells([line for line in text.splitlines() if line.startswith("|")][-1])
    assert row[:3] == ["Δ_vis = Diagnosis − Diagnosis_TO", "m", "8"]
    assert row[3:] == ["+0.250 (-0.125 to +0.500, p 0.625)", "-0.500 (-1.000 to +0.000)", "–"]


def test_warnings_stand_below_with_their_run() -> None:
    warned = run() | {"warnings": ["3 items have no answer"]}
    assert "- Diagnosis, org/model: 3 items have no answer" in render(document(warned))


def test_a_warning_of_many_runs_stands_once() -> None:
    text = render(document(*(run(name) | {"warnings": ["cut"]} for name in "abc")))
    assert "- Diagnosis, a and 2 more runs: cut" in text
    assert text.count("cut") == 1


def test_tracks_have_tables_of_their_own_and_name_judge_and_backend() -> None:
    groups = {
        "required_recall_by_task_type": {"(blank)": {"n": 3, "required_recall": 0.5}},
        "required_recall_by_evidence_category": {"modality": {"n": 4, "required_recall": None}},
    }
    judged = run(t2_required_recall=0.5, **{"det_required_recall@0.5": 0.25}) | {
        "condition": "EvidenceVerif",
        "judge": {"name": "J"},
        "det_backend": "tfidf",
        "groups": groups,
    }
    text = render(document(run(MRR=1.0), judged))
    headers = [cells(line) for line in text.splitlines() if line.startswith("| condition")]
    assert headers[0][6:] == ["MRR"]
    assert headers[1][6:] == ["judge", "det_backend", "t2_required_recall", "det_required_recall@0.5"]
    assert headers[2][2:] == ["(blank)", "modality"]
    rows = [cells(line) for line in text.splitlines() if line.startswith("| EvidenceVerif")]
    assert rows[0][6:] == ["J", "tfidf", "0.500", "0.250"]
    assert rows[1][2:] == ["0.500 (3)", "– (4)"]


def test_agreement_of_judges_is_shown() -> None:
    measures = {"n": 8, "agreement": 0.75, "kappa": None}
    entry = {
        "condition": "EvidenceVerif",
        "model": {"name": "m", "revision": None},
        "rubric": "evidence",
        "judges": ["A", "A (pass 2)"],
        "n_both": 2,
        "n_one_only": 0,
        "verdicts": {"all": measures},
    }
    text = render(document(run(), judge_agreement=[entry]))
    row = cells([line for line in text.splitlines() if line.startswith("|")][-1])
    assert row == ["EvidenceVerif", "m", "A – A (pass 2)", "2", "all", "8", "0.750", "–"]


def test_a_name_cannot_break_the_table_or_inject_html() -> None:
    text = render(document(run("a|b\n<script>alert(1)</script>")))
    assert "<script" not in text
    assert "a\\|b &lt;script>" in text
    assert cell("MRE<0.1 <b>") == "MRE<0.1 &lt;b>"
    assert len([line for line in text.splitlines() if line.startswith("|")]) == 3


def test_no_runs_is_said() -> None:
    assert "No scored runs." in render(document())
