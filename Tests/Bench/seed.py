"""Stores, couriers and deliveries by the million, made by arithmetic: the same in every database."""
import os
from concurrent.futures import ThreadPoolExecutor

# One store with all of it is the hardest for a search: STORES=1.
STORES, COURIERS = int(os.environ.get("STORES", 100)), 1000
# How many couriers each store works with.
PARTNERS = 1000
TEXTS = 997

FIRST_NAMES = (
    "Ana Ivan Marija Luka Petra Marko Iva Josip Lucija Ante Maja Tomislav Katarina Filip Sara Matej Nika Šime Željka Đuro "
    "Čedomir Ćiril Lovro Zvonimir").split()
LAST_NAMES = [
    stem + ending
    for stem in ("Hor Kova Babi Mari Juri Nova Peri Vuko Boži Grgi Šari Đuri Žuna Čula Brki Ruda Tomi Lovri Klari Krajč "
                 "Galo Pavli Bosi Saba").split()
    for ending in "vat čić čević nić šić rić lić dić mić tić kić vić jak nac man kec".split()]
STREETS = [
    f"{name} {kind}"
    for name in ("Vukovarska Ilička Maksimirska Savska Zagrebačka Splitska Riječka Osječka Zadarska Šibenska Dubrovačka "
                 "Pulska Karlovačka Sisačka Varaždinska Bjelovarska Požeška Slavonska Dalmatinska Istarska Lička Primorska "
                 "Zagorska Međimurska Gorska Morska Kamena Lipova Hrastova Čempresova").split()
    for kind in "ulica cesta obala avenija aleja staza poljana livada padina strana škarpa promenada".split()]
SYLLABLES = "tor ta ko la či ru že sve ki pe ci vo sla ne kru ha po mle jem ra".split()
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]


def uuid(kind, number):
    """SQL for the id of a seeded row; `number` is SQL too."""
    return f"('0000000{kind}-0000-7000-8000-' || lpad(to_hex(({number})::bigint), 12, '0'))::uuid"


def store(n):
    return f"(({n}) % {STORES} + 1)"


def courier(n, k=0):
    """The k-th of the three couriers that delivery n is offered to: all are partners of its store."""
    return f"((({n}) * 7 + {k} * 100) % {COURIERS} + 1)"


def folded(text):
    """As people type it who have no time for capitals and accents."""
    return text.lower().translate(str.maketrans("čćđšž", "ccdsz"))


def pick(words, place):
    """SQL for the word at that place, round and round."""
    return f"('{{{','.join(words)}}}'::text[])[({place}) % {len(words)} + 1]"


# Steps that share no divisor with what they go round in: in a store, a street with a number comes again after seventy
# thousand deliveries only.
OF_STORE = f"n / {STORES}"
LAST_NAME = pick(LAST_NAMES, f"{OF_STORE} * 131 + n % {STORES} * 17")
STREET = pick(STREETS, f"{OF_STORE} * 211 + n % {STORES} * 29")
HOUSE = f"(({OF_STORE} * 37 + n % {STORES}) % 199 + 1)"

# What is seeded holds together; to be shown so row by row would take most of the time.
UNCHECKED = "SET session_replication_role = replica;\n"


