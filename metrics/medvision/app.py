"""A small page to try the metric on one answer: python app.py (needs gradio)."""

from pathlib import Path

import evaluate
import gradio

FOLDER = str(Path(__file__).resolve().parent)
CONFIGS = ["detection", "tumor_lesion", "angle_distance"]
EXAMPLE = ["tumor_lesion", "The axes are <answer>12.5, 8.0</answer> mm.", "10.0, 8.0", 250, "spec"]


def score(config, answer, target, diagonal_mm, profile):
    """Score one answer; the target's numbers are separated by commas or spaces."""
    numbers = [float(number) for number in target.replace(",", " ").split()]
    sample = {"target": numbers, "diagonal_mm": diagonal_mm or None, "metric_type": "distance"}
    result = evaluate.load(FOLDER, config).compute(
        predictions=[answer], references=[sample], profile=profile, return_items=True
    )
    return result.pop("items")[0], result


page = gradio.Interface(
    fn=score,
    inputs=[
        gradio.Dropdown(CONFIGS, label="What was measured", value=CONFIGS[0]),
        gradio.Textbox(label="Answer of the model", lines=6),
        gradio.Textbox(label="Numbers of the target"),
        gradio.Number(label="Diagonal of the picture in mm (0: not known)"),
        gradio.Radio(["spec", "medvision_bm"], label="Profile", value="spec"),
    ],
    outputs=[gradio.JSON(label="This sample"), gradio.JSON(label="Metrics")],
    examples=[EXAMPLE],
    title="medvision",
    description="Reads the numbers of an answer and compares them with what was measured, by two profiles.",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
