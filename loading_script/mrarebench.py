"""MRareBench for versions of `datasets` before 4, which take a loading script; later ones read the repository itself.

    load_dataset("path/to/mrarebench.py", "Diagnosis_TO", data_dir="mrarebench", split="test", trust_remote_code=True)

`data_dir` is a repository folder that `mrarebench build` wrote; without it the Hub repository is read. The rows are
those of the repository's Parquet files. Never put this file into such a folder: newer versions then refuse it.
"""

import glob
import os

import datasets
import pyarrow as pa
import pyarrow.parquet as pq

_REPOSITORY = "https://huggingface.co/datasets/junzhin/MRareBench/resolve/main"
_CONDITIONS = ("Diagnosis", "Diagnosis_FD", "Diagnosis_TO", "EvidenceVerif", "EvidenceVerif_TO", "EvidenceVerif_NoDx")
_PREFIX = "MRareBench_"
_ROWS_PER_BATCH = 8

_TEXT = datasets.Value("string")
_TYPES = {
    "images": datasets.Sequence(datasets.Image()),
    "image_labels": datasets.Sequence(_TEXT),
    "answer_aliases": datasets.Sequence(_TEXT),
    "evidence_points": [{"image": _TEXT, "point": _TEXT, "category": _TEXT, "credit": _TEXT}],
    "decisive_image_ids": datasets.Sequence(datasets.Value("int64")),
    "supporting_image_ids": datasets.Sequence(datasets.Value("int64")),
    "n_images": datasets.Value("int64"),
}


class MRareBench(datasets.ArrowBasedBuilder):
    """One config per input condition, under its short and its long name."""

    VERSION = datasets.Version("1.0.0")
    DEFAULT_CONFIG_NAME = "Diagnosis"
    BUILDER_CONFIGS = [
        datasets.BuilderConfig(name=prefix + name, version=datasets.Version("1.0.0"))
        for name in _CONDITIONS
        for prefix in ("", _PREFIX)
    ]

    def _info(self):
        return datasets.DatasetInfo()

    def _split_generators(self, dl_manager):
        condition = self.config.name[len(_PREFIX) :] if self.config.name.startswith(_PREFIX) else self.config.name
        if self.config.data_dir:
            files = sorted(glob.glob(os.path.join(self.config.data_dir, "data", condition, "test-*.parquet")))
            if not files:
                raise FileNotFoundError(
                    "%s holds no data/%s/test-*.parquet; data_dir takes a folder that `mrarebench build` wrote"
                    % (self.config.data_dir, condition)
                )
        else:
            files = [dl_manager.download("%s/data/%s/test-00000-of-00001.parquet" % (_REPOSITORY, condition))]
        names = pq.read_schema(files[0]).names
        self.info.features = datasets.Features({name: _TYPES.get(name, _TEXT) for name in names})
        return [datasets.SplitGenerator(name=datasets.Split.TEST, gen_kwargs={"files": files})]

    def _generate_tables(self, files):
        number = 0
        for file in files:
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(batch_size=_ROWS_PER_BATCH):
                    yield number, datasets.table.table_cast(
                        pa.Table.from_batches([batch]), self.info.features.arrow_schema
                    )
                    number += 1
