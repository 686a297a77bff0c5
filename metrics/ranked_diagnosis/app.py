"""A small page to try the metric on one reply: python app.py (needs gradio)."""

from pathlib import Path

import evaluate
import gradio

METRIC = evaluate.load(str(Path(__file__).resolve().parent))
EXAMPLE = ["1. Pompe disease\n2. Fabry disease\n3. Gout", "Fabry disease", "Anderson-Fabry disease; FD"]


def score(reply, answer, aliases):
    """Score one reply; aliases are separated by semicolons."""
    names = [name.strip() for name in aliases.split(";") if name.strip()]
    result = METRIC.compute(predictions=[reply], references=[{"answer": answer, "aliases": names}], return_items=True)
    return result.pop("items")[0], result


page = gradio.Interface(
    fn=score,
    inputs=[
        gradio.Textbox(label="Reply of the model", lines=10),
        gradio.Textbox(label="Diagnosis"),
        gradio.Textbox(label="Other accepted names, separated by ;"),
    ],
    outputs=[gradio.JSON(label="This case"), gradio.JSON(label="Metrics")],
    examples=[EXAMPLE],
    title="ranked_diagnosis",
    description="Reads a ranked list of diagnoses and looks for the right one, by two rules.",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
