"""Checkpoints through transformers: any image-text-to-text model with a chat template that takes pictures.

Weights load with the first batch. Nothing of a checkpoint is executed: remote code stays off.
"""

from __future__ import annotations

import hashlib
import importlib.util
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mrarebench_hf.errors import MissingDependencyError, ModelError
from mrarebench_hf.measured import View
from mrarebench_hf.model import Request, Settings
from mrarebench_hf.model._slug import slug
from mrarebench_hf.records import ImagePart, Response, Usage

if TYPE_CHECKING:
    import torch

__all__ = ["open_model"]

# A damaged file, a missing package, too little memory: whatever it is, no sample is to blame.
_LOADING_ERRORS = (OSError, ValueError, ImportError, KeyError, RuntimeError)
_NO_PART_OF_A_MODEL = frozenset((".md", ".png", ".jpg", ".gif", ".lock"))


def open_model(name: str, settings: Settings) -> _Checkpoint:
    """Open a checkpoint by its Hub name or local folder; reads its configuration only.

    Raises:
        MissingDependencyError: when transformers or torch is not installed.
        ModelError: when there is no such checkpoint, or it takes no pictures.
    """
    for package in ("transformers", "torch", "accelerate"):
        if importlib.util.find_spec(package) is None:
            raise MissingDependencyError(package, "transformers", f"the model {name!r}")
    return _Checkpoint(name, settings)


class _Checkpoint:
    """One checkpoint, and how it is asked."""

    needs_references = False

    def __init__(self, name: str, settings: Settings) -> None:
        config = _load_config(name, settings.revision)
        folder = Path(name)
        if folder.is_dir():
            # A folder is known by what it holds, so that a moved or renamed path changes nothing.
            revision: str | None = _folder_digest(folder)
            self.slug = f"{slug(folder.resolve().name)}-{str(revision)[:8]}"
            shown = folder.resolve().name
        else:
            revision, self.slug, shown = getattr(config, "_commit_hash", None), slug(name), name
        self._name = name
        self._settings = settings
        self._model: Any = None
        self._processor: Any = None
        self._views: dict[tuple[int, int], View] = {}
        self._dtype = _resolve_dtype(settings.dtype)
        self._identity: Mapping[str, str | None] = {"backend": "transformers", "name": shown, "revision": revision}
        self.generation: Mapping[str, Any] = {
            "max_new_tokens": settings.max_new_tokens,
            "temperature": settings.temperature,
            "seed": settings.seed if settings.temperature > 0 else None,
            "system_prompt": settings.system_prompt,
            "dtype": self._dtype,
        }

    def identity(self, task: str) -> Mapping[str, str | None]:
        """The checkpoint and its revision, the same for every task."""
        return self._identity

    def fit(self, task: str, references: Sequence[Mapping[str, Any]]) -> None:
        """Never called: a checkpoint sees no references."""
        raise AssertionError("references must not reach a model")

    def view(self, size_px: tuple[int, int]) -> View:
        """Canvas and content as the checkpoint's own processor makes them; each size is measured once.

        Raises:
            ModelError: when the processor cannot be loaded, or what it does is not understood.
        """
        from mrarebench_hf.model._processor_view import processor_view

        if size_px not in self._views:
            self._load_processor()
            self._views[size_px] = processor_view(self._processor, size_px)
        return self._views[size_px]

    def generate(self, requests: Sequence[Request]) -> list[Response]:
        """Answer a batch with one padded call; while sampling, one by one, each under a seed of its own.

        So a draw depends on the sample alone, not on its batch, on the process, or on what was stored before.

        Raises:
            ModelError: when the checkpoint cannot be loaded.
            RuntimeError, ValueError: as the model raises them; the loop tries smaller batches.
        """
        import torch

        if self._model is None:
            self._load()
        if self._settings.temperature == 0:
            return self._generate(requests)
        responses = []
        for request in requests:
            digest = hashlib.sha256(f"{self._settings.seed}\0{request.prompt.index}".encode()).digest()
            torch.manual_seed(int.from_bytes(digest[:8], "big", signed=True))
            responses += self._generate([request])
        return responses

    def _generate(self, requests: Sequence[Request]) -> list[Response]:
        import torch

        started = time.monotonic()
        inputs = self._processor.apply_chat_template(
            [self._messages(request) for request in requests],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        ).to(self._model.device)
        inputs = {
            key: value.to(self._model.dtype) if value.is_floating_point() else value for key, value in inputs.items()
        }
        with torch.inference_mode():
            output = self._model.generate(**inputs, **self._sampling())
        answers = output[:, inputs["input_ids"].shape[1] :]
        latency_s = (time.monotonic() - started) / len(requests)
        return [
            self._response(request, tokens, mask, latency_s)
            for request, tokens, mask in zip(requests, answers, inputs["attention_mask"], strict=True)
        ]

    def _response(self, request: Request, tokens: torch.Tensor, mask: torch.Tensor, latency_s: float) -> Response:
        stops = self._stop_ids()
        ids = tokens.tolist()
        end = next((n for n, token in enumerate(ids) if token in stops), None)
        return Response(
            index=request.prompt.index,
            status="ok",
            text=self._processor.decode(ids[:end], skip_special_tokens=True).strip(),
            finish_reason="length" if end is None else "stop",
            latency_s=latency_s,
            usage=Usage(int(mask.sum()), len(ids) if end is None else end + 1),
        )

    def _messages(self, request: Request) -> list[dict[str, Any]]:
        pictures = iter(request.pictures)
        content: list[dict[str, Any]] = [
            {"type": "image", "image": next(pictures)}
            if isinstance(part, ImagePart)
            else {"type": "text", "text": part.text}
            for part in request.prompt.parts
        ]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if self._settings.system_prompt is not None:
            system = [{"type": "text", "text": self._settings.system_prompt}]
            messages.insert(0, {"role": "system", "content": system})
        return messages

    def _sampling(self) -> dict[str, Any]:
        chosen: dict[str, Any] = {"max_new_tokens": self._settings.max_new_tokens}
        if self._settings.temperature > 0:
            return chosen | {"do_sample": True, "temperature": self._settings.temperature}
        # A checkpoint's own sampling defaults would only draw warnings from a greedy call.
        return chosen | {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}

    def _stop_ids(self) -> set[int]:
        stops = self._model.generation_config.eos_token_id
        return set(stops) if isinstance(stops, list) else {stops}

    def _load_processor(self) -> None:
        import transformers

        if self._processor is not None:
            return
        try:
            processor = transformers.AutoProcessor.from_pretrained(self._name, **self._where())
        except _LOADING_ERRORS as error:
            raise ModelError(f"cannot load the checkpoint {self._name!r}: {error}") from error
        if not getattr(processor, "chat_template", None):
            raise ModelError(f"the checkpoint {self._name!r} has no chat template, so it cannot be shown a prompt")
        processor.tokenizer.padding_side = "left"
        self._processor = processor

    def _load(self) -> None:
        import torch
        import transformers
        from accelerate import PartialState
        from safetensors import SafetensorError

        self._load_processor()
        try:
            self._model = transformers.AutoModelForImageTextToText.from_pretrained(
                self._name, dtype=getattr(torch, self._dtype), device_map=self._settings.device_map, **self._where()
            )
        except (*_LOADING_ERRORS, SafetensorError) as error:
            raise ModelError(f"cannot load the checkpoint {self._name!r}: {error}") from error
        if self._settings.device_map is None:
            self._model.to(PartialState(cpu=not torch.cuda.is_available()).device)
        self._model.eval()

    def _where(self) -> dict[str, Any]:
        return {"revision": self._settings.revision, "trust_remote_code": False}


