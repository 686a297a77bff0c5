"""Inference: which samples are still wanted, who asks them, and the loop that does.

Comes in: prompts and an opened model. Goes out: lines in the response journals, nothing else.
"""
