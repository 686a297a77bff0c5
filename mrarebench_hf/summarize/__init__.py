"""Scores into documents: the versioned summary of a run, and of all runs of a results folder with their contrasts."""
