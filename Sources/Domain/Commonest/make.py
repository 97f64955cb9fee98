"""Makes table.bin: the 10,000 commonest passwords that are long enough to be chosen, as hashes.

Which they are is known from passwords that were stolen and published. Two counts of those come with Python packages: Django's,
and zxcvbn's. A password has the better of its two places. What is kept of it is 40 bits of a hash (FNV-1a, 64 bits), in order:
50 kB, by which one other password in a hundred million is refused, too.

    make passwords
"""
import gzip
import pathlib

import django.contrib.auth
import zxcvbn.frequency_lists

COUNT, LEAST = 10_000, 8


def hashed(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value >> 24


def commonest():
    file = pathlib.Path(django.contrib.auth.__file__).with_name("common-passwords.txt.gz")
    counts = [gzip.decompress(file.read_bytes()).decode().split(), zxcvbn.frequency_lists.FREQUENCY_LISTS["passwords"]]
    places = {}
    for count in counts:
        long_enough = [word.lower() for word in count if len(word) >= LEAST]
        for place, word in enumerate(long_enough):
            places[word] = min(place, places.get(word, place))
    return sorted(places, key=lambda word: (places[word], word))[:COUNT]


table = sorted({hashed(word) for word in commonest()})
assert len(table) == COUNT
pathlib.Path(__file__).with_name("table.bin").write_bytes(b"".join(number.to_bytes(5, "big") for number in table))
