"""The processes of one run: who is the main one, who takes the next chunk, and how they end together.

While generating nobody waits for anybody: chunks are handed out from a counter in the process group's own key-value
store. One process needs neither torch nor accelerate.
"""

from __future__ import annotations

import itertools
import os
from datetime import timedelta
from typing import Any, Protocol

from mrarebench_hf.errors import LaunchError, MissingDependencyError

__all__ = ["Group", "join"]

# Runs of one process group, counted alike in all of its processes: each gets a counter and messages of its own.
_RUNS = itertools.count()


class Group(Protocol):
    """What the loop needs of its fellow processes.

    Attributes:
        rank: this process, from 0; 0 is the main one, which plans, merges and scores.
        world_size: number of processes.
    """

    rank: int
    world_size: int

    def take(self) -> int:
        """The number of the next chunk, from 0; each number goes to one process only."""

    def publish(self, topic: str, message: str) -> None:
        """The main process hands the same text to all others."""

    def receive(self, topic: str) -> str:
        """Wait for what the main process publishes under a topic."""

    def finish(self) -> None:
        """Say that this process has written all it will write; on the main one, wait for all others.

        Raises:
            LaunchError: when the others are not done within the timeout.
        """


class _Alone:
    """A run of one process."""

    rank = 0
    world_size = 1

    def __init__(self) -> None:
        self._next = -1
        self._messages: dict[str, str] = {}

    def take(self) -> int:
        self._next += 1
        return self._next

    def publish(self, topic: str, message: str) -> None:
        self._messages[topic] = message

    def receive(self, topic: str) -> str:
        return self._messages[topic]

    def finish(self) -> None:
        """Nobody to wait for."""


class _Several:
    """A run of several processes, on the key-value store that torch.distributed keeps for them."""

    def __init__(self, store: Any, rank: int, world_size: int, timeout_s: float) -> None:
        self.rank = rank
        self.world_size = world_size
        self._store = store
        self._timeout = timedelta(seconds=timeout_s)

    def take(self) -> int:
        return int(self._store.add("taken", 1)) - 1

    def publish(self, topic: str, message: str) -> None:
        self._store.set(f"topic-{topic}", message)

    def receive(self, topic: str) -> str:
        self._wait([f"topic-{topic}"], f"the main process to give out the {topic}")
        return bytes(self._store.get(f"topic-{topic}")).decode()

    def finish(self) -> None:
        self._store.set(f"done{self.rank}", "1")
        if self.rank == 0:
            self._wait([f"done{rank}" for rank in range(self.world_size)], "the other processes to finish")
            self._store.set("merged", "1")
        else:
            # The store may live in the main process: leaving before it is read would break it for slower ones.
            self._wait(["merged"], "the main process to see that all are done")

    def _wait(self, keys: list[str], purpose: str) -> None:
        from torch.distributed import DistError

        try:
            self._store.wait(keys, self._timeout)
        except (DistError, RuntimeError) as error:
            raise LaunchError(
                f"process {self.rank} gave up waiting for {purpose} after {self._timeout.total_seconds():.0f} s: "
                "a process has died or is much slower (--timeout sets the limit); finished samples are kept, the "
                "same command again takes up where it stopped"
            ) from error


def join(timeout_s: float) -> Group:
    """Find the processes that a launcher started this one with; all of them call it equally often.

    Raises:
        LaunchError: when the launcher's processes do not form one group, as then each would do all the work.
        MissingDependencyError: when there are several processes and no accelerate.
    """
    stated = os.environ.get("WORLD_SIZE") or "1"
    if not stated.isdecimal() or int(stated) < 1:
        raise LaunchError(f"WORLD_SIZE is {stated!r}: a launcher sets it to the number of processes, or unset it")
    wanted = int(stated)
    if wanted == 1:
        return _Alone()
    try:
        import torch
        from accelerate import PartialState
        from torch.distributed import distributed_c10d
    except ImportError as error:
        raise MissingDependencyError("accelerate", "transformers", f"a run of {wanted} processes") from error
    state = PartialState(cpu=not torch.cuda.is_available(), timeout=timedelta(seconds=timeout_s))
    if state.num_processes != wanted:
        raise LaunchError(
            f"{wanted} processes were started but they form a group of {state.num_processes}, so each would do all the "
            f"work: start them with torchrun --nproc_per_node {wanted} -m mrarebench_hf …, or on GPUs with "
            "accelerate launch --multi_gpu -m mrarebench_hf …"
        )
    # The default store is what the launcher gave all processes; torch offers no public name for it.
    store = distributed_c10d.PrefixStore(f"mrarebench/{next(_RUNS)}", distributed_c10d._get_default_store())
    return _Several(store, state.process_index, wanted, timeout_s)
