"""A small page to try the metric on one answer: python app.py (needs gradio)."""

from pathlib import Path

import evaluate
import gradio

METRIC = evaluate.load(str(Path(__file__).resolve().parent))
EXAMPLE = [
    "**Image 1:**\n- A dark ring with a bright core.\n\nTaken together, this is an abscess.",
    "Image 1 | A dark ring.\nImage 2 | Restricted diffusion.",
    "A ring with restricted diffusion is an abscess.",
    "tfidf",
]


def score(answer, points, rationale, backend):
    """Score one answer; a line per required point, its picture before a bar."""
    entries = []
    for line in points.splitlines():
        image, bar, point = line.partition("|")
        entries.append(
            {"image": image.strip() if bar else None, "point": point if bar else image, "credit": "required"}
        )
    case = {"points": entries, "rationale": rationale}
    result = METRIC.compute(predictions=[answer], references=[case], backend=backend, return_items=True)
    return result.pop("items")[0], result


page = gradio.Interface(
    fn=score,
    inputs=[
        gradio.Textbox(label="Answer of the model", lines=10),
        gradio.Textbox(label="Required points, one a line: Image 1 | what is seen", lines=4),
        gradio.Textbox(label="Rationale", lines=3),
        gradio.Radio(["minilm", "tfidf"], label="Similarity"),
    ],
    outputs=[gradio.JSON(label="This case"), gradio.JSON(label="Metrics")],
    examples=[EXAMPLE],
    title="evidence_overlap",
    description="How much of the reference evidence the sentences of an answer resemble, by two readings.",
    flagging_mode="never",
)

if __name__ == "__main__":
    page.launch()
