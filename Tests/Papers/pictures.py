"""Draws a code as cameras see it: straight, at an angle, in bad light. Gives files their names by what they show.

Arguments: a directory, and the code's text; or names of kinds of codes, each before its text."""

import sys
from pathlib import Path

import numpy as np
import zxingcpp
from PIL import Image, ImageFilter


def code(text: str, kind=zxingcpp.BarcodeFormat.QRCode, scale: int = 8) -> Image.Image:
    pixels = np.array(zxingcpp.create_barcode(text, kind).to_image(scale=scale))
    image = Image.new("L", (pixels.shape[1] + 120, pixels.shape[0] + 120), 255)
    image.paste(Image.fromarray(pixels), (60, 60))
    return image


def seen(image: Image.Image, tilt: float, turn: float, size=(1280, 960), fill: float = 0.75) -> Image.Image:
    """A square as a camera sees it that is tilted and turned by so many degrees."""
    side, (tilt, turn), corners = size[1] * fill, np.radians([tilt, turn]), []
    for x, y in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
        across, down = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
        depth, across = across * np.sin(tilt), across * np.cos(tilt)
        near = 2.2 / (2.2 + depth)
        corners.append((size[0] / 2 + across * near * side, size[1] / 2 + down * near * side))
    rows, flat = [], []
    width, height = image.size
    for (x, y), (u, v) in zip(corners, [(0, 0), (width, 0), (width, height), (0, height)], strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        flat += [u, v]
    way = np.linalg.solve(np.array(rows, float), np.array(flat, float))
    return image.transform(size, Image.Transform.PERSPECTIVE, way, Image.Resampling.BICUBIC, fillcolor=200)


def dim(image: Image.Image, level: float, noise: float, shade: float) -> Image.Image:
    """In so little light, with a shadow from the right."""
    pixels = np.asarray(image, float)
    shadow = np.linspace(1, 1 - shade, pixels.shape[1])[None, :]
    pixels = (pixels * 0.55 + 60) * level * shadow + np.random.default_rng(7).normal(0, noise, pixels.shape)
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def corners() -> Image.Image:
    """Nothing but corners of QR codes, twelve thousand of them: a reader that tries each three of them is never done."""
    corner = np.pad(np.pad(np.pad(np.zeros((3, 3)), 1, constant_values=1), 1), 1, constant_values=1)
    return Image.fromarray((np.kron(np.tile(corner, (111, 111)), np.ones((2, 2))) * 255).astype(np.uint8))


def draw(directory: Path, text: str):
    straight = code(text)
    for name, image in {
        "straight": straight,
        "at an angle": seen(straight, 45, 17),
        "turned": seen(straight, 0, 40),
        "in bad light": dim(seen(straight, 12, 9), 0.45, 5, 0.5),
        "blurred": seen(straight, 8, 5).filter(ImageFilter.GaussianBlur(1.5)),
        "far away": seen(straight, 10, 5, size=(4000, 3000), fill=0.35),
    }.items():
        image.convert("RGB").save(directory / f"{name}.jpg", quality=85)
    straight.save(directory / "straight.png")
    straight.save(directory / "straight.webp")
    Image.new("RGB", (640, 480), "grey").save(directory / "nothing.jpg")
    corners().save(directory / "corners.png")


def draw_kinds(directory: Path, texts: dict[str, str]):
    for kind, text in texts.items():
        code(text, getattr(zxingcpp.BarcodeFormat, kind), scale=4).save(directory / f"{kind}.png")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        draw(Path(sys.argv[1]), sys.argv[2])
    else:
        draw_kinds(Path(sys.argv[1]), dict(zip(sys.argv[2::2], sys.argv[3::2], strict=True)))
