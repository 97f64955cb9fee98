import HTTP

extension ProblemWords {
    /// What accounts, sessions, invites and partners say of problems.
    package static let accounts = ProblemWords(texts: [
        "en": [
            "email_taken": ["Address taken": "There is an account with this e-mail address already. Sign in instead."],
            "tax_id_taken": ["OIB taken": "There is a store with this OIB already. Sign in instead."],
            "phone_taken": ["Number taken": "There is an account with this number already. Sign in instead."],
            "wrong_credentials": ["Not signed in": "This is not how any account signs in. Check what you typed."],
            "wrong_password": ["Invalid data": "This is not the current password."],
            "wrong_code": ["Wrong code": "The code is wrong or over. Try again, or ask for a new one."],
            "email_or_phone": ["Invalid data": "An e-mail address or a phone number is needed."],
            "courier_or_phone": ["Invalid data": "Either courier_id or phone is needed, and only one of them."],
            "unknown_courier": ["Invalid data": "There is no such courier."],
            "already_partner": ["Partners already": "You work together already."],
            "unknown_code": ["Unknown code": "There is no invite with this code. Check what you typed."],
            "code_expired": ["Code over": "This invite has expired. Ask the store for a new one."],
            "code_used": ["Code used": "This invite was used already."],
            "code_revoked": ["Code taken back": "The store has taken this invite back."],
            "code_not_yours": ["Not your code": "This invite is for another courier or number."],
        ],
        "hr": [
            "email_taken": ["Adresa je zauzeta": "Račun s ovom adresom e-pošte već postoji. Prijavite se."],
            "tax_id_taken": ["OIB je zauzet": "Trgovina s ovim OIB-om već postoji. Prijavite se."],
            "phone_taken": ["Broj je zauzet": "Račun s ovim brojem već postoji. Prijavite se."],
            "wrong_credentials": [
                "Prijava nije uspjela": "Tako se ne prijavljuje nijedan račun. Provjerite što ste upisali."
            ],
            "wrong_password": ["Neispravni podaci": "To nije sadašnja lozinka."],
            "wrong_code": [
                "Pogrešan kôd": "Kôd je pogrešan ili više ne vrijedi. Pokušajte ponovno ili zatražite novi."
            ],
            "email_or_phone": ["Neispravni podaci": "Potrebna je adresa e-pošte ili telefonski broj."],
            "courier_or_phone": ["Neispravni podaci": "Potrebno je točno jedno od polja courier_id i phone."],
            "unknown_courier": ["Neispravni podaci": "Takvog dostavljača nema."],
            "already_partner": ["Već surađujete": "Već surađujete."],
            "unknown_code": ["Nepoznat kôd": "Poziva s tim kodom nema. Provjerite što ste upisali."],
            "code_expired": ["Kôd je istekao": "Ovaj je poziv istekao. Zatražite od trgovine novi."],
            "code_used": ["Kôd je iskorišten": "Ovaj je poziv već iskorišten."],
            "code_revoked": ["Kôd je povučen": "Trgovina je povukla ovaj poziv."],
            "code_not_yours": ["Tuđi kôd": "Ovaj je poziv za drugog dostavljača ili drugi broj."],
        ],
    ])
}
