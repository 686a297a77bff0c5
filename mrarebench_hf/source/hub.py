"""Stage source: the name of a file in a Hub dataset in, its path in the local Hub cache and its commit out.

The layout of the repository is not known beforehand, so its file list decides. Without network, or in offline mode,
what the cache holds is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from mrarebench_hf.errors import DataNotFoundError

__all__ = ["Wanted", "fetch"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file by its name, and where in a repository it is likely to be, likeliest first."""

    filename: str
    places: tuple[str, ...]

    def among(self, names: Iterable[str]) -> str | None:
        """The best match among a repository's files, None when there is none."""
        present = sorted(names, key=lambda name: (name.count("/"), name))
        likely = [place for place in self.places if place in present]
        anywhere = [name for name in present if PurePosixPath(name).name == self.filename]
        return next(iter([*likely, *anywhere]), None)


def fetch(repository: str, revision: str | None, wanted: Wanted) -> tuple[Path, str]:
    """Download a file of a dataset repository, or find it in the cache.

    Returns:
        Its path and the commit that ``revision`` (the main branch when None) stands for.

    Raises:
        DataNotFoundError: in words that end without a full stop, for the caller to go on with.
    """
    from huggingface_hub import HfApi, hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # The class that all errors of its HTTP client derive from, whichever client this version has.
    network: Any = HfHubHTTPError.__bases__[0]
    at = f" at revision {revision!r}" if revision else ""
    try:
        info = HfApi().dataset_info(repository, revision=revision)
        name = wanted.among(file.rfilename for file in info.siblings or ())
        if name is None:
            raise DataNotFoundError(f"the Hub dataset {repository}{at} holds no file of that name")
        # By the name of the revision, not its commit: so the cache learns what the name stands for, for offline use.
        path = Path(hf_hub_download(repository, name, repo_type="dataset", revision=revision))
        return path, _commit(path, name)
    except OfflineModeIsEnabled:
        return _cached(repository, revision, wanted, "offline mode is on (HF_HUB_OFFLINE)")
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else None
        if status is None or status >= 500:
            return _cached(repository, revision, wanted, f"the Hub answered {status}")
        raise DataNotFoundError(f"the Hub dataset {repository}{at} cannot be had: {_first_line(error)}") from None
    except (network, OSError) as error:
        return _cached(repository, revision, wanted, f"the Hub cannot be reached ({_first_line(error)})")


def _cached(repository: str, revision: str | None, wanted: Wanted, why: str) -> tuple[Path, str]:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    at = f" at revision {revision!r}" if revision else ""
    try:
        folder = Path(snapshot_download(repository, repo_type="dataset", revision=revision, local_files_only=True))
    except (LocalEntryNotFoundError, OSError):
        raise DataNotFoundError(f"{why}, and {repository}{at} is not in the cache") from None
    files = (path.relative_to(folder).as_posix() for path in folder.rglob(wanted.filename))
    name = wanted.among(files)
    if name is None:
        raise DataNotFoundError(f"{why}, and the cached part of {repository}{at} lacks the file")
    return folder / name, folder.name


def _commit(path: Path, name: str) -> str:
    """The commit of a file in the Hub's cache: the folder of its snapshot."""
    return path.parents[name.count("/")].name


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
