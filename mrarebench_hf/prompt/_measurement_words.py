"""Stage prompt, shared: every word of MedVision's prompts that is ours; facts and order are the published ones.

Texts hold ``{names}`` for ``str.format``. Two rules for whoever changes them: what stands between answer tags holds no
digit, and each opening tag is closed right behind its content, so that a prompt that is echoed never counts as an
answer; and ``TEMPLATE_VERSION`` goes up.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ANGLE",
    "BOX",
    "CLOSING",
    "DESCRIPTION",
    "DIRECT_FORM",
    "DISTANCE",
    "ELLIPSE",
    "MEASURE",
    "ONLY_ANSWER_FORM",
    "PICTURE",
    "STEP",
    "STEPS_HEADING",
    "TASK_HEADING",
    "Words",
]


@dataclass(frozen=True, slots=True)
class Words:
    """What is particular to one kind of question.

    Attributes:
        task: what is measured and in which unit, with the names from the file.
        unit: what a sample of the kind has as its unit.
        numbers: which numbers the answer holds, and in which order.
        form: a word for each of them.
        points: how points are written in steps; "" where the answer's numbers say so already.
        steps: what each step does, and what its answer holds.
    """

    task: str
    unit: str
    numbers: str
    form: str
    points: str
    steps: tuple[tuple[str, str], ...]


TASK_HEADING = "## Task"
DESCRIPTION = "Image: {description}"
MEASURE = "Measurement: {measure}"

PICTURE = """\
## Scale
Image width × height: {width} × {height} pixels
Pixel width × height: {pixel_width:.3f} × {pixel_height:.3f} mm"""

DIRECT_FORM = """\
## Answer
{numbers}
Think first, then give the result, in this form:
<think>your reasoning</think>
<answer>{form}</answer>
Put your own numbers in place of the words between the answer tags."""

ONLY_ANSWER_FORM = """\
## Answer
{numbers}
Your reply must contain the result in this form:
<answer>{form}</answer>
Put your own numbers in place of the words between the answer tags. Write no units and no other text there."""

STEPS_HEADING = "## Steps"
STEP = """\
Step {k}: {what}
<step-{k}-reasoning>your reasoning</step-{k}-reasoning>
<step-{k}-answer>{form}</step-{k}-answer>"""
CLOSING = """\
Go through every step in this order. Put all of it, with the tags shown, in one block <think>your steps</think>, and \
after that block give the result in the form asked for under "Answer"."""

_POINTS = (
    "Write a point as two fractions x, y of the whole image: x goes from 0 at the left border to 1 at the right "
    "border, y from 0 at the bottom border to 1 at the top border."
)
_LENGTH = (
    "√((({to}x − {start}x) × image width × pixel width)² + (({to}y − {start}y) × image height × pixel height)²), "
    "in millimetres."
)
_A_TO_B = _LENGTH.format(start="a", to="b")
_C_TO_D = _LENGTH.format(start="c", to="d")

BOX = Words(
    task="""\
Structure: {structure}
Locate this structure in the image. Give its bounding box: the smallest rectangle with sides parallel to the borders \
of the image that contains all of the structure.""",
    unit="",
    numbers="""\
Four decimal numbers between 0 and 1, separated by commas, without units: x and y of the lower-left corner of the box, \
then x and y of its upper-right corner. x is a fraction of the image width, y a fraction of the image height. The \
origin is the lower-left corner of the image; x grows to the right, y grows upwards.""",
    form="left, bottom, right, top",
    points="",
    steps=(("Find the two corners of the bounding box.", "left, bottom, right, top"),),
)

ELLIPSE = Words(
    task="""\
Structure: {structure}
Measure the size of this structure in the image. Take the ellipse that encloses it and give the full lengths of the \
major axis and of the minor axis, from end to end, in millimetres.""",
    unit="mm",
    numbers="""\
Two decimal numbers, separated by a comma: the length of the major axis, then the length of the minor axis, in \
millimetres.""",
    form="major axis, minor axis",
    points=_POINTS,
    steps=(
        ("Find the two ends a and b of the major axis.", "ax, ay, bx, by"),
        ("Find the two ends c and d of the minor axis.", "cx, cy, dx, dy"),
        (f"Work out the length of the major axis: {_A_TO_B}", "major axis"),
        (f"Work out the length of the minor axis: {_C_TO_D}", "minor axis"),
    ),
)

DISTANCE = Words(
    task="""\
First landmark: {first_start}
Second landmark: {first_end}
Measure the straight distance between the two landmarks in the image, in millimetres.""",
    unit="mm",
    numbers="One decimal number: the distance in millimetres.",
    form="distance",
    points=_POINTS,
    steps=(
        ("Find the first landmark, a.", "ax, ay"),
        ("Find the second landmark, b.", "bx, by"),
        (f"Work out the distance: {_A_TO_B}", "distance"),
    ),
)

ANGLE = Words(
    task="""\
First line, from landmark: {first_start}
First line, to landmark: {first_end}
Second line, from landmark: {second_start}
Second line, to landmark: {second_end}
Measure the angle between the two lines in the image, in degrees. The lines have no direction: of the two angles at \
which they cross, give the one that is not larger than 90 degrees.""",
    unit="degree",
    numbers="One decimal number from 0 to 90: the angle in degrees.",
    form="angle",
    points=_POINTS,
    steps=(
        ("Find the two landmarks a and b of the first line.", "ax, ay, bx, by"),
        ("Find the two landmarks c and d of the second line.", "cx, cy, dx, dy"),
        (
            """\
Work out the angle. In millimetres, the first line is the vector u = ((bx − ax) × image width × pixel width, \
(by − ay) × image height × pixel height), and the second line is v, likewise from c to d. The angle is \
arccos(|u · v| / (|u| × |v|)), in degrees.""",
            "angle",
        ),
    ),
)
