"""Stage prompt: a case and an input condition in, what a model is shown out; pure.

Structure: the published benchmark's (per picture its label and the picture, then one text); the words are ours.
"""

from __future__ import annotations

from mrarebench_hf.prompt.compose import assemble, build, final_text, shown_label
from mrarebench_hf.prompt.template import template_sha256
from mrarebench_hf.prompt.withhold import leaks, statement_of, without_diagnosis, without_name

__all__ = [
    "assemble",
    "build",
    "final_text",
    "leaks",
    "shown_label",
    "statement_of",
    "template_sha256",
    "without_diagnosis",
    "without_name",
]
