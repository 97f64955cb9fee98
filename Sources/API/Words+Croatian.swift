import HTTP

extension ProblemWords {
    /// What the API says of problems, in Croatian.
    package static let apiCroatian: [String: Text] = [
        "unauthenticated": [
            "Potrebna je prijava": "Pošaljite token prijave koja još traje: Authorization: Bearer TOKEN."
        ],
        "forbidden": ["Nije dopušteno": "Ovaj račun to ne smije."],
        "only_stores": ["Nije dopušteno": "To smiju samo trgovine."],
        "only_couriers": ["Nije dopušteno": "To smiju samo dostavljači."],
        "cross_site": [
            "Nije dopušteno":
                "Uz kolačić prijave to smiju tražiti samo naše stranice ili zahtjev s poljem X-Requested-With."
        ],
        "other_channel": ["Nije dopušteno": "Ovaj ključ ne vrijedi za taj kanal."],
        "message_untrue": [
            "Nije više dostupno":
                "Ono što poruka kaže više ne vrijedi ili se primatelj više ne može dobiti na toj adresi."
        ],
        "not_an_object": ["Neispravan zahtjev": "Tijelo zahtjeva mora biti JSON objekt."],
        "bad_idempotency_key": ["Neispravan zahtjev": "Idempotency-Key ima od 1 do 255 vidljivih ASCII znakova."],
        "idempotency_key_reused": [
            "Ključ je već iskorišten":
                "Ovaj Idempotency-Key stigao je uz drugi zahtjev. Za novi zahtjev uzmite novi ključ."
        ],
        "request_in_progress": [
            "U tijeku": "Isti je zahtjev još u tijeku. Upitajte ponovno za koji trenutak i dobit ćete njegov odgovor."
        ],
        "forfeited": [
            "Već vraćeno": "Odustali ste od ove dostave. Tko od dostave odustane, ne može je ponovno prihvatiti."
        ],
        "already_taken": ["Već preuzeto": "Drugi kurir bio je brži."],
        "not_pending": ["Ne čeka kurira": "To je moguće samo dok dostava čeka kurira."],
        "not_in_progress": ["Nije u tijeku": "To može samo kurir koji nosi dostavu."],
        "already_delivered": ["Već uručeno": "Dostava je uručena. To se više ne može promijeniti."],
        "reference_taken": ["Oznaka je zauzeta": "Već imate dostavu s tom oznakom."],
        "version_mismatch": [
            "U međuvremenu promijenjeno": "Dostava se promijenila otkad ste je pročitali. Pročitajte je ponovno."
        ],
        "deliveries_in_progress": [
            "Dostave u tijeku":
                "Taj kurir nosi vaše dostave. Pričekajte ih ili pošaljite release=true da ponovno čekaju kurira."
        ],
        "cursor_expired": [
            "Prestaro mjesto":
                "Tako stari događaji više se ne čuvaju. Učitajte popise ponovno, pa nastavite s after=now."
        ],
        "too_many_streams": [
            "Previše tokova": "Ovaj račun istodobno prati previše tokova. Zatvorite jedan od njih."
        ],
        "too_many_slow_reads": [
            "U međuvremenu je zatraženo ponovno":
                "Ovaj račun ima u tijeku dva kasnija pretraživanja ili izračuna. Pogledajte što će ona dati."
        ],
        "not_partner": ["Neispravni podaci": "To moraju biti kuriri koji s vama surađuju."],
        "too_many": ["Neispravni podaci": "Najviše ih može biti {max}."],
        "invalid_location": ["Neispravni podaci": "Mjesto ima lat od -90 do 90 i lon od -180 do 180."],
        "too_large": ["Preveliko": "Tijelo zahtjeva je preveliko: najviše 64 KiB."],
        "rate_limited": [
            "Previše pokušaja": "Previše je pokušaja. Pričekajte koliko kaže Retry-After i pokušajte ponovno."
        ],
        "invalid_cursor": ["Neispravni podaci": "To nije next_cursor ovog popisa. Počnite ponovno bez njega."],

        "too_long": ["Neispravni podaci": "Ovdje može biti najviše {max} znakova."],
        "control_characters": ["Neispravni podaci": "Ovdje su znakovi koji nisu tekst."],
        "invalid_id": ["Neispravni podaci": "Id je UUID."],
        "invalid_email": ["Neispravni podaci": "To nije adresa e-pošte, kao što je ime@example.com."],
        "invalid_phone": ["Neispravni podaci": "To nije telefonski broj, kao što je +385912345678 ili 091 234 5678."],
        "invalid_tax_id": [
            "Neispravni podaci": "To nije OIB: jedanaest znamenki od kojih posljednja provjerava ostale."
        ],
        "invalid_code": ["Neispravni podaci": "To nije kôd kakav šaljemo."],
        "from_after_to": ["Neispravni podaci": "Prvi dan dolazi poslije zadnjega."],
        "period_too_long": ["Neispravni podaci": "Razdoblje ima najviše 366 dana."],
        "invalid_value": ["Neispravni podaci": "Ta vrijednost ovdje nije moguća."],
        "unknown_language": ["Neispravni podaci": "Taj jezik ovdje nije poznat."],
        "password_too_short": ["Neispravni podaci": "Lozinka ima najmanje {min} znakova."],
        "password_too_long": ["Neispravni podaci": "Lozinka ima najviše {max} znakova."],
        "password_too_common": [
            "Neispravni podaci": "Ta je lozinka među prvima koje bi tkogod pogađao. Odaberite drugu."
        ],
        "password_mismatch": ["Neispravni podaci": "Lozinke nisu jednake."],
    ]
}
