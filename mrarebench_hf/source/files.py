"""Stage source: a picture's path as a benchmark file states it in, the picture's bytes out; never from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath

from mrarebench_hf.errors import DataFormatError, PictureError

__all__ = ["read_picture"]

_MAX_BYTES = 1 << 30


def read_picture(table: Path, stated: str, on_file: Callable[[Path], None]) -> bytes:
    """Read the picture that ``image_path`` states, relative to the folder of its table.

    Args:
        table: the benchmark file.
        stated: relative path, with either system's separators.
        on_file: told of the file once its path is found harmless.

    Raises:
        DataFormatError: when the path is absolute or leads out of the folder, also by a link.
        PictureError: when there is no such file, or it cannot be read.
    """
    parts = PurePosixPath(stated.replace("\\", "/"))
    if parts.is_absolute() or PureWindowsPath(stated).drive or ".." in parts.parts or "\0" in stated:
        raise DataFormatError(f"image_path {stated!r} leaves the data folder")
    target = table.parent / parts
    try:
        real = target.resolve()
        if not any(real.is_relative_to(root) for root in _roots(table)):
            raise DataFormatError(f"image_path {stated!r} is a link out of the data folder")
        on_file(real)
        if real.stat().st_size > _MAX_BYTES:
            raise PictureError(f"the file {stated!r} has more than {_MAX_BYTES} bytes")
        return real.read_bytes()
    except FileNotFoundError:
        raise PictureError(f"no file {stated!r} beside the benchmark file") from None
    except RuntimeError:  # what Python before 3.13 makes of links that go round
        raise PictureError(f"the file {stated!r} is a link to itself") from None
    except OSError as error:
        raise PictureError(f"the file {stated!r} cannot be read: {error.strerror}") from None


def _roots(table: Path) -> list[Path]:
    """Where a picture may lie: the table's folder, and for the Hub's cache, which is all links, its store of files."""
    roots = [table.parent.resolve()]
    for folder in table.absolute().parents:
        if folder.name == "snapshots" and (folder.parent / "blobs").is_dir():
            roots.append((folder.parent / "blobs").resolve())
    return roots
