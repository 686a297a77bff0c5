"""Encoded pictures: what is taken, what is refused, and that each reaches a model as correct RGB."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFile
from tsv_files import b64, encoded, png

from mrarebench_hf.errors import PictureError
from mrarebench_hf.source.picture import decode_base64, size_px, to_rgb

RED = (255, 0, 0)


def test_br06_prefix_and_line_breaks_are_tolerated() -> None:
    text = b64(png())
    middle = len(text) // 2
    for form in (text, f"data:image/png;base64,{text[:middle]}\n{text[middle:]}", f" {text[:8]}\r\n\t{text[8:]} "):
        assert decode_base64(form) == png()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("iVBORw0KGgo", r"no base64: Incorrect padding"),
        ("", r"the base64 text is empty"),
        ("data:image/png;base64,", r"the base64 text is empty"),
        ("päng", r"no base64"),
        ("ab$d", r"no base64"),
    ],
)
def test_br06_bad_base64_is_named(text: str, words: str) -> None:
    with pytest.raises(PictureError, match=words):
        decode_base64(text)


def test_br06_truncated_and_unknown_files_are_named() -> None:
    noise = Image.effect_noise((64, 64), 90).convert("RGB")
    with pytest.raises(PictureError, match=r"damaged JPEG file: image file is truncated"):
        to_rgb(encoded(noise, "JPEG")[:-60])
    with pytest.raises(PictureError, match=r"damaged PNG file"):
        to_rgb(encoded(noise)[:-600])
    for data in (b"", b"GIF89a", b"not a picture", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"):
        with pytest.raises(PictureError, match=r"no picture in a known format|no readable picture header"):
            size_px(data)
    assert ImageFile.LOAD_TRUNCATED_IMAGES is False


def test_br07_cmyk_jpeg() -> None:
    data = encoded(Image.new("CMYK", (4, 4), (0, 255, 255, 0)), "JPEG", quality=95)
    image = to_rgb(data)
    assert image.mode == "RGB"
    assert np.abs(np.asarray(image).astype(int) - RED).max() <= 3


@pytest.mark.parametrize(
    ("image", "kind", "expected"),
    [
        (Image.new("1", (2, 2), 1), "PNG", (255, 255, 255)),
        (Image.new("L", (2, 2), 90), "PNG", (90, 90, 90)),
        (Image.new("RGB", (2, 2), RED).quantize(2), "PNG", RED),
        (Image.new("RGB", (2, 2), RED), "BMP", RED),
        (Image.new("RGB", (2, 2), RED), "GIF", RED),
        (Image.new("RGB", (2, 2), RED), "TIFF", RED),
        # Transparent is white, half transparent half way to it: 255 - (255 - 90) / 2 = 172.
        (Image.new("RGBA", (2, 2), (*RED, 0)), "PNG", (255, 255, 255)),
        (Image.new("RGBA", (2, 2), (*RED, 255)), "PNG", RED),
        (Image.new("RGBA", (2, 2), (*RED, 128)), "PNG", (255, 127, 127)),
        (Image.new("LA", (2, 2), (90, 0)), "PNG", (255, 255, 255)),
        (Image.new("LA", (2, 2), (90, 255)), "PNG", (90, 90, 90)),
        (Image.new("CMYK", (2, 2), (0, 255, 255, 0)), "TIFF", RED),
        # 16 bits that hold 8: kept. One value above: nothing to spread.
        (Image.new("I;16", (2, 2), 200), "PNG", (200, 200, 200)),
        (Image.new("I;16", (2, 2), 40_000), "PNG", (0, 0, 0)),
        (Image.new("I", (2, 2), 7), "TIFF", (7, 7, 7)),
        (Image.new("F", (2, 2), 7.0), "TIFF", (7, 7, 7)),
    ],
)
def test_br07_every_mode_becomes_rgb(image: Image.Image, kind: str, expected: tuple[int, ...]) -> None:
    found = to_rgb(encoded(image, kind))
    assert (found.mode, found.size) == ("RGB", (2, 2))
    assert np.abs(np.asarray(found).astype(int) - expected).max() <= 1


def test_palette_with_a_transparent_entry() -> None:
    image = Image.new("P", (2, 1))
    image.putpalette([0, 0, 0, 255, 0, 0])
    image.putpixel((1, 0), 1)
    found = to_rgb(encoded(image, transparency=0))
    assert [found.getpixel((x, 0)) for x in (0, 1)] == [(255, 255, 255), RED]


def test_16_bit_grey_is_spread() -> None:
    values = np.array([[1000, 2000, 3000]], np.uint16)
    assert np.asarray(to_rgb(encoded(Image.fromarray(values))))[0, :, 0].tolist() == [0, 128, 255]


def test_float_with_odd_values() -> None:
    values = np.array([[np.nan, -1.0, 1.0, np.inf]], np.float32)
    assert np.asarray(to_rgb(encoded(Image.fromarray(values), "TIFF")))[0, :, 0].tolist() == [0, 0, 255, 255]


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded(Image.new("RGB", (8, 4), RED), "JPEG", exif=exif)


def test_br09_orientation_is_applied_to_size_and_pixels() -> None:
    assert size_px(turned()) == (4, 8)
    assert to_rgb(turned()).size == (4, 8)
    exif = Image.Exif()
    exif[0x0112] = 6
    assert size_px(encoded(Image.new("RGB", (8, 4)), "PNG", exif=exif)) == (4, 8)
    assert size_px(png(size=(8, 4))) == (8, 4)


def test_the_first_frame_counts() -> None:
    frames = [Image.new("RGB", (2, 2), RED), Image.new("RGB", (2, 2), (0, 0, 255))]
    found = to_rgb(encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:]))
    assert found.getpixel((0, 0)) == RED


def test_the_result_does_not_hang_on_the_file() -> None:
    image = to_rgb(png())
    image.load()
    assert image.resize((1, 1)).getpixel((0, 0)) == RED


def test_cap_counts_pixels_from_the_header() -> None:
    assert to_rgb(png(size=(10, 10)), max_pixels=100).size == (10, 10)
    with pytest.raises(PictureError, match=r"too large: 10 x 11 px are 110 pixels; at most 100 are decoded"):
        to_rgb(png(size=(10, 11)), max_pixels=100)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc")
def test_br11_gigantic_pictures_cost_no_memory(tmp_path: Path) -> None:
    for side in (12_000, 20_000):
        (tmp_path / f"{side}.png").write_bytes(png(0, (side, side), "1"))
    program = f"""
