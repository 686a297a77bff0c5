"""The Hub-ready repository: loads as it is, in this version of datasets and in the last one that took scripts."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from PIL import Image
from tsv_files import T1, b64, encoded, t1, write

from mrarebench_hf import conditions, shipped
from mrarebench_hf.cli import main
from mrarebench_hf.dataset import prepare, repository
from mrarebench_hf.dataset.repository import build
from mrarebench_hf.errors import StoreError, UsageError

NAMES = [name for c in conditions.CONDITIONS for name in (c.name, c.long_name)]
DATASETS3 = os.environ.get("MRAREBENCH_DATASETS3_PYTHON")
# Rows as text that does not depend on the version: pictures by their hashes.
LISTING = """
import hashlib, json, sys, datasets
source, names, options = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
found = {}
for name in names:
    dataset = datasets.load_dataset(source, name, split="test", **options)
    pictures = [[[p.mode, p.size] for p in row["images"]] for row in dataset]
    rows = [
        {k: [hashlib.sha256(p["bytes"]).hexdigest() for p in v] if k == "images" else v for k, v in row.items()}
        for row in dataset.with_format("arrow").data.to_pylist()
    ] if hasattr(dataset.with_format("arrow"), "data") else []
    found[name] = [dataset.column_names, pictures, rows]
