extension ProblemWords {
    static let croatian: [String: Text] = [
        "not_found": ["Nije pronađeno": "Na ovoj adresi nema ničega ili vam nije dostupno."],
        "method_not_allowed": [
            "Metoda nije dopuštena": "Ova adresa ne prima metodu {method}. Dopuštene su: {allow}."
        ],
        "bad_request": ["Neispravan zahtjev": "Zahtjev nije moguće razumjeti."],
        "internal_error": [
            "Interna pogreška": "Nešto je pošlo po zlu na našoj strani. Ako se ponavlja, javite nam request_id."
        ],
        "unavailable": ["Trenutačno nedostupno": "Pokušajte ponovno za koji trenutak."],
        "deadline_passed": [
            "Trenutačno nedostupno": "Odgovor je trajao predugo. Pokušajte ponovno za koji trenutak."
        ],
        "too_many_connections": [
            "Previše veza": "Otvoreno je previše veza. Zatvorite neke ili pokušajte ponovno za koji trenutak."
        ],
        "rate_limited": ["Previše zahtjeva": "Previše je zahtjeva odjednom. Pričekajte trenutak."],
        "too_much_unread": [
            "Previše nepročitanih odgovora":
                "Previše odgovora čeka da ih se pročita. Pročitajte ih ili pokušajte ponovno za koji trenutak."
        ],
        "request_timeout": ["Isteklo vrijeme": "Zahtjev nije stigao na vrijeme. Pošaljite ga brže."],
        "malformed_json": ["Neispravan JSON": "Tijelo zahtjeva nije ispravan JSON u UTF-8."],
        "validation_failed": [
            "Neispravni podaci": "Neka polja nisu prihvatljiva; navedena su u popisu errors."
        ],
        "required": ["Neispravni podaci": "Ovo je obavezno."],
        "out_of_range": ["Neispravni podaci": "Vrijednost mora biti između {least} i {most}."],
        "wrong_type": ["Neispravni podaci": "Ovdje se očekuje druga vrsta vrijednosti."],
        "unsupported_media_type": [
            "Nepodržana vrsta sadržaja": "Tijelo zahtjeva mora imati Content-Type: application/json."
        ],
        "bad_escapes": ["Neispravan zahtjev": "Adresa sadrži postotkom kodirane bajtove koji nisu tekst u UTF-8."],

        "bad_method": ["Neispravan zahtjev": "Metoda nije ispravna riječ iza koje stoji jedan razmak."],
        "bad_target": [
            "Neispravan zahtjev": "Adresa zahtjeva sadrži nedopuštene bajtove. Kodirajte ih postotkom."
        ],
        "bad_version": ["Neispravan zahtjev": "Prvi redak zahtjeva mora završavati s HTTP/1.1 ili HTTP/1.0."],
        "version_not_supported": [
            "Nepodržana inačica HTTP-a": "Ovaj poslužitelj govori HTTP/1.1 i HTTP/1.0."
        ],
        "bad_line_ending": ["Neispravan zahtjev": "Retci moraju završavati znakovima CR i LF."],
        "obsolete_folding": ["Neispravan zahtjev": "Polje zaglavlja ne smije se protezati kroz više redaka."],
        "bad_field_name": ["Neispravan zahtjev": "Ime polja zaglavlja sadrži nedopuštene bajtove."],
        "space_before_colon": [
            "Neispravan zahtjev": "Između imena polja zaglavlja i dvotočke ne smije biti razmaka."
        ],
        "bad_field_value": ["Neispravan zahtjev": "Vrijednost polja zaglavlja sadrži upravljačke znakove."],
        "host_missing": ["Neispravan zahtjev": "Nedostaje polje zaglavlja Host."],
        "host_repeated": ["Neispravan zahtjev": "Polje zaglavlja Host navedeno je više puta."],
        "bad_host": ["Neispravan zahtjev": "Polje Host mora biti računalo, s priključkom ili bez njega."],
        "bad_content_length": ["Neispravan zahtjev": "Content-Length mora biti dekadski broj."],
        "content_length_repeated": ["Neispravan zahtjev": "Content-Length naveden je više puta."],
        "content_length_with_transfer_encoding": [
            "Neispravan zahtjev": "Content-Length i Transfer-Encoding međusobno se isključuju."
        ],
        "bad_transfer_encoding": [
            "Neispravan zahtjev": "Transfer-Encoding mora biti chunked, jednom i samo u HTTP/1.1."
        ],
        "transfer_encoding_not_supported": [
            "Nije podržano": "Ovo kodiranje prijenosa nije poznato. Pošaljite tijelo izravno ili kao chunked."
        ],
        "bad_expectation": ["Očekivanje nije ispunjivo": "Jedino ispunjivo očekivanje je 100-continue."],
        "bad_chunk": ["Neispravan zahtjev": "Tijelo poslano u dijelovima nije ispravno."],
        "bad_trailer": ["Neispravan zahtjev": "Završna polja iza tijela poslanog u dijelovima nisu ispravna."],
        "target_too_long": ["Preveliko": "Adresa zahtjeva je predugačka."],
        "head_too_large": ["Preveliko": "Zaglavlje zahtjeva je preveliko: najviše 16 KiB i 100 polja."],
        "body_too_large": ["Preveliko": "Tijelo zahtjeva je preveliko: najviše 64 KiB."],
    ]
}
