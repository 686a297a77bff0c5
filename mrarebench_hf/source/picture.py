"""Stage source: the text of a picture in, its encoded file out; an encoded file in, an upright RGB picture out.

Files travel as they are and are decoded only when somebody looks. Pillow's process-wide switches
(``MAX_IMAGE_PIXELS``, ``LOAD_TRUNCATED_IMAGES``) are never touched.
"""

from __future__ import annotations

import binascii
import contextlib
import functools
import io
import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mrarebench_hf.errors import PictureError

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_PIXELS", "decode_base64", "size_px", "to_rgb"]

# Below Pillow's own limit of 89 million, so that one rule holds at all sizes; 8,900 x 8,900 is beyond any radiograph.
MAX_PIXELS = 80_000_000
# What pictures come in. Pillow would also start other programs (EPS) or fetch files (none of ours) for rarer ones.
_FORMATS = ("JPEG", "PNG", "GIF", "BMP", "DIB", "TIFF", "WEBP", "JPEG2000", "PPM", "TGA", "ICO", "AVIF")
_PREFIX = re.compile(r"\s*data:[^,]{0,200};base64,", re.IGNORECASE)
_ORIENTATION = 0x0112
_WIDE_MODES = frozenset({"I", "F", "I;16", "I;16B", "I;16L", "I;16N"})
_ALPHA_MODES = frozenset({"RGBA", "LA", "PA", "RGBa", "La"})
# Everything Pillow's decoders raise on damaged files; a file is untrusted input, none of these is a programming error.
_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    EOFError,
    OverflowError,
    MemoryError,
    RuntimeError,
    struct.error,
    zlib.error,
)


def decode_base64(text: str) -> bytes:
    """The file behind a base64 text; a ``data:image/…;base64,`` prefix and white space are ignored.

    Raises:
        PictureError: when the text is empty or no base64.

    >>> decode_base64("data:image/png;base64,aGV5\\n")
    b'hey'
    """
    try:
        if data := binascii.a2b_base64(text, strict_mode=True):
            return data
    except ValueError:
        pass
    prefix = _PREFIX.match(text)
    body = "".join(text[prefix.end() if prefix else 0 :].split())
    if not body:
        raise PictureError("the base64 text is empty")
    try:
        return binascii.a2b_base64(body, strict_mode=True)
    except ValueError as error:
        raise PictureError(f"no base64: {error}") from None


def size_px(data: bytes, *, max_pixels: int = MAX_PIXELS) -> tuple[int, int]:
    """Width and height in pixels once turned upright, read from the file's header without decoding.

    Raises:
        PictureError: when the bytes are no picture, or it has more than ``max_pixels`` pixels.
    """
    with _quiet(), _open(data, max_pixels) as image:
        try:
            # Asked for its Exif, Pillow decodes a PNG that has none up front; such a one is taken as upright.
            turned = image.format != "PNG" or "exif" in image.info
            orientation = image.getexif().get(_ORIENTATION, 1) if turned else 1
        except _DAMAGE:
            orientation = 1
        width, height = image.size
    return (height, width) if orientation in (5, 6, 7, 8) else (width, height)


def to_rgb(data: bytes, *, max_pixels: int = MAX_PIXELS) -> Image:
    """Decode a picture as a person would see it: upright, mode RGB, 8 bits a channel.

    Exif orientation is applied. Transparency is laid on white. CMYK, palette, grey and bilevel are converted. Grey of
    more than 8 bits keeps its values when all lie in 0…255, and is otherwise spread linearly from its least to its
    greatest finite value over 0…255. Of an animation or a multi-page file the first frame counts.

    Raises:
        PictureError: when the bytes are no picture, are cut off, or hold more than ``max_pixels`` pixels (found in
            the header, before memory is taken).
    """
    from PIL import ImageOps

    with _quiet(), _open(data, max_pixels) as image:
        try:
            image.load()
            upright = ImageOps.exif_transpose(image)
            return _flatten(upright)
        except _DAMAGE as error:
            raise PictureError(f"damaged {image.format} file: {_words(error)}") from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without Pillow's warnings, of damage that it got over, and of sizes beyond its own limit (ours lies below)."""
    from PIL.Image import DecompressionBombWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DecompressionBombWarning)
        warnings.filterwarnings("ignore", category=UserWarning, module=r"PIL\.")
        yield


@functools.cache
def _formats() -> tuple[str, ...]:
    from PIL import Image

    Image.init()
    return tuple(name for name in _FORMATS if name in Image.OPEN)


def _open(data: bytes, max_pixels: int) -> Image:
    from PIL import Image, UnidentifiedImageError

    try:
        image = Image.open(io.BytesIO(data), formats=_formats())
    except Image.DecompressionBombError as error:
        raise PictureError(f"too large: {_words(error)}; at most {max_pixels:,} are decoded") from None
    except UnidentifiedImageError:
        raise PictureError(f"{len(data)} bytes that are no picture in a known format") from None
    except _DAMAGE as error:
        raise PictureError(f"no readable picture header: {_words(error)}") from None
    width, height = image.size
    if width * height > max_pixels:
        image.close()
        raise PictureError(
            f"too large: {width} x {height} px are {width * height:,} pixels; at most {max_pixels:,} are decoded"
        )
    return image


def _flatten(image: Image) -> Image:
    import PIL.Image

    if image.mode in _WIDE_MODES:
        return _window(image).convert("RGB")
    if image.mode in _ALPHA_MODES or "transparency" in image.info:
        image = image.convert("RGBA")
        ground = PIL.Image.new("RGB", image.size, (255, 255, 255))
        ground.paste(image, mask=image.getchannel("A"))
        return ground
    # Always a picture of its own: what was opened from the file is closed by the caller.
    return image.convert("RGB") if image.mode != "RGB" else image.copy()


def _window(image: Image) -> Image:
    import numpy as np
    import PIL.Image

    values: Any = np.asarray(image, dtype=np.float32)
    finite = np.isfinite(values)
    least, greatest = (float(values[finite].min()), float(values[finite].max())) if finite.any() else (0.0, 0.0)
    values = np.nan_to_num(values, nan=least, posinf=greatest, neginf=least)
    if least < 0 or greatest > 255:
        values -= least
        values *= 255 / ((greatest - least) or 1)
    return PIL.Image.fromarray(np.rint(values).astype(np.uint8))


def _words(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
