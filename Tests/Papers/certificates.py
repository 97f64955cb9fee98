"""Makes EU Digital COVID Certificates with libraries that others wrote (cwt, cbor2, base45): good ones, and bad ones of each kind.

Prints one JSON object: `keys`, as --dcc-keys takes them, and `codes`, each under its name; `broken` has those that must not be kept.
Arguments: the time that it is, in seconds since 1970, and perhaps a file for all of it and one for the keys."""

import base64
import datetime
import json
import pathlib
import random
import sys
import zlib

import base45
import cbor2
import cwt
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

DAY = 86_400
# The test certificate of nobody: names that a leak would show.
HOLDER = {"fn": "Horvatinčić", "gn": "Zvjezdana", "fnt": "HORVATINCIC", "gnt": "ZVJEZDANA"}
BORN = "1987-06-05"


class Issuer:
    """Signs with a key of its own."""

    def __init__(self, kid: bytes, algorithm: str):
        self.kid, self.algorithm = kid, algorithm
        self.key = (
            ec.generate_private_key(ec.SECP256R1())
            if algorithm == "ES256"
            else rsa.generate_private_key(public_exponent=65537, key_size=2048)
        )

    @property
    def spki(self) -> str:
        key = self.key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(key).decode()

    def signed(self, claims: dict, kid: bytes | None = None) -> bytes:
        """COSE_Sign1 with these claims."""
        pem = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        key = cwt.COSEKey.from_pem(pem, kid=kid or self.kid, alg=self.algorithm)
        return cwt.encode(claims, key)


    def signed_by_open_head(self, claims: dict) -> bytes:
        """What says how it is signed where anybody could have written it."""
        return self.signed_with(b"", {1: -7, 4: self.kid}, claims)

    def signed_with_a_condition(self, claims: dict) -> bytes:
        """What may be taken only by whoever knows what 99 is."""
        return self.signed_with(cbor2.dumps({1: -7, 2: [99], 4: self.kid, 99: 1}), {}, claims)

    def signed_with(self, head: bytes, open_head: dict, claims: dict) -> bytes:
        payload = cbor2.dumps(claims)
        numbers = self.key.sign(cbor2.dumps(["Signature1", head, b"", payload]), ec.ECDSA(hashes.SHA256()))
        signature = b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(numbers))
        return cbor2.dumps(cbor2.CBORTag(18, [head, open_head, payload, signature]))


def code(signed: bytes) -> str:
    return "HC1:" + base45.b45encode(zlib.compress(signed, 9)).decode()


