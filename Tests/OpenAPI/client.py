"""What a programmer writes who has nothing but a client made from the description: python client.py ADDRESS"""

import sys

from kurir_client import AuthenticatedClient, Client
from kurir_client.api.accounts import get_me, post_couriers, post_stores
from kurir_client.api.invites import get_invites, post_invites
from kurir_client.api.partners import get_partners, post_partners
from kurir_client.api.sessions import delete_sessions_current, post_sessions
from kurir_client.models import (
    CourierAccount,
    CourierRegistration,
    InviteForm,
    InviteState,
    ListedCourier,
    ListedStore,
    Problem,
    RedeemForm,
    SignIn,
    StoreAccount,
    StoreRegistration,
)

PASSWORD = "krumpir-na-tavi"
# Seconds: hashing a password waits for everything else that the machine has to do.
PATIENCE = 60


def main(address):
    anyone = Client(base_url=address, timeout=PATIENCE, raise_on_unexpected_status=True)
    shop, ana = register(anyone)

    wrong = post_sessions.sync(client=anyone, body=SignIn(email=shop.email, password="guessed"))
    assert isinstance(wrong, Problem) and wrong.code == "wrong_credentials"
    store = signed_in(address, SignIn(email=shop.email, password=PASSWORD))
    courier = signed_in(address, SignIn(phone=ana.phone, password=PASSWORD))
    assert get_me.sync(client=store) == shop and get_me.sync(client=courier) == ana

    join(store, courier, shop, ana)
    assert delete_sessions_current.sync_detailed(client=courier).status_code == 204
    assert get_me.sync(client=courier).code == "unauthenticated"


def register(anyone):
    store = StoreRegistration(
        email="made@example.com", password=PASSWORD, name="Knjižara", tax_id="94577403194",
        address="Ilica 2, Zagreb", phone="+38514830001",
    )  # fmt: skip
    courier = CourierRegistration(first_name="Ana", last_name="Anić", phone="091 222 2222", password=PASSWORD)
    shop = post_stores.sync(client=anyone, body=store).account
    ana = post_couriers.sync(client=anyone, body=courier).account
    assert isinstance(shop, StoreAccount) and isinstance(ana, CourierAccount)
    taken = post_couriers.sync(client=anyone, body=courier)
    assert isinstance(taken, Problem) and taken.code == "phone_taken"
    return shop, ana


def signed_in(address, who):
    token = post_sessions.sync(client=Client(base_url=address, timeout=PATIENCE), body=who).token
    return AuthenticatedClient(base_url=address, token=token, timeout=PATIENCE, raise_on_unexpected_status=True)


def join(store, courier, shop, ana):
    made = post_invites.sync(client=store, body=InviteForm(courier_id=ana.id))
    assert get_invites.sync(client=courier).items[0].state == InviteState.LIVE
    joined = post_partners.sync(client=courier, body=RedeemForm(code=made.code))
    assert joined.store.id == shop.id
    (partner,) = get_partners.sync(client=store).items
    assert isinstance(partner, ListedCourier) and partner.id == ana.id and partner.partner
    (partner,) = get_partners.sync(client=courier).items
    assert isinstance(partner, ListedStore) and partner.name == shop.name
    again = post_partners.sync(client=courier, body=RedeemForm(code=made.code))
    assert isinstance(again, Problem) and again.code == "already_partner"


if __name__ == "__main__":
    main(sys.argv[1])
