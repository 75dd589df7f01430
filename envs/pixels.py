"""Pictures as pixels, drawn without a display; the extra `draw` brings what that takes."""

from importlib.util import find_spec
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from chromazoo.envs.errors import InvalidRenderMode
from chromazoo.envs.svg import Picture


def demand_pixels() -> None:
    """Refuse to go on where pictures cannot be drawn.

    Raises:
        InvalidRenderMode: a package is missing; the message says how to install it.
    """
    for module in ("resvg_py", "PIL"):
        if find_spec(module) is None:
            raise InvalidRenderMode(f"pixels need {module}: pip install 'chromazoo[draw]'")


def png(picture: Picture, zoom: float = 1.0) -> bytes:
    """Turn a picture into a PNG file.

    Args:
        picture: The picture.
        zoom: Pixels of the file for one of the picture's own.

    Returns:
        The file's content.

    Raises:
        InvalidRenderMode: the extra `draw` is not installed.
    """
    demand_pixels()
    from resvg_py import svg_to_bytes

    wide = round(zoom * picture.size[0])
    return bytes(svg_to_bytes(svg_string=str(picture), width=wide, skip_system_fonts=True))


def rgb(picture: Picture, zoom: float = 1.0) -> NDArray[np.uint8]:
    """Turn a picture into pixels.

    Args:
        picture: The picture.
        zoom: Pixels for one of the picture's own.

    Returns:
        uint8 array of shape (height, width, 3): red, green, blue.

    Raises:
        InvalidRenderMode: the extra `draw` is not installed.

    >>> from chromazoo.envs import kroma_v0
    >>> game = kroma_v0.Game(size="baby")
    >>> rgb(game.svg(game.deal(1))).shape
    (462, 672, 3)
    """
    content = png(picture, zoom)
    from PIL import Image

    with Image.open(BytesIO(content)) as image:
        return np.array(image.convert("RGB"))