def people(couriers=COURIERS, text_length=100):
    """The stores and their couriers, all signed in and each with a device, and what will be written on deliveries. And
    messages that wait: a statement planned while there were none would go through all there are, until the next ANALYZE."""
    step = couriers // PARTNERS
    return UNCHECKED + f"""
INSERT INTO accounts (id, kind, password_hash, language)
    SELECT {uuid(1, 'n')}, 'store', '$scrypt$none', 'hr' FROM generate_series(1, {STORES}) n;
INSERT INTO accounts (id, kind, password_hash, language)
    SELECT {uuid(2, 'n')}, 'courier', '$scrypt$none', 'hr' FROM generate_series(1, {couriers}) n;
CREATE FUNCTION seeded_oib(n integer) RETURNS text LANGUAGE sql AS
    $$ SELECT lpad(n::text, 10, '0') || d FROM generate_series(0, 9) d WHERE is_oib(lpad(n::text, 10, '0') || d) $$;
INSERT INTO stores (id, email, tax_id, name, address, phone)
    SELECT {uuid(1, 'n')}, 'store' || n || '@example.com', seeded_oib(n), 'Pekara ' || n, 'Ilica ' || n, '+38514828111'
    FROM generate_series(1, {STORES}) n;
INSERT INTO couriers (id, first_name, last_name, phone)
    SELECT {uuid(2, 'n')}, {pick(FIRST_NAMES, 'n')}, {pick(LAST_NAMES, f'n * 131 + n / {len(LAST_NAMES)}')},
        '+3859' || 10000000 + n
    FROM generate_series(1, {couriers}) n;
INSERT INTO devices (token, account_id, platform)
    SELECT 'device of store ' || n, {uuid(1, 'n')}, 'fcm' FROM generate_series(1, {STORES}) n;
INSERT INTO devices (token, account_id, platform)
    SELECT 'device of courier ' || n, {uuid(2, 'n')}, 'fcm' FROM generate_series(1, {couriers}) n;
INSERT INTO partners (store_id, courier_id)
    SELECT {uuid(1, 's')}, {uuid(2, f'(c * {step} + s) % {couriers} + 1')}
    FROM generate_series(1, {STORES}) s, generate_series(1, {PARTNERS}) c;
INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
    SELECT gen_random_uuid(), {uuid(1, 'n')}, sha256(('store-' || n)::bytea), now() + interval '1 day', '127.0.0.1'
    FROM generate_series(1, {STORES}) n;
INSERT INTO sessions (id, account_id, token_hash, expires_at, address)
    SELECT gen_random_uuid(), {uuid(2, 'n')}, sha256(('courier-' || n)::bytea), now() + interval '1 day', '127.0.0.1'
    FROM generate_series(1, {couriers}) n;
CREATE TABLE seeded_texts (n integer PRIMARY KEY, text text NOT NULL);
INSERT INTO seeded_texts
    SELECT n, left(string_agg({pick(WORDS, 'n * 31 + k * k * 7 + k * n')}, ' ' ORDER BY k), {text_length})
    FROM generate_series(0, {TEXTS - 1}) n, generate_series(1, {text_length // 4 + 1}) k GROUP BY n;
SET session_replication_role = origin;
INSERT INTO messages (kind, channel, address, platform, language, title, body, data, account_id, subject)
    SELECT 'delivery_offered', 'push', 'device of courier ' || n % {couriers} + 1, 'fcm', 'hr', 'Dostava', 'Vukovarska 5',
        '{{"type": "delivery_offered"}}', {uuid(2, f'n % {couriers} + 1')}, {uuid(3, 'n')}
    FROM generate_series(1, 10000) n;
"""


def text(place):
    return f"(SELECT text FROM seeded_texts t WHERE t.n = ({place}) % {TEXTS})"


def numbers(first, last):
    return f"generate_series({first}, {last}) AS of(n)"


def deliveries(first, last, status, has_instructions):
    candidates = ", ".join(uuid(2, courier("n", k)) for k in range(3))
    holder, accepted = ("NULL", "NULL") if status == "pending" else (uuid(2, courier("n")), "now()")
    delivered = "now()" if status == "delivered" else "NULL"
    instructions = text("of.n + 1") if has_instructions else "NULL"
    return UNCHECKED + f"""
INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name, recipient_last_name,
        recipient_address, description, instructions, created_at, updated_at, accepted_at, delivered_at)
    SELECT {uuid(3, 'n')}, {uuid(1, store('n'))}, '{status}', 1, {holder}, ARRAY[{candidates}],
        {pick(FIRST_NAMES, OF_STORE)}, {LAST_NAME}, {STREET} || ' ' || {HOUSE}, {text('of.n')}, {instructions},
        now(), now(), {accepted}, {delivered}
    FROM {numbers(first, last)};
"""


