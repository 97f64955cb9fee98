"""Stand-ins for what Kurir asks far away: Photon, Nominatim, OSRM and Open-Meteo, with answers as their documentation has them.

The first part of a path says how it goes: `right`, or one of the ways in which it goes wrong; with `tiles` it is a map's. Each question is a line of
JSON on standard output, after a first one with the address. SIGUSR1 takes them away and gives them back; SIGTERM ends them.
Of every text with "nowhere" in it nobody knows anything; places beyond the 80th degree have no roads, and those at the 84th a time zone
that there is not. At the 50th degree it rains now, snows in three hours, and there is a storm in six."""
import base64
import datetime
import http.server
import json
import math
import os
import re
import signal
import socketserver
import threading
import time
import urllib.parse
import zoneinfo

PLACES = [
    # Name, street, number, postcode, town, latitude, longitude.
    ("", "Ilica", "1", "10000", "Zagreb", 45.81302, 15.97726),
    ("", "Ilica", "10", "10000", "Zagreb", 45.81311, 15.97533),
    ("Muzej za umjetnost i obrt", "Trg Republike Hrvatske", "10", "10000", "Zagreb", 45.80935, 15.96856),
    ("", "Savska cesta", "102", "10000", "Zagreb", 45.79643, 15.96012),
    ("", "Žrtava fašizma", "7", "21000", "Split", 43.50891, 16.43915),
]
# One grey pixel, which browsers stretch.
TILE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==")
HEARD = {signal.SIGUSR1, signal.SIGTERM}


# Several threads say something, and `print` writes a line's end by itself: two lines would become one.
LINE = threading.Lock()


def say(**what):
    with LINE:
        print(json.dumps(what), flush=True)


def known(text):
    words = text.casefold().split()
    return [one for one in PLACES if "nowhere" not in words and all(word in " ".join(map(str, one)).casefold() for word in words)]


def photon(query):
    # https://github.com/komoot/photon#search
    if query.get("lang", ["default"])[0] not in ("default", "en", "de", "fr"):
        return 400, {"message": f"language {query['lang'][0]} is not supported, supported languages are: default, en, de, fr"}
    if not query.get("q", [""])[0].strip():
        return 400, {"message": "missing search term 'q': /?q=berlin"}
    return 200, {"type": "FeatureCollection", "features": [{
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [lon, lat]},
        "properties": {
            "osm_type": "N", "osm_id": 1, "osm_key": "tourism" if name else "building", "osm_value": "yes", "type": "house",
            "countrycode": "HR", "country": "Hrvatska", "postcode": postcode, "city": town, "street": street, "housenumber": number,
        } | ({"name": name} if name else {}),
    } for name, street, number, postcode, town, lat, lon in known(query["q"][0])[:int(query.get("limit", ["15"])[0])]]}


def nominatim(query):
    # https://nominatim.org/release-docs/latest/api/Search/
    if query.get("format", [""])[0] != "jsonv2" or "q" not in query:
        return 400, {"error": {"code": 400, "message": "Parameter 'format' must be one of: json, jsonv2, geojson, geocodejson"}}
    return 200, [{
        "place_id": 1, "licence": "Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright", "osm_type": "node",
        "osm_id": 1, "lat": str(lat), "lon": str(lon), "category": "place", "type": "house", "place_rank": 30, "importance": 0.1,
        "addresstype": "place", "name": name, "display_name": f"{number}, {street}, {town}, {postcode}, Hrvatska",
        "address": {"house_number": number, "road": street, "city": town, "postcode": postcode, "country": "Hrvatska", "country_code": "hr"},
        "boundingbox": [str(lat), str(lat), str(lon), str(lon)],
    } for name, street, number, postcode, town, lat, lon in known(query["q"][0])[:int(query.get("limit", ["10"])[0])]]


def way(here, there):
    """Meters and seconds between two places, on roads that are half as long again as a straight line."""
    north = (here[1] - there[1]) * 111_195
    east = (here[0] - there[0]) * 111_195 * math.cos(math.radians(here[1]))
    meters = math.hypot(north, east) * 1.5
    return round(meters, 1), round(meters / 8, 1)