def day(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")


def moment(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def there(seconds: float, hours: int) -> str:
    return moment(seconds + hours * 3600).removesuffix("Z")


def claims(now: float, kind: str, event: dict, expires: float | None = None, **more) -> dict:
    common = {"tg": "840539006", "co": "HR", "is": "Ministry of Health", "ci": "URN:UVCI:01:HR:TAJNA12345#K"}
    certificate = {"ver": "1.3.0", "nam": HOLDER, "dob": BORN, kind: [common | event]}
    # Without a beginning the library would say the moment at which it signs, before which tests may have begun.
    issued = int(now - DAY)
    return {1: "HR", 4: int(expires or now + 365 * DAY), 5: issued, 6: issued, -260: {1: certificate | more}}


def recovery(now: float, since: float) -> dict:
    first = now - since * DAY
    return {"fr": day(first), "df": day(first + 11 * DAY), "du": day(first + 180 * DAY)}


def vaccination(now: float, since: float, dose: int = 2, doses: int = 2) -> dict:
    dt = day(now - since * DAY)
    return {"vp": "1119349007", "mp": "EU/1/20/1528", "ma": "ORG-100030215", "dn": dose, "sd": doses, "dt": dt}


def test(now: float, hours: float, result: str = "260415000", kind: str = "LP6464-4") -> dict:
    return {"tt": kind, "nm": "Roche cobas", "ma": "1341", "tr": result, "sc": moment(now - hours * 3600), "tc": "Fran Mihaljević"}


def make(now: float) -> dict:
    curve, rsa_, stranger = Issuer(b"curve-01", "ES256"), Issuer(b"rsa-0001", "PS256"), Issuer(b"stranger", "ES256")
    codes = {}
    for name, event in {
        "recovery": ("r", recovery(now, 60)),
        "recovery not yet": ("r", recovery(now, 5)),
        "recovery expired": ("r", recovery(now, 190)),
        "recovery contradicting itself": ("r", {"fr": day(now - 400 * DAY), "df": day(now - 10 * DAY), "du": day(now + 99 * DAY)}),
        "vaccination": ("v", vaccination(now, 100)),
        "vaccination not yet": ("v", vaccination(now, -3)),
        "vaccination incomplete": ("v", vaccination(now, 10, 1, 2)),
        "vaccination booster": ("v", vaccination(now, 10, 3, 2)),
        "vaccination expired": ("v", vaccination(now, 280)),
        "pcr": ("t", test(now, 71)),
        "pcr expired": ("t", test(now, 73)),
        "pcr not yet": ("t", test(now, -2)),
        # The EU's schema has four ways to say how far a time is from Greenwich. Whoever took none of it into account would be wrong by it.
        **{f"pcr at {zone}": ("t", test(now, 71) | {"sc": there(now - 71 * 3600, 2) + zone}) for zone in ("+02", "+0200", "+02:00")},
        **{f"pcr expired at {zone}": ("t", test(now, 73) | {"sc": there(now - 73 * 3600, 2) + zone}) for zone in ("+02", "+0200")},
        "pcr positive": ("t", test(now, 1, "260373001")),
        "pcr positive and over": ("t", test(now, 99, "260373001")),
        "vaccination incomplete and over": ("v", vaccination(now, 300, 1, 2)),
        "vaccination incomplete and not yet": ("v", vaccination(now, -3, 1, 2)),
        "antigen": ("t", test(now, 47, kind="LP217198-3")),
        "antigen expired": ("t", test(now, 49, kind="LP217198-3")),
    }.items():
        codes[name] = code(curve.signed(claims(now, *event)))
        codes[name + " PS256"] = code(rsa_.signed(claims(now, *event)))
    good = claims(now, "v", vaccination(now, 100))
    for name, issuer, other in (("ES256", curve, stranger), ("PS256", rsa_, Issuer(b"x", "PS256"))):
        signed = issuer.signed(good)
        codes[f"forged signature {name}"] = code(signed[:-1] + bytes([signed[-1] ^ 1]))
        codes[f"forged key {name}"] = code(other.signed(good, kid=issuer.kid))
        parts = cbor2.loads(signed).value
        changed = parts[2].replace(b"ZVJEZDANA", b"BRANIMIRA")
        codes[f"forged name {name}"] = code(cbor2.dumps(cbor2.CBORTag(18, [parts[0], parts[1], changed, parts[3]])))
    codes["forged by the other's algorithm"] = code(rsa_.signed(good, kid=curve.kid))
    codes["unknown key"] = code(stranger.signed(good))
    codes["expired by its claim"] = code(curve.signed(claims(now, "v", vaccination(now, 100), expires=now - 5)))
    later = claims(now, "v", vaccination(now, 100))
    codes["issued later"] = code(curve.signed(later | {6: int(now + DAY)}))
    codes["good later"] = code(curve.signed(later | {5: int(now + DAY)}))
    codes["of several doses"] = code(
        curve.signed(claims(now, "v", {}, v=[vaccination(now, 300, 1, 2), vaccination(now, 20, 2, 2)]))
    )
    codes["forged by a head that nobody signed"] = code(curve.signed_by_open_head(good))
    bare = cbor2.loads(curve.signed(good)).value
    codes["nearly 64 KiB"] = code(swollen(bare, 60_000))
    codes["without tags"] = code(cbor2.dumps(bare))
    codes["with two tags"] = code(cbor2.dumps(cbor2.CBORTag(61, cbor2.CBORTag(18, bare))))
    return {
        "keys": {base64.b64encode(issuer.kid).decode(): issuer.spki for issuer in (curve, rsa_)},
        "codes": codes,
        "broken": broken(codes["vaccination"], curve, good, now),
    }


def swollen(parts: list, size: int) -> bytes:
    """The same certificate with so much beside what is signed."""
    return cbor2.dumps(cbor2.CBORTag(18, [parts[0], {**parts[1], "x": "x" * size}, *parts[2:]]))


def broken(whole: str, issuer: Issuer, good: dict, now: float) -> dict:
    """What must not be kept."""
    packed = base45.b45decode(whole[4:])
    signed = zlib.decompress(packed)
    deep = b"\x81" * 60_000 + b"\x00"
    no_event = {**good, -260: {1: {"ver": "1.3.0", "nam": HOLDER, "dob": BORN}}}
    two_events = claims(now, "v", vaccination(now, 100), r=[recovery(now, 60)])
    codes = {f"cut at {part}": whole[: len(whole) * part // 10] for part in range(1, 10)}
    codes |= {
        "nothing": "HC1:",
        "no base45": "HC1:" + "abc" * 50,
        "not small": "HC1:" + base45.b45encode(signed).decode(),
        "half a stream": "HC1:" + base45.b45encode(packed[:-6]).decode(),
        "more behind": "HC1:" + base45.b45encode(packed + b"x").decode(),
        "a bomb": "HC1:" + base45.b45encode(zlib.compress(bytes(4_000_000), 9)).decode(),
        "more than 64 KiB": code(swollen(cbor2.loads(signed).value, 66_000)),
        "a bomb of arrays": "HC1:" + base45.b45encode(zlib.compress(deep, 9)).decode(),
        "an array of a billion": code(b"\x9a\x3f\xff\xff\xff"),
        "a text of a billion": code(b"\x7a\x3f\xff\xff\xff"),
        "many items": code(b"\x99\xff\x00" + bytes(0xFF00)),
        "a condition that nobody knows": code(issuer.signed_with_a_condition(good)),
        "no signature": code(cbor2.dumps(good)),
        "three parts": code(cbor2.dumps([b"", {}, b""])),
        "no certificate": code(issuer.signed({1: "HR", 4: int(now) + DAY})),
        "no event": code(issuer.signed(no_event)),
        "two events": code(issuer.signed(two_events)),
        "no name": code(issuer.signed(claims(now, "v", vaccination(now, 100), nam={}))),
        "another schema": code(issuer.signed(claims(now, "v", vaccination(now, 100), ver="2.0.0"))),
        "no day": code(issuer.signed(claims(now, "v", {"dn": 1, "sd": 1, "dt": "2021-02-30"}))),
        "no result": code(issuer.signed(claims(now, "t", test(now, 1, "419984006")))),
        "a long name": code(issuer.signed(claims(now, "v", vaccination(now, 100), nam={"fn": "x" * 10_000}))),
    }
    # Whoever takes the amount of the least number, or counts it in thousandths, stops. No signature is looked at before.
    for claim in (4, 5, 6):
        for time in (-(2**63), 2**63 - 1, -1, float("nan"), float("inf"), "soon"):
            codes[f"claim {claim} at {time}"] = code(issuer.signed_by_open_head(good | {claim: time}))
    chance = random.Random(1)
    for number in range(20):
        codes[f"chance {number}"] = code(chance.randbytes(500))
    return codes


if __name__ == "__main__":
    made = make(float(sys.argv[1]))
    print(json.dumps(made))
    for path, part in zip(sys.argv[2:], (made, made["keys"])):
        pathlib.Path(path).write_text(json.dumps(part))
