"""Calls every operation so that it succeeds, and holds each answer to the description: what chance would not reach."""

import io
import re
import struct
import time
import zlib

import numpy
import requests
import schemathesis
import zxingcpp
from PIL import Image

import closed  # noqa: F401, for its hook

PASSWORD = "krumpir-na-tavi"
# Their codes and links leave by e-mail or SMS alone.
OUT_OF_REACH = {("put_password_resets", 204), ("get_undo_token", 200), ("post_undo_token", 200),
    # There is no file of tiles.
    ("get_tiles_z_x_y", 200)} | {
    call for place in ["phone", "email"]
    for call in [(f"put_me_{place}", 202), (f"post_me_{place}_code", 202), (f"post_me_{place}_confirm", 200)]
}


class Walk:
    def __init__(self, address):
        self.address = address
        self.schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
        self.reached = set()

    def call(self, operation_id, status=200, token=None, **parts):
        """One call, which must be answered with that status and as the description says; gives the answer's JSON."""
        case = self.schema.find_operation_by_id(operation_id).Case(**parts)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = case.call(base_url=self.address, headers=headers, timeout=60)
        assert response.status_code == status, f"{operation_id}: {response.status_code} {response.text}"
        case.validate_response(response)
        self.reached.add((operation_id, status))
        return response.json() if "application/json" in response.headers.get("content-type", "") else None

    def missed(self):
        """What is promised for success and was not reached."""
        operations = [operation for path in self.schema.raw_schema["paths"].values() for operation in path.values()]
        promised = {
            (operation["operationId"], int(status))
            for operation in operations
            for status in operation["responses"]
            if status.startswith("2")
        }
        return promised - self.reached - OUT_OF_REACH


def walk(address, key):
    """Goes all the way, and gives the tokens of a store and a courier who are partners."""
    way = Walk(address)
    store = way.call("post_stores", 201, body=store_form())["session"]["token"]
    made = way.call("post_invites", 201, store, body={"phone": "+385911111111", "message": "Do sutra!"})
    way.call("post_invites", 200, store, body={"phone": "091 111 1111"})
    way.call("get_i_code_inviter", path_parameters={"code": made["code"]})
    form = courier_form("+385911111111") | {"invite_code": made["code"]}
    courier = way.call("post_couriers", 201, body=form)["session"]["token"]

    look(way, store, courier, made["code"])
    way.call("get_about")
    befriend(way, store, courier)
    carry(way, store, courier)
    keep_house(way, store, courier)
    empty_the_outbox(way, store, courier, key)
    sign_in_and_out(way, courier)
    leave(way)
    assert not way.missed(), f"not reached: {sorted(way.missed())}"
    return store, courier


def look(way, store, courier, code):
    for page in ["courier", "store", "worker_js", "healthz", "readyz", "openapi_json", "docs"]:
        way.call(f"get_{page}")
    way.call("get")
    way.call("get_favicon_ico")
    way.call("get_i_code_qr_svg", path_parameters={"code": code})
    way.call("get_courier_id_qr_svg", path_parameters={"id": "01a1fc35-081c-7c93-9601-9d67685da334"})
    version = re.search(r"/assets/([^/]+)/", requests.get(f"{way.address}/", timeout=60).text)[1]
    way.call("get_assets_version_name", path_parameters={"version": version, "name": "dom.js"})
    for page in ["apple_app_site_association", "assetlinks_json", "kurir_proof_keys"]:
        way.call(f"get_well_known_{page}")
    way.call("get_i_code", 410, path_parameters={"code": code})
    way.call("get_i_code", 404, path_parameters={"code": "00000-00000"})
    for token in [store, courier]:
        for things in ["me", "me_security", "sessions", "invites", "partners"]:
            way.call(f"get_{things}", token=token)
    own = way.call("get_me", token=courier)["id"]
    for query in [{}, {"partner": "true"}, {"partner": "false", "q": "an", "limit": 1}, {"sort": "reliability"}]:
        way.call("get_couriers", token=store, query=query)
    way.call("get_couriers_id_cancellations", token=courier, path_parameters={"id": own})


