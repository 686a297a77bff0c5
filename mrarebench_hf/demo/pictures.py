"""Drawn pictures for the synthetic mini-benchmark: a scene in, an encoded file out.

The encodings cover what benchmark files hold in practice (grey, palette, alpha, CMYK, 1 and 16 bits, a
rotated camera picture), so that the demo walks every decoding path. Bytes depend on the seed and on the
Pillow version, on nothing else.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFont

__all__ = ["ENCODINGS", "SCENES", "draw", "encode"]

Box = tuple[float, float, float, float]
Colour = tuple[int, int, int]

_EXIF_ORIENTATION = 0x0112
_ROTATED_270 = 6
_BONE, _FLESH, _DARK, _BLOOD = (225, 225, 218), (226, 172, 148), (14, 14, 18), (150, 24, 30)


def _disc(centre_x: float, centre_y: float, radius: float, *, squash: float = 1.0) -> Box:
    return (centre_x - radius, centre_y - radius * squash, centre_x + radius, centre_y + radius * squash)


def _scatter(pen: ImageDraw.ImageDraw, rng: random.Random, n: int, largest: float, colour: Colour) -> None:
    width, height = pen.im.size
    for _ in range(n):
        spot = _disc(rng.uniform(0.2, 0.8) * width, rng.uniform(0.2, 0.8) * height, rng.uniform(1.5, largest))
        pen.ellipse(spot, fill=colour)


def _slice(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    """A cross-section of the trunk: a body, two dark fields, a spine, some cysts."""
    width, height = pen.im.size
    pen.ellipse(_disc(width / 2, height / 2, width * 0.44, squash=0.72), fill=(150, 150, 150))
    for side in (0.32, 0.68):
        pen.ellipse(_disc(width * side, height * 0.46, width * 0.15, squash=1.25), fill=(36, 36, 36))
    pen.ellipse(_disc(width / 2, height * 0.7, width * 0.06), fill=_BONE)
    _scatter(pen, rng, 14, 5, (90, 90, 90))


def _brain(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    width, height = pen.im.size
    pen.ellipse(_disc(width / 2, height / 2, height * 0.46, squash=1.0), fill=(90, 90, 90), outline=_BONE, width=3)
    for side in (0.43, 0.57):
        pen.ellipse(_disc(width * side, height / 2, width * 0.05, squash=2.2), fill=(200, 200, 200))
    _scatter(pen, rng, 6, 5, (240, 240, 240))


def _bones(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    width, height = pen.im.size
    for side in (0.3, 0.7):
        pen.rectangle((width * side - 10, 0, width * side + 10, height * 0.42), fill=(185, 185, 180))
        pen.ellipse(_disc(width * side, height * 0.47, 18, squash=0.7), fill=_BONE)
        pen.rectangle((width * side - 9, height * 0.58, width * side + 9, height), fill=(165, 165, 160))
    _scatter(pen, rng, 8, 4, (240, 240, 235))


def _tissue(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    pen.rectangle((0, 0, *pen.im.size), fill=(238, 190, 210))
    _scatter(pen, rng, 90, 3.5, (96, 60, 140))
    _scatter(pen, rng, 12, 9, (250, 236, 240))


def _retina(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    width, height = pen.im.size
    pen.ellipse(_disc(width / 2, height / 2, height * 0.48), fill=(196, 88, 40))
    disc_x, disc_y = width * 0.64, height / 2
    for _ in range(7):
        end = (rng.uniform(0.2, 0.8) * width, rng.choice((0.15, 0.85)) * height)
        pen.line(((disc_x, disc_y), end), fill=_BLOOD, width=2)
    pen.ellipse(_disc(disc_x, disc_y, height * 0.08), fill=(250, 220, 150))


def _surface(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    pen.rectangle((0, 0, *pen.im.size), fill=_FLESH)
    _scatter(pen, rng, 26, 5, (170, 60, 56))


def _folds(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    width, height = pen.im.size
    for ring in range(6):
        radius = height * (0.5 - 0.07 * ring)
        shade = 200 - 26 * ring
        pen.ellipse(_disc(width / 2 + rng.uniform(-4, 4), height / 2, radius), fill=(shade, shade // 2, shade // 2))


def _vessels(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    width, height = pen.im.size
    pen.arc(_disc(width / 2, height * 0.55, width * 0.22), 180, 360, fill=_BONE, width=11)
    for side in (0.36, 0.5, 0.62):
        pen.line(((width * side, height * 0.34), (width * side + rng.uniform(-8, 8), 0)), fill=_BONE, width=4)


def _uptake(pen: ImageDraw.ImageDraw, rng: random.Random) -> None:
    pen.rectangle((0, 0, *pen.im.size), fill=(236, 236, 236))
    _scatter(pen, rng, 18, 8, (60, 60, 60))


SCENES: dict[str, Callable[[ImageDraw.ImageDraw, random.Random], None]] = {
    "angiogram": _vessels,
    "ct": _slice,
    "endoscopy": _folds,
    "fundus": _retina,
    "micrograph": _tissue,
    "mri": _brain,
    "radiograph": _bones,
    "scan": _uptake,
    "skin": _surface,
}


def draw(scene: str, rng: random.Random, *, width_px: int = 160, height_px: int = 128) -> Image.Image:
    """Draw one RGB picture of a scene, marked as synthetic in its corner."""
    image = Image.new("RGB", (width_px, height_px), _DARK)
    pen = ImageDraw.Draw(image)
    SCENES[scene](pen, rng)
    # The bitmap font is part of Pillow itself; a FreeType build would draw other pixels.
    pen.text((4, height_px - 13), "SYNTHETIC", fill=(255, 255, 0), font=ImageFont.load_default_imagefont())
    return image


def _with_alpha(image: Image.Image, mode: str) -> Image.Image:
    converted = image.convert(mode)
    converted.putalpha(Image.linear_gradient("L").resize(image.size))
    return converted


def _sixteen_bit(image: Image.Image) -> Image.Image:
    """Grey values over a narrow part of the 16-bit range, as scanners store them."""
    values = bytearray()
    for value in image.convert("L").tobytes():
        values += (1000 + 12 * value).to_bytes(2, "little")
    return Image.frombytes("I;16", image.size, bytes(values))


def _rotated() -> Image.Exif:
    exif = Image.Exif()
    exif[_EXIF_ORIENTATION] = _ROTATED_270
    return exif


_ENCODERS: dict[str, Callable[[Image.Image, io.BytesIO], None]] = {
    "jpeg_rgb": lambda image, out: image.save(out, "JPEG", quality=85),
    "png_p": lambda image, out: image.quantize(32).save(out, "PNG"),
    "png_rgba": lambda image, out: _with_alpha(image, "RGB").save(out, "PNG"),
    "jpeg_l": lambda image, out: image.convert("L").save(out, "JPEG", quality=85),
    "png_i16": lambda image, out: _sixteen_bit(image).save(out, "PNG"),
    "jpeg_exif": lambda image, out: image.save(out, "JPEG", quality=85, exif=_rotated()),
    "png_rgb": lambda image, out: image.save(out, "PNG"),
    "jpeg_cmyk": lambda image, out: image.convert("CMYK").save(out, "JPEG", quality=85),
    "png_la": lambda image, out: _with_alpha(image, "L").save(out, "PNG"),
    "png_1": lambda image, out: image.convert("1").save(out, "PNG"),
    "png_l": lambda image, out: image.convert("L").save(out, "PNG"),
}

ENCODINGS: tuple[str, ...] = tuple(_ENCODERS)


def encode(image: Image.Image, encoding: str) -> bytes:
    """The file's bytes in one of ``ENCODINGS``; raises KeyError for any other name."""
    out = io.BytesIO()
    _ENCODERS[encoding](image, out)
    return out.getvalue()