print(json.dumps(found))
"""


def listing(python: str, source: str, names: list[str], cwd: Path, **options: Any) -> Any:
    environment = {**os.environ, "HF_DATASETS_CACHE": str(cwd / f"cache-{abs(hash((python, source, str(options))))}")}
    command = [python, "-c", LISTING, source, json.dumps(names), json.dumps(options)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_beside_the_folder_the_verbatim_call_works(data: Path, tmp_path: Path) -> None:
    prepared = build("mrarebench", data_dir=data)
    found = listing(sys.executable, "mrarebench", NAMES, tmp_path)
    assert list(found) == NAMES
    for one in prepared.values():
        columns, pictures, rows = found[one.condition.name]
        assert columns == one.dataset().column_names
        assert [len(p) for p in pictures] == [len(row["images"]) for row in one.dataset()]
        expected = [
            {k: [hashlib.sha256(p["bytes"]).hexdigest() for p in v] if k == "images" else v for k, v in row.items()}
            for row in one.dataset(decode=False)
        ]
        assert rows == expected
        assert found[one.condition.long_name] == found[one.condition.name]


@pytest.mark.filterwarnings("ignore")
def test_default_config_streaming_and_split_names(data: Path, cache: Path) -> None:
    build("mrarebench", data_dir=data)
    assert datasets.get_dataset_config_names("./mrarebench") == NAMES
    assert datasets.get_dataset_split_names("./mrarebench", "Diagnosis_FD") == ["test"]
    assert len(datasets.load_dataset("./mrarebench", split="test", cache_dir=str(cache))) == 2
    [first, _] = datasets.load_dataset("./mrarebench", "EvidenceVerif", split="test", streaming=True)
    assert first["images"][0].size == (40, 30)


@pytest.mark.filterwarnings("ignore")
def test_a_new_build_is_not_mistaken_for_the_old(data: Path, cache: Path) -> None:
    def answers() -> list[str]:
        build("mrarebench", ["Diagnosis_TO"], data_dir=data)
        dataset = datasets.load_dataset("./mrarebench", "Diagnosis_TO", split="test", cache_dir=str(cache / "other"))
        return list(dataset["answer"])

    path = data / "MRareBench" / "diagnosis" / T1
    for answer in ("one", "two", "one"):
        write(path, [t1("0", answer=answer)])
        assert answers() == [answer]


def test_card_and_marks(data: Path, tmp_path: Path) -> None:
    build(tmp_path / "anything", ["MRareBench_EvidenceVerif", "Diagnosis_TO"], data_dir=data)
    text = (tmp_path / "anything" / "README.md").read_text(encoding="utf-8")
    assert "@@" not in text
    head = yaml.safe_load(text.split("---\n")[1])
    assert [c["config_name"] for c in head["configs"] if c.get("default")] == ["EvidenceVerif"]
    info = {i["config_name"]: i for i in head["dataset_info"]}
    kinds = {f["name"]: f for f in info["MRareBench_EvidenceVerif"]["features"]}
    assert kinds["images"] == {"name": "images", "sequence": "image"}
    assert kinds["decisive_image_ids"]["sequence"] == "int64"
    assert [f["name"] for f in kinds["evidence_points"]["list"]] == ["image", "point", "category", "credit"]
    assert info["Diagnosis_TO"]["splits"][0]["num_examples"] == 2
    assert "not for clinical use" in text
    evaluation = yaml.safe_load((tmp_path / "anything" / "eval.yaml").read_text(encoding="utf-8"))
    assert [t["config"] for t in evaluation["tasks"]] == ["EvidenceVerif", "Diagnosis_TO"]


def test_br12_row_groups_are_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = b64(encoded(Image.effect_noise((60, 60), 90)))
    write(tmp_path / T1, [t1(str(i), [picture] * 3) for i in range(250)])
    build("out", ["Diagnosis", "Diagnosis_TO"], data_dir=tmp_path)
    monkeypatch.setattr(repository, "_GROUP_BYTES", 100_000)
    build("small", ["Diagnosis"], data_dir=tmp_path)
    for folder, name in (("out", "Diagnosis"), ("out", "Diagnosis_TO"), ("small", "Diagnosis")):
        [path] = (tmp_path / folder / "data" / name).iterdir()
        meta = pq.read_metadata(path)
        groups = [meta.row_group(i) for i in range(meta.num_row_groups)]
        assert sum(group.num_rows for group in groups) == 250
        assert max(group.num_rows for group in groups) <= 100
        assert max(group.total_byte_size for group in groups) <= 500e6
        assert b"huggingface" not in (pq.read_schema(path).metadata or {})
    # Written from batches of up to 100 rows, a group is at least one batch.
    assert max(group.num_rows for group in groups) <= 100


def test_an_earlier_build_is_replaced_and_nothing_else_is(data: Path, tmp_path: Path) -> None:
    build("mrarebench", ["Diagnosis", "Diagnosis_TO"], data_dir=data)
    build("mrarebench", ["Diagnosis_TO"], data_dir=data)
    assert [path.name for path in (tmp_path / "mrarebench" / "data").iterdir()] == ["Diagnosis_TO"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    with pytest.raises(UsageError, match=r"mine holds something that mrarebench build did not write.*--force"):
        build("mine", ["Diagnosis_TO"], data_dir=data)
    build("mine", ["Diagnosis_TO"], data_dir=data, force=True)
    assert (tmp_path / "mine.old-1" / "thesis.txt").read_text() == "precious"
    assert (tmp_path / "mine" / "README.md").is_file()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file is a file; a repository is a folder"):
        build("file", ["Diagnosis_TO"], data_dir=data)
    (tmp_path / "empty").mkdir()
    build("empty", ["Diagnosis_TO"], data_dir=data)
    assert not list(tmp_path.glob(".*"))


def test_br14_a_stray_script_in_the_folder_is_named(data: Path, tmp_path: Path) -> None:
    build("mrarebench", ["Diagnosis_TO"], data_dir=data)
    (tmp_path / "mrarebench" / "mrarebench.py").write_text("# an old loading script")
    with pytest.raises(UsageError, match=r"mrarebench.py makes datasets refuse the folder .*: move it away"):
        build("mrarebench", ["Diagnosis_TO"], data_dir=data)


def test_a_failed_build_leaves_the_old_one(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build("mrarebench", ["Diagnosis_TO"], data_dir=data)
    before = (tmp_path / "mrarebench" / "README.md").read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(repository, "_write_parquet", fail)
    with pytest.raises(StoreError, match=r"mrarebench cannot be written: .*No space left"):
        build("mrarebench", ["Diagnosis"], data_dir=data)
    assert (tmp_path / "mrarebench" / "README.md").read_bytes() == before
    assert not (tmp_path / ".mrarebench.new").exists()


def test_the_verb(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "mrarebench", "--data-dir", str(data)]) == 0
    assert 'ds = load_dataset("./mrarebench", "Diagnosis_TO", split="test")' in capsys.readouterr().out
    assert main(["build", str(data), "--data-dir", str(data)]) == 2
    assert "--force" in capsys.readouterr().err


def test_no_script_is_ever_in_a_repository(data: Path, tmp_path: Path) -> None:
    build("mrarebench", data_dir=data)
    assert not list((tmp_path / "mrarebench").rglob("*.py"))
    assert (shipped.path("loading_script") / "mrarebench.py").is_file()


@pytest.mark.skipif(not DATASETS3, reason="MRAREBENCH_DATASETS3_PYTHON names no Python with datasets 3.6")
def test_datasets_3_reads_the_repository_and_the_script_the_same(data: Path, tmp_path: Path) -> None:
    build("mrarebench", data_dir=data)
    assert DATASETS3
    prepare(data_dir=data)
    new = listing(sys.executable, "mrarebench", NAMES, tmp_path)
    old = listing(DATASETS3, "mrarebench", NAMES, tmp_path)
    script = str(shipped.path("loading_script") / "mrarebench.py")
    options = {"data_dir": str(tmp_path / "mrarebench"), "trust_remote_code": True}
    by_script = listing(DATASETS3, script, NAMES, tmp_path, **options)
    assert old == new
    assert by_script == new
