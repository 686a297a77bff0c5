"""Answers of one condition on the main process: judged, scored, summed up and written; from a run or from its files."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrarebench_hf import conditions, judge, registry, tasks
from mrarebench_hf.conditions import Condition
from mrarebench_hf.errors import StoreError, UnknownNameError
from mrarebench_hf.judge import JudgeSettings, Verdicts
from mrarebench_hf.pipeline.outcome import ExitCode
from mrarebench_hf.records import Provenance, Response, Usage
from mrarebench_hf.score._scored import Aids
from mrarebench_hf.similarity import Similarity
from mrarebench_hf.source.references import FIELDS
from mrarebench_hf.store import manifest
from mrarebench_hf.store.atomic import read_json, write_json, write_jsonl
from mrarebench_hf.store.layout import RunFolder
from mrarebench_hf.store.record import results_document
from mrarebench_hf.summarize.document import summary

__all__ = ["Answers", "Graded", "grade", "read_answers"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Answers:
    """All that scoring needs to know of a run.

    Attributes:
        folder: where its files are.
        stamp: the run's name in file names.
        condition: what the model was shown.
        provenance: where the cases came from.
        limit: the number of cases that the run was cut to, None for all.
        prompt_sha256: hash of the prompt's wording and structure.
        model: identity of the model.
        generation: settings that can change a reply.
        warnings: what is to be known about the data.
        responses: one per case, in the dataset's order.
        references: what each is scored against.
    """

    folder: RunFolder
    stamp: str
    condition: Condition
    provenance: Provenance
    limit: int | None
    prompt_sha256: str
    model: Mapping[str, Any]
    generation: Mapping[str, Any]
    warnings: tuple[str, ...]
    responses: Sequence[Response]
    references: Sequence[Mapping[str, Any]]

    @property
    def failures(self) -> dict[str, int]:
        """How many cases have no answer, by reason."""
        return dict(sorted(Counter(str(r.reason) for r in self.responses if r.status == "failed").items()))


@dataclass(frozen=True, slots=True)
class Graded:
    """What grading tells besides the files that it writes.

    Attributes:
        exit_code: 0, 3 when verdicts are missing, 1 when too many are, or the judge could not be asked.
        notes: for the user, one sentence each.
        facts: for the manifest.
    """

    exit_code: ExitCode
    notes: tuple[str, ...]
    facts: Mapping[str, Any]


def read_answers(folder: RunFolder) -> Answers:
    """The answers of a run that has ended, from its manifest and its record of samples.

    Raises:
        StoreError: when one of them is not there or not whole.
    """
    document = read_json(folder.manifest)
    stamp = manifest.stamp_of(document)
    try:
        condition = conditions.get(document["condition"])
        path = folder.samples(str(stamp))
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return Answers(
            folder=folder,
            stamp=str(stamp),
            condition=condition,
            provenance=Provenance(**document["data"]),
            limit=document["limit"],
            prompt_sha256=document["prompt_sha256"],
            model=document["model"],
            generation=document["generation"],
            warnings=tuple(document.get("warnings", ())),
            responses=[_response(row) for row in rows],
            references=[{name: row["doc"][name] for name in FIELDS[condition.task]} for row in rows],
        )
    except (OSError, ValueError, KeyError, TypeError, UnknownNameError) as error:
        raise StoreError(
            f"the record in {folder.root} is not complete ({type(error).__name__}: {error}): the run's own command "
            "writes it anew, and asks nothing twice"
        ) from error


def _response(row: Mapping[str, Any]) -> Response:
    return Response(
        index=row["doc"]["index"],
        status=row["status"],
        text=row["filtered_resps"][0],
        finish_reason=row["finish_reason"],
        reason=row["reason"],
        error=row["error"],
    )


def grade(answers: Answers, settings: JudgeSettings | None, similarity: Similarity | None) -> Graded:
    """Judge and score a run's answers, and write its scored rows and its summary.

    Args:
        answers: of the run.
        settings: the judge; None for metrics without one.
        similarity: for tasks that compare texts; None to leave out what needs it.
    """
    task = tasks.get(answers.condition.task)
    predictions = [response.text for response in answers.responses]
    ids = [response.index for response in answers.responses]
    found = _judge(answers, settings, predictions, ids) if settings else []
    scorer = registry.load("mrarebench_hf.score", task.scorer, kind="scorer")
    warnings = _warnings(answers, settings)
    counts: dict[str, Any] = {"n_truncated": sum(r.finish_reason == "length" for r in answers.responses)}
    if task.compares_texts:
        counts["n_texts_truncated"] = _prepare(similarity, scorer.texts(predictions, answers.references), warnings)
    aids = Aids(similarity if task.compares_texts else None, {one.rubric: one.by_index for one in found})
    scored = scorer.score(predictions, answers.references, ids, aids)
    rows = ({"index": index, **row} for index, row in zip(ids, scored.rows, strict=True))
    document = summary(
        answers.condition,
        provenance=answers.provenance,
        limit=answers.limit,
        prompt_sha256=answers.prompt_sha256,
        model=answers.model,
        generation=answers.generation,
        judge=_described(settings, found) if settings else None,
        det_backend=similarity.name if similarity is not None and task.compares_texts else None,
        parsed_sha256=write_jsonl(answers.folder.parsed, rows),
        counts={**scored.counts, **counts, "failures": answers.failures, "judge_failures": _failures(found)},
        metrics=scored.metrics,
        warnings=[*warnings, *_judge_warnings(found), *scored.warnings],
        groups=scored.groups,
    )
    write_json(answers.folder.summary, document)
    n_answered = sum(response.status == "ok" for response in answers.responses)
    write_json(answers.folder.results(answers.stamp), results_document(answers.folder.tag, document, n_answered))
    return _graded(answers, settings, found)


def _judge(
    answers: Answers, settings: JudgeSettings, predictions: Sequence[str | None], ids: Sequence[str]
) -> list[Verdicts]:
    task = tasks.get(answers.condition.task)
    names = [*task.rubrics, *(task.rubrics_on_request if settings.rare else ())]
    found = []
    for name in names:
        rubric = judge.get(name)
        questions = rubric.questions(ids, predictions, answers.references)
        _LOG.info("%s: %d questions to the judge (%s)", answers.condition.name, len(questions), name)
        found.append(judge.judge(rubric, questions, settings, answers.folder.judged))
    return found


def _prepare(similarity: Similarity | None, texts: Sequence[str], warnings: list[str]) -> int:
    """Embed all texts; how many are longer than the model reads."""
    if similarity is None:
        warnings.append("no similarity of texts was asked for, so the det_* metrics that need it are left out")
        return 0
    similarity.prepare(texts)
    n_truncated: int = similarity.n_truncated(texts)
    if n_truncated:
        warnings.append(f"{n_truncated} texts are longer than {similarity.name} reads; it compares their beginnings")
    return n_truncated


def _warnings(answers: Answers, settings: JudgeSettings | None) -> list[str]:
    warnings = list(answers.warnings)
    n_rows, n_total = answers.provenance.n_rows, len(answers.responses)
    if n_total < n_rows:
        warnings.append(f"only the first {n_total} of {n_rows} cases (--limit {answers.limit})")
    n_truncated = sum(response.finish_reason == "length" for response in answers.responses)
    if n_truncated:
        warnings.append(
            f"{n_truncated} of {n_total} answers were cut at the limit of new tokens; --max-new-tokens raises it"
        )
    if answers.failures:
        warnings.append(
            f"{sum(answers.failures.values())} of {n_total} items have no answer ({_listed(answers.failures)}); they "
            "count as wrong"
        )
    if settings is None and tasks.get(answers.condition.task).compares_texts:
        warnings.append("not judged: these are the judge-free metrics alone (--judge adds the judged ones)")
    return warnings


def _listed(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{reason}: {n}" for reason, n in reasons.items())


def _failures(found: Sequence[Verdicts]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in found:
        total.update(one.reasons)
    return dict(sorted(total.items()))


def _judge_warnings(found: Sequence[Verdicts]) -> list[str]:
    return [
        f"the judge gave no usable verdict on {sum(one.reasons.values())} of {len(one.by_index)} questions of the "
        f"rubric {one.rubric} ({_listed(one.reasons)}); they are left out of its means"
        for one in found
        if one.reasons
    ]


def _described(settings: JudgeSettings, found: Sequence[Verdicts]) -> dict[str, Any]:
    """The judge, for the summary: what can change a verdict, and nothing else."""
    return {
        "name": settings.model,
        "rubrics": {one.rubric: judge.get(one.rubric).sha256 for one in found},
        "temperature": settings.temperature,
        "dropped_parameters": sorted({name for one in found for name in one.dropped}),
    }


def _graded(answers: Answers, settings: JudgeSettings | None, found: Sequence[Verdicts]) -> Graded:
    if settings is None:
        return Graded(0, (), {})
    n_failed, n_questions = sum(_failures(found).values()), sum(len(one.by_index) for one in found)
    stopped = next((one.stopped for one in found if one.stopped), None)
    usage = {"prompt_tokens": 0, "completion_tokens": 0}
    for one in found:
        usage["prompt_tokens"] += one.usage.prompt_tokens or 0
        usage["completion_tokens"] += one.usage.completion_tokens or 0
    facts = {
        "name": settings.model,
        "base_url": settings.endpoint().address,
        "n_questions": n_questions,
        "n_asked": sum(one.n_asked for one in found),
        "n_failed": n_failed,
        "usage": usage,
        "cost_usd": settings.cost(Usage(**usage)),
    }
    _LOG.info(
        "%s: %d questions sent to %s, %d tokens in, %d out%s",
        answers.condition.name,
        facts["n_asked"],
        settings.model,
        usage["prompt_tokens"],
        usage["completion_tokens"],
        "" if facts["cost_usd"] is None else f", {facts['cost_usd']:.4f} dollars",
    )
    if not n_failed:
        return Graded(0, (), {"judge": facts})
    over = settings.max_fail_rate is not None and n_failed > settings.max_fail_rate * n_questions
    why = f"; {stopped}" if stopped else ""
    note = (
        f"{answers.condition.name}: no verdict on {n_failed} of {n_questions} questions ({_listed(_failures(found))})"
        f"{why}; the same command again asks only for those"
    )
    failed = over or stopped is not None or n_failed == n_questions
    return Graded(1 if failed else 3, (note,), {"judge": facts})