def osrm(service, points, query):
    # https://project-osrm.org/docs/v5.24.0/api/
    places = [tuple(map(float, point.split(","))) for point in points.split(";")]
    if any(not (-180 <= lon <= 180 and -90 <= lat <= 90) for lon, lat in places) or len(places) > 100:
        return 400, {"code": "InvalidQuery", "message": "Query string malformed close to position 0"}
    ends = [{"hint": "", "distance": 4.2, "name": "Ilica", "location": list(place)} for place in places]
    lost = [abs(lat) > 80 for _, lat in places]
    if service == "table":
        if query.get("annotations", [""])[0] != "duration,distance":
            return 400, {"code": "InvalidOptions", "message": "Options are invalid"}
        table = [[None if a != b and (lost[a] or lost[b]) else way(here, there) for b, there in enumerate(places)]
                 for a, here in enumerate(places)]
        return 200, {"code": "Ok", "sources": ends, "destinations": ends,
                     "distances": [[one and one[0] for one in row] for row in table],
                     "durations": [[one and one[1] for one in row] for row in table]}
    if any(lost):
        return 400, {"code": "NoRoute", "message": "Impossible route between points"}
    legs = [dict(zip(("distance", "duration"), way(*pair))) | {"steps": [], "summary": "", "weight": 1} for pair in zip(places, places[1:])]
    return 200, {"code": "Ok", "waypoints": ends, "routes": [{
        "legs": legs, "distance": sum(leg["distance"] for leg in legs), "duration": sum(leg["duration"] for leg in legs),
        "weight_name": "routability", "weight": 1, "geometry": {"type": "LineString", "coordinates": [list(place) for place in places]}}]}


# West, and the time zone from there on.
ZONES = [(-180, "Pacific/Honolulu"), (-80, "America/New_York"), (-30, "GMT"), (5, "Europe/Zagreb"), (60, "Asia/Kolkata"), (120, "Asia/Tokyo")]


def meteo(query):
    # https://open-meteo.com/en/docs
    lat, lon = float(query["latitude"][0]), float(query["longitude"][0])
    zone = [name for west, name in ZONES if west <= lon][-1]
    now = datetime.datetime.now(zoneinfo.ZoneInfo(zone))
    ahead = int(now.utcoffset().total_seconds())
    midnight = int(now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp())
    past, days = int(query.get("past_days", ["0"])[0]), int(query.get("forecast_days", ["7"])[0])
    times = [midnight + 3600 * hour for hour in range(-24 * past, 24 * days)]
    dates = times[::24]
    codes = [71 if hour % 24 == 5 else 95 if hour % 24 == 17 else 3 for hour in range(len(times))]
    if lat == 50:
        first = 24 * past + now.hour
        codes = [3] * first + [63, 63, 3, 71, 3, 3, 95] + [3] * (len(times) - first - 7)
    if query.get("timeformat") != ["unixtime"]:
        # What is written out has one distance from UTC throughout.
        times, dates = [[datetime.datetime.fromtimestamp(time + ahead, datetime.timezone.utc).strftime(form) for time in some]
                        for some, form in [(times, "%Y-%m-%dT%H:%M"), (dates, "%Y-%m-%d")]]
    hours = range(len(times))
    return 200, {
        "latitude": lat, "longitude": lon, "utc_offset_seconds": ahead, "elevation": 120.0,
        "timezone": "Mars/Olympus" if lat == 84 else zone, "timezone_abbreviation": now.tzname(),
        "current": {"time": times[0], "interval": 900, "temperature_2m": 7.5, "relative_humidity_2m": 81, "precipitation": 0.1,
                    "weather_code": 61, "wind_speed_10m": 12.3},
        "hourly": {
            "time": times, "temperature_2m": [hour % 24 - 4.5 for hour in hours], "relative_humidity_2m": [60 + hour % 24 for hour in hours],
            "precipitation": [0.2 if hour % 24 == 5 else 0.0 for hour in hours],
            "precipitation_probability": [hour % 24 * 4 if hour < 150 else None for hour in hours],
            "weather_code": codes,
            "wind_speed_10m": [10.0 + hour % 24 for hour in hours],
        },
        "daily": {"time": dates, "weather_code": [61] * len(dates), "temperature_2m_max": [21.5] * len(dates), "temperature_2m_min": [-6.5] * len(dates)},
    }


