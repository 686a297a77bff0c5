"""Stage prompt: one of MedVision's samples, the task's variant and the stated geometry in, the text of the prompt out.

Order: what is asked; size and spacing (not for boxes); form of the answer; then, for a chain of thought with steps,
the steps. Facts and order are the published benchmark's; the words are ours.
"""

from __future__ import annotations

from mrarebench_hf.errors import DataFormatError, UsageError
from mrarebench_hf.measured import Geometry, Measure, MeasuredSample
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.prompt import _measurement_words as words
from mrarebench_hf.prompt._inserted import inserted
from mrarebench_hf.prompt._measurement_words import Words

__all__ = ["measurement_prompt"]

_BLANK_LINE = "\n\n"


def measurement_prompt(sample: MeasuredSample, name: TaskName, stated: Geometry) -> str:
    """The text that is asked of one sample; the picture goes before it.

    Args:
        sample: what is measured.
        name: the task, for its family and for whether a chain of thought and its steps are asked for.
        stated: size in pixels and spacing in millimetres as the model sees the picture, scaled already where the task
            asks for it; boxes do not use it.

    Returns:
        The prompt. An empty description or an empty name of a measure leaves its line out. Texts of the file keep
        to their line and cannot add tags.

    Raises:
        UsageError: when the sample is of another family than the task.
        DataFormatError: when the sample lacks what the prompt must name, or its unit is not that of its kind.
    """
    kind = _kind(sample, name)
    if sample.unit != kind.unit:
        raise DataFormatError(
            f"{sample.sample_id}: the unit is {sample.unit!r} where {kind.unit!r} is expected; nothing is converted"
        )
    blocks = [_task(sample, kind)]
    if not name.family.is_box:
        blocks.append(_picture(stated))
    form = words.ONLY_ANSWER_FORM if name.cot else words.DIRECT_FORM
    blocks.append(form.format(numbers=kind.numbers, form=kind.form))
    if name.cot and name.steps:
        blocks.append(_steps(kind))
    return _BLANK_LINE.join(blocks)


def _kind(sample: MeasuredSample, name: TaskName) -> Words:
    if name.family.name != sample.family:
        raise UsageError(f"{sample.sample_id}: a sample of {sample.family} cannot be asked as {name.family.name}")
    if sample.family != "AD":
        return words.BOX if name.family.is_box else words.ELLIPSE
    kind = sample.measure.kind if sample.measure else None
    if kind not in ("distance", "angle"):
        raise DataFormatError(f"{sample.sample_id}: the measure is {kind!r}, neither 'distance' nor 'angle'")
    return words.DISTANCE if kind == "distance" else words.ANGLE


def _task(sample: MeasuredSample, kind: Words) -> str:
    """Description, what is measured, and the question; lines without a text are left out."""
    lines = [words.TASK_HEADING]
    if description := inserted(sample.description):
        lines.append(words.DESCRIPTION.format(description=description))
    if sample.measure is None:
        names = {"structure": _needed(sample, "name of its structure", sample.label_name)}
    else:
        if measure := inserted(sample.measure.name):
            lines.append(words.MEASURE.format(measure=measure))
        names = _landmarks(sample, sample.measure)
    return "\n".join([*lines, kind.task.format(**names)])


def _landmarks(sample: MeasuredSample, measure: Measure) -> dict[str, str]:
    """What the text calls each landmark → what it is."""
    lines = ("first",) if measure.kind == "distance" else ("first", "second")
    if len(measure.lines) != len(lines):
        raise DataFormatError(
            f"{sample.sample_id}: {measure.key} has {len(measure.lines)} lines where a measure of the kind "
            f"{measure.kind!r} has {len(lines)}; see the plan's maps"
        )
    texts = dict(measure.landmarks)
    return {
        f"{line}_{end}": _needed(sample, f"text for landmark {key!r}", texts.get(key, ""))
        for line, keys in zip(lines, measure.lines, strict=True)
        for end, key in zip(("start", "end"), keys, strict=True)
    }


def _needed(sample: MeasuredSample, what: str, text: str) -> str:
    shown = inserted(text)
    if not shown:
        raise DataFormatError(f"{sample.sample_id}: the plan has no {what}, so that nothing can be asked")
    return shown


def _picture(stated: Geometry) -> str:
    (rows, columns), (down, right) = stated.size_px, stated.spacing_mm
    return words.PICTURE.format(width=columns, height=rows, pixel_width=right, pixel_height=down)


def _steps(kind: Words) -> str:
    heading = "\n".join([words.STEPS_HEADING, *([kind.points] if kind.points else [])])
    steps = [words.STEP.format(k=k, what=what, form=form) for k, (what, form) in enumerate(kind.steps, 1)]
    return _BLANK_LINE.join([heading, *steps, words.CLOSING])
