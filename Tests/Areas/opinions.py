"""Prints places by chance, and what pygeohash calls their cells: `45.1 15.2 u24abc`. The argument is where chance begins."""

import random
import sys

import pygeohash

chance = random.Random(int(sys.argv[1]))
places = [(chance.uniform(-90, 90), chance.uniform(-180, 180)) for _ in range(5000)]
# Where people are, and where cells meet.
places += [(chance.uniform(42, 47), chance.uniform(13, 20)) for _ in range(5000)]
places += [
    (chance.randrange(32768) * 180 / 32768 - 90, chance.randrange(32768) * 360 / 32768 - 180) for _ in range(5000)
]
for lat, lon in places:
    print(repr(lat), repr(lon), pygeohash.encode(lat, lon, precision=6))
