extension Language {
    /// Croatian.
    public static let croatian = Language(wordedAs: "hr")
}

extension Wording {
    /// Names stand in the nominative only, and nothing shows the gender of who is named.
    static let croatian = Words(.croatian, plural: croatianForm) { kind in
        switch kind {
        case .deliveryOffered:
            MessageTemplate("Nova dostava", "[{store} ima dostavu za vas|Čeka vas nova dostava][: {address}|.]")
        case .deliveryCancelled:
            MessageTemplate(
                "Dostava je otkazana",
                """
                [{store} otkazuje dostavu {reference}|Dostava {reference} je otkazana\
                |{store} otkazuje dostavu ({description})|{store} otkazuje dostavu|Dostava je otkazana]. \
                Nemojte je nositi primatelju[. Razlog: {reason}|.]
                """
            )
        case .invite:
            MessageTemplate(
                "Poziv na suradnju",
                "[{store} vas poziva na suradnju|Imate poziv na suradnju] u dostavi[: {url}|.][ Kod: {code}]"
            )
        case .partnershipEnded:
            MessageTemplate(
                "Suradnja je završena",
                "[{store}|Jedna trgovina] prekida suradnju s vama. Više nećete vidjeti njihove dostave."
            )
        case .deliveryAccepted:
            MessageTemplate(
                "Dostava je prihvaćena",
                """
                [Dostavu {reference} preuzima {courier}|Dostava {reference} je prihvaćena\
                |Dostavu na adresu {address} preuzima {courier}|Vašu dostavu preuzima {courier}\
                |Dostava na adresu {address} je prihvaćena|Vaša dostava je prihvaćena].
                """
            )
        case .deliveryDelivered:
            MessageTemplate(
                "Dostava je uručena",
                "[Dostava {reference}|Dostava na adresu {address}|Vaša dostava] je uručena[ ({courier})]."
            )
        case .deliveryReturned:
            MessageTemplate(
                "Dostava je vraćena",
                """
                [{courier} odustaje od dostave {reference}|Dostava {reference} je vraćena\
                |{courier} odustaje od dostave na adresu {address}|{courier} odustaje od vaše dostave\
                |Dostava na adresu {address} je vraćena|Vaša dostava je vraćena]. \
                Dostava ponovno čeka kurira[. Razlog: {reason}|.]
                """
            )
        case .deliveryStranded:
            MessageTemplate(
                "Dostava nema kurira",
                """
                [Dostavu {reference}|Dostavu na adresu {address}|Jednu dostavu] više nema tko preuzeti. \
                Odaberite druge kurire ili je otkažite.
                """
            )
        case .partnerJoined:
            MessageTemplate(
                "Nova suradnja", "[{courier}|Novi kurir] od sada surađuje s vama i može preuzimati vaše dostave.")
        case .passwordReset:
            MessageTemplate(
                "Nova lozinka",
                """
                Kurir: [vaš kod za novu lozinku je {code}. Vrijedi {minutes} {minutes:minutu,minute,minuta}\
                |vaš kod za novu lozinku je {code}|zatražena je nova lozinka]. \
                Ako to niste vi, zanemarite ovu poruku.
                """
            )
        }
    }

    /// 1, 21, 31… minutu; 2–4, 22–24… minute; all others minuta.
    private static func croatianForm(_ number: Int) -> Int {
        switch (number % 10, number % 100) {
        case (1, let hundredth) where hundredth != 11: 0
        case (2...4, let hundredth) where !(12...14).contains(hundredth): 1
        default: 2
        }
    }
}