def steps(first, last, status, has_places):
    """The entries of the couriers' lists, and the deliveries' first steps. States of Kurir that are compared may order the
    lists in different ways."""
    delivered = "now()" if status == "delivered" else "NULL"
    column, place = (", place", f", place_in_list('{status}', NULL, {delivered}, NULL)") if has_places else ("", "")
    jobs = " UNION ALL ".join(
        f"SELECT {uuid(2, courier('n', k))}, '{status}'::delivery_status, {uuid(3, 'n')}, {uuid(1, store('n'))}{place} "
        f"FROM {numbers(first, last)}" for k in range(3 if status == "pending" else 1))
    return UNCHECKED + f"""
INSERT INTO jobs (courier_id, status, delivery_id, store_id{column}) {jobs};
INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at)
    SELECT {uuid(3, 'n')}, 1, 'create', 'store', {uuid(1, store('n'))}, 'pending', now() FROM {numbers(first, last)};
"""


def events(first, last, columns):
    """What the stores' feeds tell of these deliveries. States of Kurir that are compared number their events in
    different ways: which it is, the table's columns say."""
    numbering = {"number": f"((n - 1) / {STORES} + 1)", "numbered_at": "date_trunc('milliseconds', now())"}
    known = {name: value for name, value in numbering.items() if name in columns}
    return UNCHECKED + f"""
INSERT INTO events ({', '.join(['account_id', *known, 'type', 'delivery_id', 'seq', 'at'])})
    SELECT {', '.join([uuid(1, store('n')), *known.values(), "'delivery.created'", uuid(3, 'n'), '1', 'now()'])}
    FROM {numbers(first, last)};
"""


def fill(cluster, first, last, status, has_instructions=False, has_events=False):
    """Writes deliveries and all that belongs to them, on two cores."""
    def columns(table):
        return cluster.sql(f"SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'").split()

    rest = steps(first, last, status, "place" in columns("jobs"))
    if has_events:
        rest += events(first, last, columns("events"))
    with ThreadPoolExecutor() as pool:
        list(pool.map(cluster.sql, [deliveries(first, last, status, has_instructions), rest]))


def words(cluster):
    """What a search finds of all that was written so, where there is such a thing."""
    if not cluster.sql("SELECT to_regclass('delivery_words')"):
        return
    index = cluster.sql("SELECT pg_get_indexdef('delivery_by_word'::regclass)")
    # What `words_of_delivery` gives, but each text's words are made once for each store.
    cluster.sql(UNCHECKED + f"""
DROP INDEX delivery_by_word;
CREATE TEMPORARY TABLE of_texts AS
    SELECT n, mark, searchable(mark, text, NULL) AS words
    FROM seeded_texts, (SELECT DISTINCT mark_of(id) AS mark FROM stores) m;
CREATE UNIQUE INDEX ON of_texts (mark, n);
ANALYZE of_texts;
INSERT INTO delivery_words (delivery_id, store_id, words)
    SELECT d.id, d.store_id, t.words || coalesce(i.words, '')
        || searchable(m.mark, d.recipient_first_name || ' ' || d.recipient_address, NULL)
        || searchable(hidden(m.mark), d.recipient_last_name, NULL)
    FROM deliveries d CROSS JOIN
        LATERAL (SELECT mark_of(d.store_id) AS mark, ('x' || right(d.id::text, 12))::bit(48)::bigint AS n) m
        JOIN of_texts t ON t.mark = m.mark AND t.n = m.n % {TEXTS}
        LEFT JOIN of_texts i ON i.mark = m.mark AND i.n = (m.n + 1) % {TEXTS} AND d.instructions IS NOT NULL;
SET maintenance_work_mem = '1GB';
{index};
INSERT INTO courier_words SELECT w.* FROM couriers c, LATERAL words_of_courier(c, NULL) w;
INSERT INTO courier_words
    SELECT w.* FROM partners p JOIN couriers c ON c.id = p.courier_id, LATERAL words_of_courier(c, p.store_id) w;
""")