def answer(path, query):
    if path == "/api":
        return photon(query)
    if path == "/search":
        return nominatim(query)
    if path == "/v1/forecast":
        return meteo(query)
    if found := re.fullmatch(r"/(table|route)/v1/driving/([0-9.,;-]+)", path):
        return osrm(*found.groups(), query)
    return 404, {"message": "Not found"}


def lie(value, number, text):
    """The same answer with other numbers and texts."""
    if isinstance(value, dict):
        return {name: lie(inner, number, text) for name, inner in value.items()}
    if isinstance(value, list):
        return [lie(inner, number, text) for inner in value]
    if isinstance(value, (int, float)):
        return number(value)
    return str(number(float(value))) if re.fullmatch(r"[0-9]+\.[0-9]+", value) else text(value)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body, **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        _, how, path = parts.path.split("/", 2)
        query = urllib.parse.parse_qs(parts.query)
        say(how=how, path="/" + path, query=parts.query, agent=self.headers.get("User-Agent", ""), at=time.monotonic())
        status, found = answer("/" + path, query)
        body = json.dumps(found).encode()
        try:
            getattr(self, how)(status, found, body)
        except OSError:
            pass

    def right(self, status, _, body):
        self.send(status, body)

    def tiles(self, *_):
        self.send(200, TILE, Content_Type="image/png")

    def slow(self, *_):
        # Until the other side has had enough.
        self.connection.settimeout(60)
        self.rfile.read(1)

    def broken(self, *_):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"type": "Feat')
        self.close_connection = True

    def garbage(self, *_):
        self.send(200, b"<html>It works</html>")

    def wrong(self, *_):
        self.send(200, b'{"code": "Ok", "features": {}, "routes": 7, "distances": [[1]], "durations": "none"}')

    def failing(self, *_):
        self.send(500, b'{"message": "Internal Server Error"}')

    def lying(self, status, found, _):
        self.send(status, json.dumps(lie(found, lambda number: -1e6 * (number + 1), str)).encode())

    def boasting(self, status, found, _):
        self.send(status, json.dumps(lie(found, lambda number: 1e300 * (abs(number) + 1), str)).encode())

    def marked(self, status, found, _):
        marked = lie(found, lambda number: number, lambda text: text if text in ("Ok", "FeatureCollection") else f"<b>{text}</b>\u202e")
        self.send(status, json.dumps(marked).encode())

    def stopped(self, status, found, _):
        # The weather of ten days ago.
        hourly = found["hourly"] | {"time": [time - 240 * 3600 for time in found["hourly"]["time"]]}
        self.send(status, json.dumps(found | {"hourly": hourly}).encode())

    def huge(self, *_):
        self.send(200, b'{"features": [' + b'"long",' * 1_500_000 + b'"end"]}')

    def endless(self, *_):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            self.wfile.write(b"1\r\n \r\n")
            time.sleep(0.01)

    def dripping(self, *_):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        while True:
            self.wfile.write(b" ")
            time.sleep(1)

    def elsewhere(self, *_):
        self.send(302, b"", Location=f"http://{self.headers['Host']}/right/api?q=ilica")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64


def start(port):
    server = Server(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    # Threads inherit it: the main one alone hears signals.
    signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
    server = start(0)
    port = server.server_address[1]
    say(address=f"http://127.0.0.1:{port}")
    while signal.sigwait(HEARD) != signal.SIGTERM:
        if server:
            server.shutdown()
            server.server_close()
            server = None
        else:
            server = start(port)
        say(here=server is not None)
    # Its threads would go on.
    os._exit(0)


if __name__ == "__main__":
    main()
