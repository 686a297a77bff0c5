"""Where a task's file is: a folder the user names, ``$LMUData``, then the Hub; and exactly which bytes it holds."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mrarebench_hf.errors import DataNotFoundError

__all__ = ["HUB_REPOSITORY", "Located", "locate"]

HUB_REPOSITORY = "junzhin/MRareBench"
_ROOT = "MRareBench"


@dataclass(frozen=True, slots=True)
class Located:
    """A found benchmark file.

    Attributes:
        path: the file.
        source: "local", or "hub:<repository>".
        revision: the commit that a Hub file was resolved to, None for a local one.
        sha256: hash of its bytes.
    """

    path: Path
    source: str
    revision: str | None
    sha256: str


def locate(folder: str, filename: str, *, data_dir: Path | None = None, revision: str | None = None) -> Located:
    """Find a task's file.

    Args:
        folder: the task's folder below the benchmark's root.
        filename: the task's file.
        data_dir: where to look and nowhere else: the file itself, a folder with it, or with the benchmark's tree.
        revision: revision of the Hub dataset; a pinned revision is taken from the Hub even if a local file exists.

    Raises:
        DataNotFoundError: when it is nowhere; the message lists the places and the ways out.
    """
    tried = list(_local_places(folder, filename, data_dir)) if data_dir is not None or revision is None else []
    for place in tried:
        if place.is_file():
            return Located(place, "local", None, _sha256(place))
    if data_dir is not None:
        raise DataNotFoundError(
            f"no {filename} below {data_dir}: --data-dir takes the folder that holds {folder}/{filename} (tried "
            f"{', '.join(str(p) for p in tried)})"
        )
    return _from_hub(folder, filename, revision, tried)


def _local_places(folder: str, filename: str, data_dir: Path | None) -> Iterator[Path]:
    if data_dir is not None:
        if data_dir.is_file() or data_dir.suffix == ".tsv":
            # One file serves one task: by its name, so that no task is ever read from another's file.
            yield data_dir if data_dir.name == filename else data_dir.parent / filename
            return
        yield data_dir / folder / filename
        yield data_dir / _ROOT / folder / filename
        yield data_dir / filename
    elif root := os.environ.get("LMUData"):
        yield Path(root) / os.environ.get("MRAREBENCH_ROOT", _ROOT) / folder / filename


def _from_hub(folder: str, filename: str, revision: str | None, tried: list[Path]) -> Located:
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    def download(name: str) -> Path:
        return Path(hf_hub_download(HUB_REPOSITORY, name, repo_type="dataset", revision=revision))

    try:
        try:
            path = download(f"{folder}/{filename}")
        except LocalEntryNotFoundError:
            raise
        except EntryNotFoundError:
            files = HfApi().list_repo_files(HUB_REPOSITORY, repo_type="dataset", revision=revision)
            path = download(next(name for name in files if name.rsplit("/", 1)[-1] == filename))
    except StopIteration:
        raise DataNotFoundError(
            f"the Hub dataset {HUB_REPOSITORY} holds no {filename} at revision {revision or 'main'}"
        ) from None
    # What a download raises without a network differs by library and version; all of it means the same to a user.
    except (HfHubHTTPError, HFValidationError, OSError, ValueError, RuntimeError) as error:
        places = ", ".join(str(p) for p in tried) or "$LMUData is not set"
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataNotFoundError(
            f"{filename} is neither on this machine ({places}) nor to be had from the Hub dataset {HUB_REPOSITORY} "
            f"({reason}); give --data-dir, or set LMUData to the folder that holds {_ROOT}/{folder}/{filename}"
        ) from error
    # A file in the Hub's cache lies in a folder named by the commit it was resolved to.
    commit = path.parent.name if "snapshots" not in path.parts else path.parts[path.parts.index("snapshots") + 1]
    return Located(path, f"hub:{HUB_REPOSITORY}", commit, _sha256(path))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
