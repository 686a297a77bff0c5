"""Responses and documents on disk: what a killed run leaves, and how the next one takes it up.

Comes in: finished responses, one at a time. Goes out: the latest good response of every item.
See ``docs/design/store.md`` for what is and is not recoverable.
"""
