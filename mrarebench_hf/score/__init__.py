"""Metric mathematics: each public module here scores one kind of answer, named as tasks name it; pure, no I/O."""
