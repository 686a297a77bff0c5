"""Moved to mrarebench_hf.parse.evidence_points."""

from mrarebench_hf.parse.evidence_points import BUCKETS, Points, bucket, points_of

__all__ = ["BUCKETS", "Points", "bucket", "points_of"]
