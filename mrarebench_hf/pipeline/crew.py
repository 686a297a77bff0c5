"""How the processes of a run share it: the main one decides, all ask, and nobody waits for one that is gone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from tqdm import tqdm

from mrarebench_hf.errors import LaunchError
from mrarebench_hf.model import Backend
from mrarebench_hf.records import Response
from mrarebench_hf.run import loop
from mrarebench_hf.run.group import Group
from mrarebench_hf.run.plan import Chunk, Item
from mrarebench_hf.run.work import Work
from mrarebench_hf.store import journal

__all__ = ["DATA", "PLAN", "infer", "leading", "receive"]

# What the main process tells the others: that the data is prepared, what is to be asked, or that it has stopped.
DATA = "data"
PLAN = "plan"
_STOP = "!"


@contextlib.contextmanager
def leading(group: Group) -> Iterator[None]:
    """The main process's part; whatever ends it early, the others must not wait for a process that is gone."""
    try:
        yield
    except BaseException as error:
        for topic in (DATA, PLAN):
            group.publish(topic, _STOP + (str(error) or type(error).__name__))
        raise


def receive(group: Group, topic: str) -> str:
    """Wait for a message of the main process.

    Raises:
        LaunchError: when it has stopped.
    """
    message = group.receive(topic)
    if message.startswith(_STOP):
        raise LaunchError(f"the main process stopped: {message.removeprefix(_STOP)}")
    return message


def infer(works: Sequence[Work], plan: Sequence[Chunk], backend: Backend, group: Group, title: str) -> None:
    """Work through a plan together with the others; every answer is on the disk when this returns."""
    by_name = {work.name: work for work in works}
    with contextlib.ExitStack() as stack:
        journals = {
            name: stack.enter_context(journal.Journal(work.folder.cache, work.folder.tag, group.rank))
            for name, work in by_name.items()
            if any(chunk.items[0].work == name for chunk in plan)
        }
        # The bar counts what all processes have taken; a terminal alone sees it.
        shown = None if group.rank == 0 and plan else True
        bar = stack.enter_context(tqdm(total=len(plan), unit="batch", desc=title, disable=shown))

        def store(item: Item, response: Response) -> None:
            journals[item.work].append(by_name[item.work].entry(item, response))

        def progress(n_taken: int) -> None:
            bar.update(n_taken - bar.n)

        feed = loop.Feed(
            request=lambda item: by_name[item.work].request(item.row),
            explain=lambda item: by_name[item.work].explain(item),
            store=store,
            progress=progress,
        )
        loop.run(plan, backend, group, feed)