from pathlib import Path
from PIL import Image
from mrarebench_hf.errors import PictureError
from mrarebench_hf.source.picture import size_px, to_rgb
before = Image.MAX_IMAGE_PIXELS
for side in (12_000, 20_000):
    data = Path({str(tmp_path)!r}, f"{{side}}.png").read_bytes()
    for look in (size_px, to_rgb):
        try:
            look(data)
        except PictureError as error:
            print(error)
assert Image.MAX_IMAGE_PIXELS == before
print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))
"""
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    *reasons, peak_kb = out.splitlines()
    assert len(reasons) == 4
    assert all("too large" in reason for reason in reasons)
    assert int(peak_kb) * 1024 < 500e6


@pytest.mark.parametrize("seed", range(20))
def test_damage_never_escapes_as_another_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    noise = Image.effect_noise((40, 30), 90)
    for kind, options in (("PNG", {}), ("JPEG", {}), ("GIF", {}), ("TIFF", {"compression": "tiff_lzw"}), ("WEBP", {})):
        options: dict[str, Any]
        data = bytearray(encoded(noise, kind, **options))
        for place in rng.integers(0, len(data), 8):
            data[place] = int(rng.integers(0, 256))
        for look in (size_px, to_rgb):
            with contextlib.suppress(PictureError):
                look(bytes(data))


def test_bytes_are_what_pillow_decodes() -> None:
    noise = Image.effect_noise((33, 21), 90).convert("RGB")
    data = encoded(noise, "JPEG", quality=80)
    assert to_rgb(data).tobytes() == Image.open(io.BytesIO(data)).tobytes()
