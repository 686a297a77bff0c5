"""A small page to try the metric on one case: python app.py (needs gradio)."""

from pathlib import Path

import evaluate
import gradio

METRIC = evaluate.load(str(Path(__file__).resolve().parent))
EXAMPLE = ["1 macro_pattern\n0 modality\n1 cross_image_integration"]


def score(points):
    """Score one case; a line per point, its verdict (1, 0 or -) and its category."""
    lines = [line.split(maxsplit=1) for line in points.splitlines() if line.strip()]
    verdicts = [None if verdict == "-" else int(verdict) for verdict, _ in lines]
    categories = [category.strip() for _, category in lines]
    result = METRIC.compute(predictions=[verdicts], references=[categories], return_items=True)
    return result.pop("items")[0], result


page = gradio.Interface(
    fn=score,
    inputs=[gradio.Textbox(label="Per line: 1, 0 or - (no verdict), and the category", lines=8)],
    outputs=[gradio.JSON(label="This case"), gradio.JSON(label="Metrics")],
    examples=[EXAMPLE],
    title="hierarchical_recall",
    description="Credit for evidence on a level only where all evidence of the level below was found.",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
