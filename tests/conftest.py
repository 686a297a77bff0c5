"""What every test stands on: no network, no user's caches or keys, no progress bars, one thread per process.

The environment is set while this file is imported, because the Hugging Face libraries read theirs on import.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

_SECRETS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_OURS = (
    "LMUData",
    "MRAREBENCH_ROOT",
    "MEDVISION_RESP_CACHE",
    "MedVision_DATA_DIR",
    "T2_EMBED_MODEL",
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
)
_CACHES = {
    "HF_HOME": "hf",
    "HF_HUB_CACHE": "hf/hub",
    "HF_DATASETS_CACHE": "hf/datasets",
    "HF_MODULES_CACHE": "hf/modules",
    "HF_METRICS_CACHE": "hf/metrics",
    "HF_EVALUATE_CACHE": "hf/evaluate",
    "HF_ASSETS_CACHE": "hf/assets",
}


def _seal_environment() -> Path:
    home = Path(tempfile.mkdtemp(prefix="mrarebench-tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    for name in (*_SECRETS, *_OURS):
        os.environ.pop(name, None)
    os.environ.update({name: str(home / place) for name, place in _CACHES.items()})
    os.environ.update(
        HF_HUB_OFFLINE="1",
        HF_DATASETS_DISABLE_PROGRESS_BARS="1",
        HF_HUB_DISABLE_PROGRESS_BARS="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        HF_EVALUATE_OFFLINE="1",
        TRANSFORMERS_VERBOSITY="error",
        TOKENIZERS_PARALLELISM="false",
        OMP_NUM_THREADS="1",
        MKL_NUM_THREADS="1",
    )
    return home


_HOME = _seal_environment()
assert "datasets" not in sys.modules, "a plugin imported datasets before its caches were redirected"


@pytest.fixture(autouse=True)
def _sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what a test does to the environment, and keep torch to one thread wherever it is loaded."""
    for name in (*_SECRETS, *_OURS):
        monkeypatch.delenv(name, raising=False)
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def demo_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the synthetic mini-benchmark (what ``--data-dir`` takes); not to be written to."""
    from mrarebench_hf.demo import write_benchmark

    folder = tmp_path_factory.mktemp("data")
    write_benchmark(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_vlm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the demo's tiny LLaVA; not to be written to."""
    pytest.importorskip("transformers")
    from mrarebench_hf.demo import write_tiny_vlm

    return write_tiny_vlm(tmp_path_factory.mktemp("model") / "tiny-vlm")


@pytest.fixture(scope="session")
def demo_volumes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder of MedVision with synthetic volumes, and task lists in it; not to be written to."""
    from mrarebench_hf.demo import write_task_lists, write_volumes

    folder = tmp_path_factory.mktemp("volumes")
    write_volumes(folder)
    write_task_lists(folder)
    return folder
