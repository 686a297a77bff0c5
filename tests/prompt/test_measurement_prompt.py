"""MedVision's prompts: what each states and asks, what a file's texts cannot do, and that an echo is no answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mrarebench_hf.errors import DataFormatError, UsageError
from mrarebench_hf.families import get
from mrarebench_hf.measured import Geometry, MeasuredSample, View
from mrarebench_hf.measured_names import TaskName
from mrarebench_hf.parse.measurement import read, read_protocol
from mrarebench_hf.prompt import _measurement_words as words
from mrarebench_hf.prompt.measurement import measurement_prompt
from mrarebench_hf.prompt.measurement_template import TEMPLATE_VERSION, template_hash
from mrarebench_hf.prompt.stated_geometry import stated_geometry

SampleOf = Callable[[str], MeasuredSample]
TaskOf = Callable[[str, str], TaskName]
KINDS = ("box", "ellipse", "distance", "angle")
VARIANTS = ("", "-CoT", "-CoT-woInstruct")
N_STEPS = {"box": 1, "ellipse": 4, "distance": 3, "angle": 3}
ANSWERS = {
    "box": "0.1, 0.2, 0.3, 0.4",
    "ellipse": "20.6, 12.9",
    "distance": "41.23",
    "angle": "75.96",
}
# Neither square nor isotropic, so that no two of the four numbers can be swapped unseen.
STATED = Geometry((384, 512), (0.75, 0.4296875))
every = pytest.mark.parametrize(("kind", "variant"), [(kind, variant) for kind in KINDS for variant in VARIANTS])


@every
def test_an_echoed_prompt_is_no_answer(kind: str, variant: str, sample_of: SampleOf, task_of: TaskOf) -> None:
    name = task_of(kind, variant)
    prompt = measurement_prompt(sample_of(kind), name, STATED)
    assert read(prompt, name.family).values is None
    assert read_protocol(prompt, name.family.n_values) == ""
    # Nor is what is left of it when it was cut anywhere.
    for end in range(0, len(prompt), 7):
        assert read(prompt[:end], name.family).values is None
        assert read_protocol(prompt[end:], name.family.n_values) == ""
    answered = read(f"{prompt}\n<answer>{ANSWERS[kind]}</answer>", name.family)
    assert answered.values == tuple(float(number) for number in ANSWERS[kind].split(", "))


@every
def test_the_order_of_the_sections(kind: str, variant: str, sample_of: SampleOf, task_of: TaskOf) -> None:
    prompt = measurement_prompt(sample_of(kind), task_of(kind, variant), STATED)
    sections = ["Task", "Scale", "Answer", "Steps"]
    if kind == "box":
        sections.remove("Scale")
    if variant != "-CoT":
        sections.remove("Steps")
    assert re.findall(r"^## (.+)$", prompt, re.MULTILINE) == sections
    assert ("<think>" in prompt) == (variant != "-CoT-woInstruct")
    assert ("no units" in prompt) == (variant != "")
    assert re.findall(r"<step-(\d)-reasoning>.*</step-\1-reasoning>\n<step-\1-answer>.*</step-\1-answer>", prompt) == [
        str(k + 1) for k in range(N_STEPS[kind] if variant == "-CoT" else 0)
    ]


@pytest.mark.parametrize("kind", ["ellipse", "distance", "angle"])
def test_width_is_columns_and_height_is_rows(kind: str, sample_of: SampleOf, task_of: TaskOf) -> None:
    lines = measurement_prompt(sample_of(kind), task_of(kind, ""), STATED).splitlines()
    assert "Image width × height: 512 × 384 pixels" in lines
    assert "Pixel width × height: 0.430 × 0.750 mm" in lines


def test_stated_numbers_give_back_the_extent_of_a_padded_picture(sample_of: SampleOf, task_of: TaskOf) -> None:
    picture, view = Geometry((300, 500), (0.8, 0.3)), View((336, 336), (201.6, 336))
    prompt = measurement_prompt(sample_of("ellipse"), task_of("ellipse", ""), stated_geometry(picture, view))
    size, spacing = re.findall(r"width × height: (\S+) × (\S+) ", prompt)
    assert size == ("336", "336")
    width, height = (float(text) for text in spacing)
    assert view.content[1] * width == pytest.approx(500 * 0.3, abs=0.0005 * 336)
    assert view.content[0] * height == pytest.approx(300 * 0.8, abs=0.0005 * 202)


def test_a_box_states_neither_size_nor_spacing(sample_of: SampleOf, task_of: TaskOf) -> None:
    sample, name = sample_of("box"), task_of("box", "-CoT")
    prompt = measurement_prompt(sample, name, STATED)
    assert prompt == measurement_prompt(sample, name, Geometry((7, 9), (1.0, 2.0)))
    assert "pixel" not in prompt
    assert " mm" not in prompt


def test_a_scaled_task_asks_as_the_others_do(sample_of: SampleOf, task_of: TaskOf) -> None:
    sample = sample_of("distance")
    plain, scaled = (
        measurement_prompt(sample, task_of("distance", variant), STATED) for variant in ("-CoT", "-CoT-scaledPS")
    )
    assert plain == scaled


def test_an_angle_has_its_pixels_in_millimetres(sample_of: SampleOf, task_of: TaskOf) -> None:
    prompt = measurement_prompt(sample_of("angle"), task_of("angle", "-CoT"), STATED)
    [pixel] = [line for line in prompt.splitlines() if line.startswith("Pixel ")]
    assert pixel.endswith(" mm")
    landmarks = [line.split(": ")[1] for line in prompt.splitlines() if " landmark: " in line]
    assert landmarks == ["the sella turcica", "the nasion", "the gonion", "the menton"]
    assert "not larger than 90 degrees" in prompt
    assert "arccos(|u · v|" in prompt


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_file_does_not_say_leaves_no_gap(kind: str, sample_of: SampleOf, task_of: TaskOf) -> None:
    sample, name = sample_of(kind), task_of(kind, "")
    whole = measurement_prompt(sample, name, STATED).splitlines()
    bare = replace(sample, description=" \n")
    if sample.measure is not None:
        bare = replace(bare, measure=replace(sample.measure, name=""))
    kept = [line for line in whole if not line.startswith(("Image: ", "Measurement: "))]
    assert len(kept) == len(whole) - (1 if sample.measure is None else 2)
    assert measurement_prompt(bare, name, STATED).splitlines() == kept


TAGS = st.sampled_from(
    ["<", ">", "</", "＜", "answer", "<answer>", "</answer>", "</think>", "<think>", "\n", "\r", "\u2028", "1, 2, 3, 4"]
)
FORGED = st.lists(TAGS | st.text(max_size=3), max_size=12).map("".join)
TAG = re.compile(r"[<＜]\s*/?\s*(answer|think)", re.IGNORECASE)


@every
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=FORGED)
def test_no_text_of_a_file_adds_a_tag(kind: str, variant: str, text: str, sample_of: SampleOf, task_of: TaskOf) -> None:
    sample, name, text = sample_of(kind), task_of(kind, variant), f"x{text}"
    forged = replace(sample, description=text, label_name=text)
    if sample.measure is not None:
        landmarks = tuple((key, text) for key, _ in sample.measure.landmarks)
        forged = replace(forged, measure=replace(sample.measure, name=text, landmarks=landmarks))
    honest, prompt = measurement_prompt(sample, name, STATED), measurement_prompt(forged, name, STATED)
    assert len(TAG.findall(prompt)) == len(TAG.findall(honest))
    assert len(prompt.splitlines()) == len(honest.splitlines())
    assert read(prompt, name.family).values is None
    assert read_protocol(prompt, name.family.n_values) == ""


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("box", {"label_name": "\n"}, "the plan has no name of its structure"),
        ("ellipse", {"unit": "cm"}, "the unit is 'cm' where 'mm' is expected"),
        ("angle", {"unit": "mm"}, "the unit is 'mm' where 'degree' is expected"),
        ("distance", {"measure": None}, "the measure is None, neither"),
        ("distance", {"measure": "area"}, "the measure is 'area', neither"),
        ("distance", {"landmarks": (("P1", "the sella turcica"),)}, "the plan has no text for landmark 'P2'"),
        ("angle", {"lines": (("P1", "P2"),)}, "has 1 lines where a measure of the kind 'angle' has 2"),
    ],
)
def test_a_sample_that_cannot_be_asked_is_named(
    kind: str, change: dict[str, object], message: str, sample_of: SampleOf, task_of: TaskOf
) -> None:
    sample = sample_of(kind)
    for field, value in change.items():
        if field in ("landmarks", "lines"):
            sample = replace(sample, measure=replace(sample.measure, **{field: value}))  # type: ignore[type-var]
        elif value == "area":
            sample = replace(sample, measure=replace(sample.measure, kind=value))  # type: ignore[type-var]
        else:
            sample = replace(sample, **{field: value})  # type: ignore[arg-type]
    with pytest.raises(DataFormatError, match=rf"invented\|{kind}: .*{message}"):
        measurement_prompt(sample, task_of(kind, ""), STATED)


def test_a_task_of_another_family_is_refused(sample_of: SampleOf, task_of: TaskOf) -> None:
    with pytest.raises(UsageError, match="a sample of TL cannot be asked as Detection"):
        measurement_prompt(sample_of("ellipse"), task_of("box", ""), STATED)


def test_the_wording_has_a_version() -> None:
    # Other words are another benchmark: raise TEMPLATE_VERSION together with the digest.
    assert (TEMPLATE_VERSION, template_hash()[:16]) == ("1", "944dd356e6443926")
    assert template_hash() == template_hash()


TEXTS = [name for name in words.__all__ if isinstance(getattr(words, name), str)]
FIELDS = [
    (kind, field)
    for kind in ("BOX", "ELLIPSE", "DISTANCE", "ANGLE")
    for field in ("task", "numbers", "form", "points", "steps")
    if getattr(getattr(words, kind), field)
]


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_in_the_hash(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = template_hash()
    monkeypatch.setattr(words, name, getattr(words, name) + ".")
    assert template_hash() != before


@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_every_text_of_a_kind_is_in_the_hash(kind: str, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, old = template_hash(), getattr(words, kind)
    text = getattr(old, field)
    changed = (*text[:-1], (text[-1][0], f"{text[-1][1]}.")) if field == "steps" else f"{text}."
    monkeypatch.setattr(words, kind, replace(old, **{field: changed}))
    assert template_hash() != before


def test_answers_hold_as_many_words_as_numbers() -> None:
    for kind, family in (("BOX", "Detection"), ("ELLIPSE", "TL"), ("DISTANCE", "AD"), ("ANGLE", "AD")):
        form = getattr(words, kind).form
        assert len(form.split(", ")) == get(family).n_values
        assert not re.search(r"\d", form)