def _load_config(name: str, revision: str | None) -> Any:
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING

    try:
        config = transformers.AutoConfig.from_pretrained(name, revision=revision, trust_remote_code=False)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"no checkpoint {name!r}: it is neither a local folder with a config.json nor a reachable Hub model "
            f"({str(error).splitlines()[0]})"
        ) from error
    if type(config) not in MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        raise ModelError(
            f"the checkpoint {name!r} ({config.model_type}) takes no pictures: this benchmark needs an "
            "image-text-to-text model"
        )
    return config


def _resolve_dtype(name: str) -> str:
    import torch

    if name == "auto":
        return "bfloat16" if torch.cuda.is_available() else "float32"
    if not isinstance(getattr(torch, name, None), torch.dtype):
        raise ModelError(f"unknown dtype {name!r}: use auto, float32, bfloat16 or float16")
    return name


def _folder_digest(folder: Path) -> str:
    """sha256 over the names and whole contents of a checkpoint's files; read-mes and hidden files are none of them.

    Whole, because a fine-tune may change any part of the weights; they are read to be loaded anyway.
    """
    digest = hashlib.sha256()
    paths = (p for p in folder.rglob("*") if p.is_file() and p.suffix not in _NO_PART_OF_A_MODEL)
    for name, path in sorted((p.relative_to(folder).as_posix(), p) for p in paths):
        if not any(part.startswith(".") for part in name.split("/")):
            with path.open("rb") as file:
                digest.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()