def picture():
    """A red dot as PNG."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"")


def befriend(way, store, courier):
    """Ends the partnership, and begins it again by a code."""
    own = {"courier_id": way.call("get_me", token=courier)["id"]}
    way.call("delete_partners_courier_id", 204, store, path_parameters=own)
    made = way.call("post_invites", 201, store, body=own)
    way.call("delete_invites_id", 204, store, path_parameters={"id": made["id"]})
    code = way.call("post_invites", 201, store, body=own)["code"]
    way.call("get_i_code", path_parameters={"code": code})
    for token in [store, courier]:
        way.call("get_invites", token=token)
    way.call("post_partners", 201, courier, body={"code": code})
    way.call("delete_partners_courier_id", 204, store, path_parameters=own)
    invite = {"id": way.call("post_invites", 201, store, body=own)["id"]}
    way.call("post_invites_id_accept", 201, courier, path_parameters=invite)


def carry(way, store, courier):
    """Deliveries through all that can become of them, and what is told of them."""
    sent = way.call("post_files", 201, courier, body=picture(), media_type="image/png")
    way.call("get_files_id", token=courier, path_parameters={"id": sent["id"]})
    form = {
        "recipient": {
            "first_name": "Iva", "last_name": "Ivić", "address": "Vukovarska 5, Split", "phone": "+385919998877",
            "location": {"lat": 43.508, "lon": 16.44},
        },
        "description": "Torta", "instructions": "Zvoniti dvaput", "reference": "A-1",
        "pickup": {"address": "Ilica 7, Zagreb", "instructions": "Iz dvorišta"},
        "parcel": {"pieces": 2, "weight_g": 1500, "size": "small", "value": {"amount": 4500, "currency": "EUR"}},
        "offer": {"mode": "in_turn", "order": "reliable", "each_seconds": 90},
        "window": {"until": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 86400))},
        "cash": {"amount": 1200, "currency": "EUR"}, "pay": {"amount": 350, "currency": "EUR"}, "proof": {"pin": False},
        "courier_ids": [way.call("get_me", token=courier)["id"]],
    }  # fmt: skip
    delivery = {"id": way.call("post_deliveries", 201, store, body=form)["id"]}
    way.call("patch_deliveries_id", token=store, path_parameters=delivery, body={"reference": None})
    for query in [{}, {"status": "pending,in_progress"}, {"q": "torta", "limit": 1}]:
        for token in [store, courier]:
            way.call("get_deliveries", token=token, query=query)
    way.call("post_deliveries_id_accept", token=courier, path_parameters=delivery)
    way.call("post_deliveries_id_reassign", token=store, path_parameters=delivery, body={"courier_ids": form["courier_ids"]})
    way.call("post_deliveries_id_accept", token=courier, path_parameters=delivery)
    url = way.call("post_deliveries_id_tracking", token=store, path_parameters=delivery)["url"]
    link = {"token": url.rsplit("/", 1)[1]}
    way.call("get_tracking_token", path_parameters=link)
    way.call("get_t_token", path_parameters=link)
    way.call("post_tracking_token_wish", path_parameters=link, body={"text": "Ne zvonite"})
    way.call("post_deliveries_id_pick_up", token=courier, path_parameters=delivery, body={"note": "topla", "photo_ids": [sent["id"]]})
    way.call("put_me_route", 204, courier, body={"delivery_ids": [delivery["id"]]})
    way.call("get_deliveries_id", token=store, path_parameters=delivery)
    way.call("patch_me", token=courier, body={"share_position": "always"})
    fix = {"lat": 43.512, "lon": 16.45, "accuracy_m": 8, "speed_mps": 4.5, "heading": 90,
           "at": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
    way.call("post_me_positions", token=courier, body={"fixes": [fix | {"accuracy_m": 5000}, fix]})
    for query in [{}, {"limit": 1}]:
        way.call("get_positions", token=store, query=query)
    way.call("get_me_route_suggestion", token=courier)
    for token in [store, courier]:
        assert way.call("get_deliveries_id", token=token, path_parameters=delivery)["eta"]["by"] == "straight"
    way.call("post_deliveries_id_fail", token=courier, path_parameters=delivery, body={"reason": "nobody_home"})
    handed = {"note": "susjedi", "received_by": "Ivo Ivić", "cash_collected": {"amount": 1200, "currency": "EUR"}}
    way.call("post_deliveries_id_deliver", token=courier, path_parameters=delivery, body=handed)
    way.call("get_me_earnings", token=courier, query={"days": 7})
    way.call("post_deliveries_id_reopen", token=store, path_parameters=delivery, body={"note": "nije stiglo"})
    way.call("post_deliveries_id_deliver", token=courier, path_parameters=delivery, body=handed)
    way.call("post_tracking_token_rating", path_parameters=link, body={"stars": 5, "text": "brzo"})
    way.call("get_tracking_token", path_parameters=link)
    way.call("delete_deliveries_id_tracking", 204, store, path_parameters=delivery)
    way.call("get_t_token", 410, path_parameters=link)
    other, third = [
        {"id": way.call("post_deliveries", 201, store, body=form | {"reference": None})["id"]} for _ in range(2)]
    way.call("post_deliveries_id_decline", token=courier, path_parameters=other)
    way.call("post_deliveries_id_accept", token=courier, path_parameters=third)
    way.call("post_deliveries_id_cancel", token=courier, path_parameters=third, body={"reason": "vehicle", "note": "guma"})
    own = {"id": form["courier_ids"][0]}
    cancelled = {"id": way.call("get_couriers_id_cancellations", token=store, path_parameters=own)["items"][0]["id"]}
    way.call("post_cancellations_id_contest", token=courier, path_parameters=cancelled, body={"note": "led na cesti"})
    way.call("post_cancellations_id_excuse", token=store, path_parameters=cancelled)
    way.call("post_deliveries_id_cancel", token=store, path_parameters=other, body={})
    for token in [store, courier]:
        way.call("get_deliveries_id_proof", token=token, path_parameters=delivery)
        way.call("get_proof_id", token=token, path_parameters=delivery)
        way.call("get_deliveries_id", token=token, path_parameters=delivery)
        way.call("get_deliveries_id_history", token=token, path_parameters=delivery)
        way.call("get_events", token=token)
        way.call("get_events", token=token, query={"after": "now", "wait_seconds": 0})
    way.call("get_deliveries_id_notices", token=store, path_parameters=delivery)
    way.call("get_lifecycle")
    way.call("get_stats", token=store)
    told = way.call("get_stats_areas", token=store, query={"days": 7, "top": 3, "near": "45.81,15.98"})
    way.call("get_stats_areas_cell", token=store, path_parameters={"cell": "u25kes"})
    way.call("get_stats_days_date", token=store, path_parameters={"date": told["to"]})
    way.call("get_me_stats", token=courier, query={"days": 7, "time_zone": "Europe/Zagreb"})


def keep_house(way, store, courier):
    way.call("patch_me", token=courier, body={"first_name": "Eva", "language": "hr", "notifications_enabled": True})
    place = {"name": "Ured", "address": "Ilica 1", "location": {"lat": 45.813, "lon": 15.977}, "phone": "01 4828 111", "note": "2. kat"}
    first, second = [{"id": way.call("post_places", 201, courier, body=place | {"name": name})["id"]} for name in ["Ured", "Dom"]]
    way.call("patch_places_id", 200, courier, path_parameters=first, body={"note": None})
    way.call("put_places_order", 204, courier, body={"ids": [second["id"], first["id"]]})
    for chosen in [first, {"id": None}]:
        way.call("put_places_selected", 200, courier, body=chosen)
    way.call("get_places", token=courier)
    way.call("delete_places_id", 204, courier, path_parameters=second)
    for token in [store, courier]:
        way.call("get_places_search", token=token, query={"q": "i", "near": "45.81,15.98", "own": "true"})
    keep_papers(way, store, courier)
    talk(way, store, courier)
    seen = {"kind": "closure", "road_type": "city", "title": "Most", "text": "Do podneva", "road": "Savska", "location": place["location"]}
    report = {"id": way.call("post_roads", 201, courier, body=seen)["id"]}
    way.call("get_roads", token=store, query={"near": "45.81,15.98", "radius_m": 5000, "kinds": "closure,danger"})
    way.call("get_roads_id", token=store, path_parameters=report)
    for vote in ["still_there", "gone"]:
        way.call(f"post_roads_id_{vote}", token=store, path_parameters=report)
    way.call("get_weather", token=courier, query={"place": first["id"]})
    way.call("get_weather", token=store, query={"lat": 45.81, "lon": 15.98})
    told = way.call("post_bulletin", 201, store, body={"title": "Sutra ne radimo", "text": "Vidimo se.", "link": "https://example.com"})
    way.call("get_bulletin", token=courier)
    way.call("get_bulletin_id", token=courier, path_parameters={"id": told["id"]})
    way.call("delete_bulletin_id", 204, store, path_parameters={"id": told["id"]})
    device = {"token": "device"}
    way.call("put_me_devices_token", 204, courier, path_parameters=device, body={"platform": "apns"})
    way.call("put_me_duty", 200, courier, body={"on": True})
    way.call("delete_me_devices_token", 204, courier, path_parameters=device)
    # Nothing has to be proven here.
    way.call("put_me_phone", 200, courier, body={"phone": "+385911111112", "current_password": PASSWORD})
    way.call("put_me_phone", 200, courier, body={"phone": "+385911111111", "current_password": PASSWORD})
    way.call("put_me_email", 200, store, body={"email": "shop@example.com", "current_password": PASSWORD})
    for method in ["get", "post"]:
        way.call(f"{method}_undo_token", 410, path_parameters={"token": "x"})
    change = {"current_password": PASSWORD, "new_password": PASSWORD}
    way.call("put_me_password", 204, courier, body=change)
    way.call("post_password_resets", 202, body={"phone": "+385911111111"})


def keep_papers(way, store, courier):
    licence = {"raw": "B-123", "kind": "licence", "title": "Vozačka", "valid_until": "2099-01-01"}
    for status in [201, 200]:
        paper = {"id": way.call("post_me_credentials", status, courier, body=licence)["id"]}
    way.call("get_me_credentials", token=courier, query={"valid": "true"})
    way.call("patch_me", token=store, body={"wants": ["licence", "eu_dcc"]})
    shared = {"shared_with": [way.call("get_me", token=store)["id"]]}
    way.call("patch_me_credentials_id", 200, courier, path_parameters=paper, body=shared)
    partner = way.call("get_partners", token=store)["items"][0]
    assert partner["papers"] == {"eu_dcc": "none", "licence": "valid"}
    way.call("get_couriers_id_credentials", token=store, path_parameters={"id": partner["id"]})
    way.call("delete_me_credentials_id", 204, courier, path_parameters=paper)
    file = io.BytesIO()
    code = zxingcpp.create_barcode("916BM-VJ4EQ", zxingcpp.BarcodeFormat.QRCode).to_image(scale=5, add_quiet_zones=True)
    Image.fromarray(numpy.array(code)).save(file, "PNG")
    found = way.call("post_scans", 200, courier, body=file.getvalue(), media_type="image/png")["codes"]
    assert found == [{"format": "qr_code", "text": "916BM-VJ4EQ"}]


def empty_the_outbox(way, store, courier, key):
    """As a gateway does, with a message that arrives and one that does not."""
    claim = {"channel": "sms", "max": 1, "lease_seconds": 60}
    first = way.call("post_outbox_claim", token=key, body=claim)["messages"]
    held = [{"id": message["id"], "lease": message["lease"]} for message in first]
    assert held, "nothing was sent as SMS"
    way.call("post_outbox_extend", token=key, body={"messages": held, "lease_seconds": 60})
    for token in [store, courier]:
        way.call("post_outbox_claim", 401, token, body=claim)
    way.call("post_outbox_nack", token=key, body={"messages": [one | {"reason": "x", "permanent": True} for one in held]})
    dead = way.call("get_outbox_dead", token=key)["items"]
    way.call("get_outbox_stats", token=key)
    way.call("post_outbox_dead_id_retry", 204, key, path_parameters={"id": dead[0]["id"]})
    way.call("post_outbox_ack", token=key, body={"messages": held})


def sign_in_and_out(way, courier):
    form = {"phone": "+385911111111", "password": PASSWORD}
    first, second = [way.call("post_sessions", 201, body=form)["token"] for _ in range(2)]
    way.call("post_sessions", 201, body=form | {"cookie": True})
    way.call("delete_sessions_current", 204, first)
    sessions = way.call("get_sessions", token=second)["items"]
    current = next(session["id"] for session in sessions if session["current"])
    for status in [204, 404]:
        way.call("delete_sessions_id", status, courier, path_parameters={"id": current})


def talk(way, store, courier):
    ids = [way.call("get_me", token=token)["id"] for token in [store, courier]]
    for status, other, token in [(201, ids[1], store), (200, ids[0], courier)]:
        one = {"id": way.call("put_conversations_with_account_id", status, token, path_parameters={"account_id": other})["id"]}
    said = way.call("post_conversations_id_messages", 201, courier, path_parameters=one, body={"text": "Nitko ne otvara"})
    way.call("put_conversations_id_read", 200, store, path_parameters=one, body={"up_to": 1})
    way.call("get_conversations_id_messages", token=store, path_parameters=one)
    way.call("get_conversations_id", token=store, path_parameters=one)
    way.call("get_conversations", token=store, query={"q": "ana", "hidden": "false"})
    way.call("patch_conversations_id", 200, courier, path_parameters=one, body={"muted": True, "blocked": False})
    way.call("delete_conversations_id_messages_message_id", 204, courier, path_parameters=one | {"message_id": said["id"]})
    way.call("delete_conversations_id", 204, store, path_parameters=one)
    way.call("put_me_quick_answers", 200, store, body={"texts": ["Stižem"]})
    way.call("get_me_quick_answers", token=store)
    way.call("patch_me", token=courier, body={"description": "Bicikl", "public_profile": True, "picture": None})


def leave(way):
    """Somebody who takes everything along and goes."""
    token = way.call("post_couriers", 201, body=courier_form("+385911111113"))["session"]["token"]
    way.call("get_me_export", token=token)
    way.call("delete_me", 202, token, body={"current_password": PASSWORD})


def store_form():
    return {
        "email": "shop@example.com",
        "password": PASSWORD,
        "name": "Pekara",
        "tax_id": "12345678903",
        "address": "Ilica 1, Zagreb",
        "phone": "+38514830000",
    }


def courier_form(phone):
    return {"first_name": "Ana", "last_name": "Anić", "phone": phone, "password": PASSWORD}
