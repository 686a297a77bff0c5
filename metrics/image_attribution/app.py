"""A small page to try the metric on one answer: python app.py (needs gradio)."""

from pathlib import Path

import evaluate
import gradio

METRIC = evaluate.load(str(Path(__file__).resolve().parent))
EXAMPLE = ["Image 1: a ring-shaped lesion.\nImages 2 and 3 are normal.", 3, "1", "2"]


def numbers(text):
    """The picture numbers of a text such as "1, 2"."""
    return [int(number) for number in text.replace(",", " ").split()]


def score(answer, n_images, decisive, supporting):
    """Score one answer; picture numbers are separated by commas or spaces."""
    case = {"n_images": int(n_images), "decisive": numbers(decisive), "supporting": numbers(supporting)}
    result = METRIC.compute(predictions=[answer], references=[case], return_items=True)
    return result.pop("items")[0], result


page = gradio.Interface(
    fn=score,
    inputs=[
        gradio.Textbox(label="Answer of the model", lines=10),
        gradio.Number(label="Pictures of the case", precision=0),
        gradio.Textbox(label="Numbers of the decisive pictures"),
        gradio.Textbox(label="Numbers of the supporting pictures"),
    ],
    outputs=[gradio.JSON(label="This case"), gradio.JSON(label="Metrics")],
    examples=[EXAMPLE],
    title="image_attribution",
    description="Reads which pictures an answer speaks of and compares them with the decisive ones, by two readings.",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
