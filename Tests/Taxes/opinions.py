"""Makes up numbers for taxes, country by country, and prints what python-stdnum thinks of each: `HR 12345678903 1`."""

import random
import string
import sys

from stdnum.exceptions import ValidationError
from stdnum.util import get_cc_module

# How numbers look: d is a digit, l a letter, x either, and everything else is itself.
FORMS = {
    "AT": ["Udddddddd"], "BE": ["0ddddddddd", "1ddddddddd", "dddddddddd"], "BG": ["ddddddddd", "dddddddddd"],
    "CY": ["ddddddddl"], "CZ": ["dddddddd", "6dddddddd", "ddddddddd", "dddddddddd"], "DE": ["ddddddddd"],
    "DK": ["dddddddd"], "EE": ["ddddddddd"],
    "ES": ["ddddddddl", "ldddddddl", "ldddddddd", "Xdddddddl", "Mdddddddl"], "FI": ["dddddddd"],
    "FR": ["ddddddddddd", "ldddddddddd", "dlddddddddd", "llddddddddd", "dd000dddddd"], "GR": ["ddddddddd", "dddddddd"],
    "HR": ["ddddddddddd"], "HU": ["dddddddd"], "IE": ["dddddddl", "dddddddll", "dldddddl", "d+dddddl", "d*dddddl"],
    "IT": ["ddddddd0ddd", "ddddddd120d", "ddddddddddd"], "LT": ["ddddddd1d", "dddddddddd1d", "ddddddddd"],
    "LU": ["dddddddd"], "LV": ["ddddddddddd", "32ddddddddd"], "MT": ["dddddddd"],
    "NL": ["dddddddddBdd", "dddddddddldd"], "PL": ["dddddddddd"], "PT": ["ddddddddd"],
    "RO": ["d" * length for length in range(2, 11)], "SE": ["dddddddddd01", "dddddddddddd"], "SI": ["dddddddd"],
    "SK": ["dddddddddd"], "XI": ["ddddddddd", "dddddddddddd", "GDddd", "HAddd"],
}  # fmt: skip
# Those of persons begin with a date: by chance there would be next to none.
BIRTHS = {
    "BG": lambda day, month, year: f"{year % 100:02}{month + chance.choice([0, 20, 40]):02}{day:02}",
    "CZ": lambda day, month, year: f"{year % 100:02}{month + chance.choice([0, 20, 50, 70]):02}{day:02}",
    "LV": lambda day, month, year: f"{day:02}{month:02}{year % 100:02}{chance.choice('012')}",
}
REST = {"BG": ["dddd"], "CZ": ["ddd", "dddd"], "LV": ["dddd"]}
CHARACTERS = {"d": string.digits, "l": string.ascii_uppercase, "x": string.digits + string.ascii_uppercase}

chance = random.Random(int(sys.argv[1]))


def drawn(form):
    return "".join(chance.choice(CHARACTERS.get(place, place)) for place in form)


def made(country):
    if country in BIRTHS and chance.random() < 0.5:
        day, month, year = chance.randint(1, 32), chance.randint(1, 13), chance.randint(1900, 2010)
        return BIRTHS[country](day, month, year) + drawn(chance.choice(REST[country]))
    return drawn(chance.choice(FORMS[country]))


def is_valid(country, number):
    module = get_cc_module("gb" if country == "XI" else country, "vat")
    try:
        module.validate(("EL" if country == "GR" else country) + number)
    except (ValidationError, ValueError, IndexError, KeyError):
        return False
    return True


def tell(country, number):
    # Of these the library itself says that it does not know.
    if country != "SK" or not get_cc_module("sk", "rc").is_valid(number):
        print(country, number, int(is_valid(country, number)))


def damaged(number):
    """One character is another, or two have changed places, or one is missing or too much."""
    place = chance.randrange(len(number) - 1)
    match chance.randrange(4):
        case 0: return number[:place] + chance.choice(string.digits) + number[place + 1:]
        case 1: return number[:place] + number[place + 1] + number[place] + number[place + 2:]
        case 2: return number[:place] + number[place + 1:]
        case _: return number[:place] + chance.choice(string.digits) + number[place:]


for country in FORMS:
    valid = 0
    for _ in range(400_000):
        number = made(country)
        if is_valid(country, number):
            valid += 1
            tell(country, number)
            tell(country, damaged(number))
            if valid == 1000:
                break
    assert valid >= 500, f"{country}: {valid} valid numbers"
    for _ in range(1000):
        tell(country, made(country))
