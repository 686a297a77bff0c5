"""Sizes measured on real processors, against their tensors and against the arithmetic of each family."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mrarebench_hf.errors import ModelError
from mrarebench_hf.measured import View
from mrarebench_hf.model._processor_view import processor_view

pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SIZES = [(200, 300), (300, 200), (181, 217), (512, 96), (64, 64), (30, 25)]
CLIP_336 = {"size": {"shortest_edge": 336}, "crop_size": {"height": 336, "width": 336}}


def make(name: str, **settings: Any) -> Any:
    # The variant without torchvision, which is what every installation has.
    return getattr(transformers, f"{name}ImageProcessorPil")(**settings)


def shown(processor: Any, size_px: tuple[int, int], level: int) -> dict[str, Any]:
    picture = Image.new("RGB", size_px[::-1], (level, level, level))
    return dict(processor(images=picture, return_tensors="pt"))


def content_of(canvas_of: Any, processor: Any, size_px: tuple[int, int]) -> View:
    """Canvas and content by counting the rows and columns that a white and a black picture do not share."""
    white, black = (canvas_of(shown(processor, size_px, level)) for level in (255, 0))
    differs = np.abs(white - black) > 0.5 * np.abs(white - black).max()
    return View(differs.shape, (int(differs.any(axis=1).sum()), int(differs.any(axis=0).sum())))


def as_view(rows: float, columns: float, content: tuple[float, float] | None = None) -> View:
    return View((rows, columns), content or (rows, columns))


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize(
    ("processor", "step"),
    [
        (make("Qwen2VL"), 28),
        (make("Qwen2VL", patch_size=16, merge_size=2), 32),
        (make("Glm4v"), 28),
        (make("Ernie4_5_VLMoe"), 28),
        (make("VideoLlama3"), 14),
        (make("HunYuanVL"), 32),
    ],
    ids=["qwen2.5", "qwen3", "glm4v", "ernie", "videollama3", "hunyuan"],
)
def test_grids_of_patches_are_stretched_to_whole_steps(processor: Any, step: int, size_px: tuple[int, int]) -> None:
    _, rows, columns = shown(processor, size_px, 255)["image_grid_thw"][0].tolist()
    view = processor_view(processor, size_px)
    assert view == as_view(rows * processor.patch_size, columns * processor.patch_size)
    assert view.canvas[0] % step == view.canvas[1] % step == 0


@pytest.mark.parametrize("size_px", SIZES)
def test_a_padded_grid_of_patches_keeps_the_size_of_the_content(size_px: tuple[int, int]) -> None:
    processor = make("Glm5Next")
    _, rows, columns = shown(processor, size_px, 255)["image_grid_thw"][0].tolist()
    view = processor_view(processor, size_px)
    assert view.canvas == (rows * 14, columns * 14)
    scale = [content / length for content, length in zip(view.content, size_px, strict=True)]
    assert scale[0] == pytest.approx(scale[1], rel=0.02)
    assert all(0 <= canvas - content < 28 for canvas, content in zip(view.canvas, view.content, strict=True))


@pytest.mark.parametrize("size_px", SIZES)
def test_gemma4_and_siglip2_pack_patches_with_places(size_px: tuple[int, int]) -> None:
    gemma, siglip = make("Gemma4"), make("Siglip2")
    places = shown(gemma, size_px, 255)["image_position_ids"][0]
    columns, rows = (places.max(dim=0).values + 1).tolist()
    view = processor_view(gemma, size_px)
    assert view == as_view(rows * 16, columns * 16)
    assert view.canvas[0] % 48 == view.canvas[1] % 48 == 0
    assert rows * columns <= 2520
    height, width = shown(siglip, size_px, 255)["spatial_shapes"][0].tolist()
    assert processor_view(siglip, size_px) == as_view(height * 16, width * 16)


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize(
    ("processor", "side"),
    [
        (make("Gemma3", size={"height": 896, "width": 896}), 896),
        (make("Siglip"), 224),
        (make("Blip"), 384),
        (make("GotOcr2", size={"height": 448, "width": 448}), 448),
        (make("Idefics3", do_image_splitting=False), 364),
    ],
    ids=["gemma3", "siglip", "blip", "got-ocr", "idefics3"],
)
def test_pictures_stretched_to_a_square_fill_it(processor: Any, side: int, size_px: tuple[int, int]) -> None:
    assert processor_view(processor, size_px) == as_view(side, side)


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize(("settings", "side"), [({}, 224), (CLIP_336, 336)])
def test_a_centre_crop_leaves_more_content_than_canvas(
    settings: dict[str, Any], side: float, size_px: tuple[int, int]
) -> None:
    view = processor_view(make("CLIP", **settings), size_px)
    assert view.canvas == (side, side)
    assert view.content == tuple(int(length * side / min(size_px)) for length in size_px)


@pytest.mark.parametrize("size_px", [*SIZES, (640, 1500)])
def test_a_square_pad_leaves_the_picture_its_part(size_px: tuple[int, int]) -> None:
    view = processor_view(make("Llava", do_pad=True, **CLIP_336), size_px)
    assert view.canvas == (336.0, 336.0)
    assert view.content == pytest.approx([336 * length / max(size_px) for length in size_px], abs=1e-9)


def test_llava_1_5_crops_as_its_published_settings_say() -> None:
    assert processor_view(make("Llava", do_pad=False, **CLIP_336), (200, 300)) == as_view(336, 336, (336, 504))


def grid_of(tile: int, rows: int, columns: int, first: int = 0) -> Any:
    def canvas(output: dict[str, Any]) -> Any:
        tiles = output["pixel_values"].reshape(-1, 3, tile, tile)[first : first + rows * columns, 0]
        return tiles.reshape(rows, columns, tile, tile).permute(0, 2, 1, 3).reshape(rows * tile, columns * tile).numpy()

    return canvas


@pytest.mark.parametrize("size_px", [*SIZES, (300, 900)])
@pytest.mark.parametrize(("name", "tile"), [("LlavaOnevision", 384), ("LlavaNext", 336)])
def test_a_letterbox_on_the_best_grid(name: str, tile: int, size_px: tuple[int, int]) -> None:
    from transformers.image_processing_utils import select_best_resolution

    processor = make(name, **({} if tile == 384 else CLIP_336))
    rows, columns = select_best_resolution(size_px, processor.image_grid_pinpoints)
    view = processor_view(processor, size_px)
    assert view == content_of(grid_of(tile, rows // tile, columns // tile, first=1), processor, size_px)
    assert view.canvas == (rows, columns)


@pytest.mark.parametrize("size_px", [(200, 300), (181, 217), (448, 448), (512, 256)])
def test_internvl_stretches_to_a_grid_of_448(size_px: tuple[int, int]) -> None:
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import get_optimal_tiled_canvas

    processor = make("GotOcr2", crop_to_patches=True, size={"height": 448, "width": 448})
    columns, rows = get_optimal_tiled_canvas(size_px, (448, 448), 1, 12)
    assert processor_view(processor, size_px) == as_view(448 * rows, 448 * columns)


@pytest.mark.parametrize("size_px", [*SIZES, (300, 1500), (1200, 700)])
def test_llama_3_2_rounds_the_canvas_up_to_tiles(size_px: tuple[int, int]) -> None:
    processor = make("Mllama", size={"height": 560, "width": 560})
    ratio = int(shown(processor, size_px, 255)["aspect_ratio_ids"][0, 0]) - 1
    rows, columns = [(r, c) for r in range(1, 5) for c in range(1, 5) if r * c <= 4][ratio]
    view = processor_view(processor, size_px)
    assert view == content_of(grid_of(560, rows, columns), processor, size_px)
    assert view.canvas == (560 * rows, 560 * columns)


@pytest.mark.parametrize("size_px", [(200, 300), (512, 96)])
@pytest.mark.parametrize("name", ["Idefics3", "SmolVLM"])
def test_idefics3_stretches_to_tiles_of_364(name: str, size_px: tuple[int, int]) -> None:
    longest = 4 * 364
    rows, columns = (math.ceil(length * longest / max(size_px) / 364) * 364 for length in size_px)
    assert processor_view(make(name), size_px) == as_view(rows, columns)


@pytest.mark.parametrize("size_px", SIZES)
def test_pixtral_stretches_to_its_patches(size_px: tuple[int, int]) -> None:
    tensor = shown(make("Pixtral"), size_px, 255)["pixel_values"]
    view = processor_view(make("Pixtral"), size_px)
    assert view == as_view(*tensor.shape[-2:])
    assert view.canvas == tuple(math.ceil(length / 16) * 16 for length in size_px)


@pytest.mark.parametrize("name", ["Aria", "Janus", "DeepseekVL"])
@pytest.mark.parametrize("size_px", [(200, 300), (300, 250)])
def test_padding_that_a_processor_adds_itself_is_seen(name: str, size_px: tuple[int, int]) -> None:
    processor = make(name)
    view = processor_view(processor, size_px)
    assert view == content_of(lambda output: output["pixel_values"][0, 0].numpy(), processor, size_px)
    assert view.content != view.canvas


@pytest.mark.parametrize("size_px", [*SIZES, (640, 1500)])
@pytest.mark.parametrize(
    "processor",
    [make("LlavaOnevision"), make("Llava", do_pad=True, **CLIP_336), make("CLIP"), make("Qwen2VL")],
    ids=["letterbox", "square pad", "crop", "grid"],
)
def test_stated_spacing_times_content_is_the_original_extent(processor: Any, size_px: tuple[int, int]) -> None:
    spacing_mm = (0.7, 1.9)
    view = processor_view(processor, size_px)
    stated = [mm / (content / n) for mm, content, n in zip(spacing_mm, view.content, size_px, strict=True)]
    for mm, content, original, n in zip(stated, view.content, spacing_mm, size_px, strict=True):
        assert mm * content == pytest.approx(original * n, rel=1e-12)


@pytest.mark.parametrize(
    "processor",
    [make("MiniCPMV4_6"), make("Fuyu"), make("Idefics2", do_image_splitting=True)],
    ids=["minicpm", "fuyu", "idefics2"],
)
def test_what_is_not_understood_is_told_with_the_way_out(processor: Any) -> None:
    with pytest.raises(ModelError, match=rf"{type(processor).__name__} .*512 × 40 .*--perceived-size H,W"):
        processor_view(processor, (512, 40))


def test_a_processor_that_fails_is_told_with_the_way_out() -> None:
    with pytest.raises(ModelError, match=r"aspect ratio.*--perceived-size"):
        processor_view(make("Qwen2VL"), (8000, 20))


class Raster:
    """A stand-in for processors that pad and lay their patches row by row, as Kimi-K2.5's does with torchvision."""

    patch_size = 14
    merge_size = 2

    def __call__(self, images: Image.Image, return_tensors: str) -> dict[str, Any]:
        import torch

        pixels = np.asarray(images, np.float32) / 127.5 - 1
        rows, columns = (math.ceil(length / 28) * 28 for length in pixels.shape[:2])
        padded = np.pad(pixels, ((0, rows - pixels.shape[0]), (0, columns - pixels.shape[1]), (0, 0)))
        grid = padded.reshape(rows // 14, 14, columns // 14, 14, 3).transpose(0, 2, 4, 1, 3)
        patches = torch.from_numpy(grid.reshape(-1, 3, 14, 14).copy())
        return {"pixel_values": patches, "image_grid_thw": torch.tensor([[1, rows // 14, columns // 14]])}


@pytest.mark.parametrize("size_px", [(100, 75), (56, 84), (41, 150)])
def test_padded_patches_row_by_row(size_px: tuple[int, int]) -> None:
    rows, columns = (math.ceil(length / 28) * 28 for length in size_px)
    assert processor_view(Raster(), size_px) == as_view(rows, columns, size_px)
