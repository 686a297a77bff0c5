"""How fast T1 replies are scored by both rules, against a plain loop over the published rule alone, in the same run.

    python benchmarks/score_t1.py [N]

Prints replies per second on one core for N distinct replies (default 100,000; ten candidates, about four accepted
names each) and for N/10, so that growth can be seen. Two kinds of replies: "names" draws candidates from a fixed set of
disease names, as models do, "distinct" makes every candidate its own string, so that no cache helps.
The plain loop is what one would write first: regular expressions per line, every pair normalised anew, no early exit.

Last run (two shared cores, CPython 3.11): see docs/metrics.md.
"""

from __future__ import annotations

import random
import re
import string
import sys
import time
from collections.abc import Callable, Sequence

from mrarebench_hf.score.ranked_diagnosis import Reference, aggregate, score_items

_WORDS = """
Alder Berg Castel Darrow Ehren Fabian Gorlitz Hurst Ivers Jouber Kessel Lowen Marfield Nolan Oberst
disease syndrome dystrophy anemia vasculitis dysplasia lipidosis ataxia myopathy nephropathy
familial hereditary X-linked acute juvenile systemic nodular infantile primary diffuse
"""
_EPONYMS, _KINDS, _QUALITIES = (line.split() for line in _WORDS.strip().splitlines())
N_REFERENCES = 300
SAMPLE_OF_PLAIN_LOOP = 2_000


def names(count: int, rng: random.Random) -> list[str]:
    """Distinct made-up disease names of two to five words."""
    found: dict[str, None] = {}
    while len(found) < count:
        eponym = f"{rng.choice(_EPONYMS)}-{rng.choice(_EPONYMS)}"
        end = f" type {rng.randint(1, 9)}" if rng.random() < 0.3 else ""
        found[f"{rng.choice(_QUALITIES)} {eponym} {rng.choice(_KINDS)}{end}"] = None
    return list(found)


def replies(count: int, references: Sequence[Reference], *, distinct: bool, rng: random.Random) -> list[str]:
    """Distinct numbered lists of ten; about half of them hold an accepted name."""
    pool = names(2_000, rng)
    found = []
    for i in range(count):
        lines = [f"{name} {i}{chr(97 + j)}" if distinct else name for j, name in enumerate(rng.sample(pool, 10))]
        if rng.random() < 0.5:
            lines[rng.randrange(10)] = references[i % len(references)].answer
        found.append("\n".join(f"{rank}. {line}" for rank, line in enumerate(lines, 1)))
    return found


def plain_loop(texts: Sequence[str], references: Sequence[Reference]) -> int:
    """The published rule alone, written the obvious way."""

    def normalise(name: str) -> str:
        text = "".join(c for c in name.lower() if c not in string.punctuation)
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())

    def hits(candidate: str, gold: str) -> bool:
        a, b = normalise(candidate), normalise(gold)
        if not a or not b:
            return False
        shared = len(set(a.split()) & set(b.split()))
        return a == b or a in b or b in a or 2 * shared / (len(set(a.split())) + len(set(b.split()))) >= 0.6

    total = 0
    for text, reference in zip(texts, references, strict=True):
        text = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL | re.IGNORECASE)
        found = [m[1].strip() for line in text.splitlines() if (m := re.match(r"\s*\d+[.)]\s*(.+)", line))]
        verdicts = [[hits(c, gold) for gold in reference.names] for c in found[:10]]
        total += any(map(any, verdicts))
    return total


def rate(count: int, work: Callable[[], object]) -> float:
    """Replies per second of one run."""
    start = time.process_time()
    work()
    return count / (time.process_time() - start)


def main(count: int) -> None:
    """Run and print."""
    rng = random.Random(0)
    golds = names(N_REFERENCES * 4, rng)
    references = [Reference(golds[i], golds[i + 1 : i + 4]) for i in range(0, len(golds), 4)]
    print(f"{'candidates':<10} {'replies':>8} {'per second':>10} {'plain loop':>10} {'ratio':>6}  strict recall@10")
    for distinct in (False, True):
        for n in (count // 10, count):
            texts = replies(n, references, distinct=distinct, rng=rng)
            against = [references[i % len(references)] for i in range(n)]
            scored = []
            ours = rate(n, lambda t=texts, a=against, s=scored: s.extend(score_items(t, a)))
            sample = min(n, SAMPLE_OF_PLAIN_LOOP)
            theirs = rate(sample, lambda t=texts, a=against, k=sample: plain_loop(t[:k], a[:k]))
            recall = aggregate(scored).values()["strict_recall@10"]
            kind = "distinct" if distinct else "names"
            print(f"{kind:<10} {n:>8,} {ours:>10,.0f} {theirs:>10,.0f} {ours / theirs:>6.1f}  {recall:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
