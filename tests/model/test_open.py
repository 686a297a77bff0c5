"""Opening models by name, and the baselines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mrarebench_hf.errors import ModelError, UnknownNameError, UsageError
from mrarebench_hf.model import Request, Settings, names, open_model
from mrarebench_hf.model._slug import slug
from mrarebench_hf.records import Prompt, TextPart

POOL = [
    {"answer": name, "answer_aliases": []}
    for name in ("Fabry disease", "Gaucher disease", "Fabry disease", "Wilson disease")
]


def ask(spec: str, index: str = "0", settings: Settings | None = None, pool: list[dict[str, Any]] = POOL) -> str | None:
    backend = open_model(spec, settings or Settings())
    backend.fit("diagnosis", pool)
    request = Request(Prompt(index, (TextPart("Question"),)), "diagnosis", (), pool[1])
    return backend.generate([request])[0].text


def test_backends_are_the_files_of_the_folder() -> None:
    assert {"baseline", "transformers"} <= set(names())


def test_the_oracle_is_right_and_the_refusal_declines() -> None:
    assert ask("baseline:oracle") == "1. Gaucher disease"
    assert "can't" in str(ask("baseline:refusal"))


def test_the_prior_names_the_commonest_first() -> None:
    assert ask("baseline:prior") == "1. Fabry disease\n2. Gaucher disease\n3. Wilson disease"


def test_the_random_baseline_depends_on_seed_and_case_only() -> None:
    pool = [{"answer": f"Disease {n}", "answer_aliases": []} for n in range(40)]
    first = ask("baseline:random", "7", pool=pool)
    assert first == ask("baseline:random", "7", pool=pool)
    assert first != ask("baseline:random", "8", pool=pool)
    assert first != ask("baseline:random", "7", Settings(seed=1), pool=pool)
    assert len(str(first).splitlines()) == 10


def test_a_baseline_is_known_by_what_it_answers_from() -> None:
    def revision(spec: str, pool: list[dict[str, Any]], settings: Settings | None = None) -> str | None:
        backend = open_model(spec, settings or Settings())
        backend.fit("diagnosis", pool)
        return backend.identity("diagnosis")["revision"]

    assert revision("baseline:random", POOL) == revision("baseline:random", POOL, Settings(max_new_tokens=3))
    assert revision("baseline:random", POOL) != revision("baseline:random", POOL[1:])
    assert revision("baseline:random", POOL) != revision("baseline:random", POOL, Settings(seed=1))


def test_a_script_answers_by_id_and_what_it_leaves_out_fails(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"0": "1. Wilson disease"}))
    assert ask(f"baseline:scripted={script}") == "1. Wilson disease"
    backend = open_model(f"baseline:scripted={script}", Settings())
    backend.fit("diagnosis", POOL)
    response = backend.generate([Request(Prompt("9", (TextPart("Q"),)), "diagnosis", (), POOL[0])])[0]
    assert (response.status, response.reason) == ("failed", "not_scripted")


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}'])
def test_a_script_of_another_form_is_refused(tmp_path: Path, content: str) -> None:
    script = tmp_path / "script.json"
    script.write_text(content)
    with pytest.raises(ModelError, match="JSON object"):
        open_model(f"baseline:scripted={script}", Settings())


def test_wrong_names_offer_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'oracle'"):
        open_model("baseline:orcle", Settings())
    with pytest.raises(UnknownNameError, match=r"unknown model backend 'basline'\. Did you mean 'baseline'"):
        open_model("basline:oracle", Settings())
    with pytest.raises(UsageError, match="name is empty"):
        open_model("", Settings())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens must be at least 1, got 0"),
        ({"temperature": -1.0}, r"temperature must be 0 or more, got -1\.0"),
        ({"temperature": float("nan")}, "temperature must be 0 or more, got nan"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Settings(**settings)


def test_folder_names_are_safe_and_distinct() -> None:
    models = [
        "orgA/m",
        "orgB/m",
        "org/m",
        "org__m",
        "http://127.0.0.1:8000/v1",
        "C:\\models\\m1",
        "x" * 300,
        "x" * 301,
        "..",
    ]
    models += [".", "", "Sjögren", "a\0b", "-rf"]
    slugs = [slug(name) for name in models]
    assert len(set(slugs)) == len(models)
    for one in slugs:
        assert 0 < len(one.encode()) <= 255
        assert one.strip(".") == one
        assert not set(one) & set('/\\:\0 *?"<>|')
