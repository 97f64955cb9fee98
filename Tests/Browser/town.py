"""Draws a small town of its own as a file of map tiles: streets on a grid, a river, blocks. Nothing of it is taken from any map.

    town.py FILE.mbtiles
"""
import math
import sqlite3
import struct
import sys
import zlib

SIZE = 256
ZOOMS = range(10, 17)
# The part of the world that it covers: south, west, north, east.
AREA = (45.77, 15.92, 45.84, 16.03)
PAPER, BLOCK, STREET, ROAD, RIVER = (243, 241, 236), (230, 227, 218), (255, 255, 255), (250, 222, 150), (170, 205, 228)


def png(rows):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    raw = b"".join(b"\0" + row for row in rows)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def colour(x, y, pixel):
    """The colour of a place in metres from the corner; a pixel is so many metres."""
    river = 2400 + 300 * math.sin(x / 900)
    if abs(y - river) < max(60, pixel):
        return RIVER
    along, across = x % 1000, y % 1000
    if min(along, 1000 - along, across, 1000 - across) < max(12, pixel):
        return ROAD
    along, across = x % 200, y % 200
    if pixel < 40 and min(along, 200 - along, across, 200 - across) < max(5, pixel / 2):
        return STREET
    return BLOCK if pixel < 20 and 40 < along < 160 and 40 < across < 160 else PAPER


def column(lon, zoom):
    return (lon + 180) / 360 * 2 ** zoom


def row(lat, zoom):
    return (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * 2 ** zoom


def tile(zoom, x, y):
    # Metres along the equator are good enough for a town that does not exist.
    metres = 40_075_017 * math.cos(math.radians(45.8)) / 2 ** zoom
    left = (x - column(AREA[1], zoom)) * metres
    top = (y - row(AREA[2], zoom)) * metres
    pixel = metres / SIZE
    step = 4
    rows = []
    for down in range(0, SIZE, step):
        line = b"".join(bytes(colour(left + across * pixel, top + down * pixel, pixel)) * step for across in range(0, SIZE, step))
        rows += [line] * step
    return png(rows)


def main(path):
    with sqlite3.connect(path) as file:
        file.executescript("""
            CREATE TABLE metadata (name text, value text);
            CREATE TABLE tiles (zoom_level integer, tile_column integer, tile_row integer, tile_data blob,
                PRIMARY KEY (zoom_level, tile_column, tile_row));
        """)
        file.executemany("INSERT INTO metadata VALUES (?, ?)", [
            ("name", "Grad"), ("format", "png"), ("attribution", "© <b>Grad</b>"), ("minzoom", str(ZOOMS[0])),
            ("maxzoom", str(ZOOMS[-1])), ("bounds", f"{AREA[1]},{AREA[0]},{AREA[3]},{AREA[2]}")])
        for zoom in ZOOMS:
            for x in range(int(column(AREA[1], zoom)), int(column(AREA[3], zoom)) + 1):
                for y in range(int(row(AREA[2], zoom)), int(row(AREA[0], zoom)) + 1):
                    file.execute("INSERT INTO tiles VALUES (?, ?, ?, ?)", (zoom, x, 2 ** zoom - 1 - y, tile(zoom, x, y)))


if __name__ == "__main__":
    main(sys.argv[1])
