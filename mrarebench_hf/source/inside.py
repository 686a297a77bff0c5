"""Stage source: paths that files of a benchmark name, which must stay inside the data folder."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from mrarebench_hf.errors import DataFormatError, DataNotFoundError

__all__ = ["file_inside"]


def file_inside(root: Path, relative: str, kind: str) -> Path:
    """The file behind a path of a plan.

    Links are followed wherever they lead: the user made them, for example to keep a dataset on another disk.

    Args:
        root: the data folder.
        relative: path below it, with forward slashes, as a plan has it.
        kind: what the file is, for messages.

    Raises:
        DataFormatError: when the path is absolute or climbs out of the folder.
        DataNotFoundError: when there is no such file.
    """
    parts = PurePosixPath(relative)
    if parts.is_absolute() or ".." in parts.parts or "\\" in relative:
        raise DataFormatError(f"{relative!r} leaves the data folder {root}: a {kind} must lie below it")
    path = root / relative
    try:
        found = path.is_file()
    except (OSError, ValueError) as error:
        raise DataFormatError(f"{relative!r} is no usable path of a {kind}: {error}") from None
    if not found:
        dataset = parts.parts[1] if len(parts.parts) > 2 and parts.parts[0] == "Datasets" else "that it belongs to"
        raise DataNotFoundError(
            f"no {kind} {relative} below {root}: fetch the dataset {dataset} into that folder first"
        )
    return path
