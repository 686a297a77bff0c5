"""Stage model, private: at what size a checkpoint sees a picture, measured on its own processor.

In: a processor and the size of a picture. Out: a ``View``. The processor is run on test pictures of that size and its
tensors are read, so that a stated size is what the model gets, whatever a configuration says. Two kinds of tensors are
read; how a picture lies in them is found by trying, and so is whether it is padded, cropped or stretched:

- patches in a grid whose size is given (``image_grid_thw``, ``spatial_shapes``, ``image_position_ids``);
- one picture or tiles of it (``pixel_values`` with rows and columns); a view of the whole before or after the tiles is
  no part of the canvas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mrarebench_hf.errors import ModelError
from mrarebench_hf.measured import View
from mrarebench_hf.model._picture_forms import Form, TileForm, patch_forms, tile_forms
from mrarebench_hf.model._probe_pictures import Flats, Floats, Grey, Probe, flat, length, ramp, unevenness

__all__ = ["processor_view"]


class _NotUnderstoodError(Exception):
    """Why a processor's output tells no size."""


def processor_view(processor: Any, size_px: tuple[int, int]) -> View:
    """Canvas and content that a processor makes of a picture, in pixels.

    Args:
        processor: of transformers, for pictures alone or for text and pictures with a chat template.
        size_px: rows and columns of the picture, at least 1.

    Raises:
        ModelError: when the processor fails, or its output is none that is understood.
    """
    try:
        return _view(processor, size_px)
    except Exception as error:  # whatever a model's own code raises, the way out is the same
        name = type(_image_part(processor)).__name__
        reason = str(error) if isinstance(error, _NotUnderstoodError) else f"{type(error).__name__}: {error}"
        raise ModelError(
            f"cannot tell at what size {name} shows a picture of {size_px[0]} × {size_px[1]} pixels ({reason}): "
            "pass --perceived-size H,W"
        ) from error


def _view(processor: Any, size_px: tuple[int, int]) -> View:
    output = _shown(processor, flat(size_px, high=True))
    grid = _grid(output)
    if grid is None:
        n_tiles = len(_tiles(output))
        return _read(lambda grey: _tiles(_shown(processor, grey)), list(tile_forms(n_tiles)), size_px)
    patches = _patches(output)
    if len(patches) < grid[0] * grid[1]:
        raise _NotUnderstoodError(f"{len(patches)} patches are no grid of {grid[0]} × {grid[1]}")
    forms = patch_forms(grid, _patch_px(processor), patches.shape[1], _groups(processor))
    return _read(lambda grey: _patches(_shown(processor, grey)), list(forms), size_px)


def _read(show: Probe, forms: Sequence[Form], size_px: tuple[int, int]) -> View:
    """The view, by the form in which the test pictures are whole.

    Of tiles it is the first one that fits. Patches fit roughly in any order of the values inside them, so there it is
    the one that fits best.
    """
    seen = {high: show(flat(size_px, high=high)) for high in (False, True)}
    ramps = [show(ramp(size_px, axis)) for axis in (0, 1)]
    best: tuple[float, Form] | None = None
    for form in forms:
        down, across = (form.assembled(shown) for shown in ramps)
        error = unevenness(_flats(form, seen), across, down, size_px)
        if error is not None and (best is None or error < best[0]):
            best = error, form
            if isinstance(form, TileForm):
                break
    if best is None:
        shape = " × ".join(map(str, seen[True].shape))
        raise _NotUnderstoodError(f"{shape} pixel values form no whole picture in any way that is known")
    return _measured(show, best[1], _flats(best[1], seen), [best[1].assembled(shown) for shown in ramps], size_px)


def _flats(form: Form, seen: Mapping[bool, Floats]) -> Flats:
    low = form.assembled(seen[False])
    return Flats(low, form.assembled(seen[True]) - low)


def _measured(show: Probe, form: Form, flats: Flats, ramps: Sequence[Floats], size_px: tuple[int, int]) -> View:
    def assembled(grey: Grey) -> Floats:
        return form.assembled(show(grey))

    rows, columns = (length(flats, ramps[axis], size_px, axis, assembled) for axis in (0, 1))
    if rows is None or columns is None:
        raise _NotUnderstoodError("the picture is too small, or too little of it is shown, to measure its scale")
    return View((float(flats.low.shape[0]), float(flats.low.shape[1])), (rows, columns))


def _shown(processor: Any, grey: Grey) -> Mapping[str, Any]:
    """The tensors of a prompt with this picture; through the chat template, for it may bring settings of its own."""
    from PIL import Image

    picture = Image.fromarray(np.repeat(grey[..., None], 3, axis=2))
    if getattr(processor, "chat_template", None) and getattr(processor, "tokenizer", None) is not None:
        content = [{"type": "image", "image": picture}, {"type": "text", "text": "?"}]
        output = processor.apply_chat_template(
            [[{"role": "user", "content": content}]],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True},
        )
    else:
        output = _image_part(processor)(images=picture, return_tensors="pt")
    if "pixel_values" not in output:
        raise _NotUnderstoodError(f"it gives {', '.join(sorted(output))} and no pixel_values")
    return dict(output)


def _image_part(processor: Any) -> Any:
    return getattr(processor, "image_processor", processor)


def _grid(output: Mapping[str, Any]) -> tuple[int, int] | None:
    """Rows and columns of patches, None where the pixels are no list of patches."""
    if "image_grid_thw" in output:
        grids = np.asarray(output["image_grid_thw"])
        if grids.shape != (1, 3) or grids[0, 0] != 1:
            raise _NotUnderstoodError(f"image_grid_thw is {grids.tolist()}")
        return int(grids[0, 1]), int(grids[0, 2])
    if "spatial_shapes" in output:
        shapes = np.asarray(output["spatial_shapes"])
        if shapes.shape != (1, 2):
            raise _NotUnderstoodError(f"it cuts a picture into {len(shapes)} pieces of different size")
        return int(shapes[0, 0]), int(shapes[0, 1])
    if "image_position_ids" in output:
        columns, rows = np.asarray(output["image_position_ids"]).reshape(-1, 2).max(axis=0) + 1
        return int(rows), int(columns)
    return None


def _patch_px(processor: Any) -> tuple[int, int]:
    patch = getattr(_image_part(processor), "patch_size", None)
    if isinstance(patch, int):
        return patch, patch
    try:
        return int(patch["height"]), int(patch["width"])  # type: ignore[index]
    except (TypeError, KeyError) as error:
        raise _NotUnderstoodError(f"its patch_size is {patch!r}") from error


def _groups(processor: Any) -> tuple[int, ...]:
    merged = getattr(_image_part(processor), "merge_size", 1)
    return (merged, 1) if isinstance(merged, int) and merged > 1 else (1,)


def _patches(output: Mapping[str, Any]) -> Floats:
    """All patches, number × values."""
    values = output["pixel_values"]
    values = values if "image_grid_thw" in output else values[0]
    return np.asarray(values.reshape(len(values), -1).float().numpy(), np.float32)


def _tiles(output: Mapping[str, Any]) -> Floats:
    """One channel of all tiles: number × rows × columns."""
    values = output["pixel_values"]
    if not 4 <= values.ndim <= 6 or values.shape[-3] != 3:
        raise _NotUnderstoodError(f"its pixel_values are of shape {tuple(values.shape)}")
    tiles = np.asarray(values.reshape(-1, *values.shape[-3:])[:, 0].float().numpy(), np.float32)
    if "aspect_ratio_mask" in output:  # places for further tiles, left empty
        tiles = tiles[: int(output["aspect_ratio_mask"].sum())]
    return tiles
