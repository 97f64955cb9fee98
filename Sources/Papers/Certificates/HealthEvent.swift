import Domain

/// What a health certificate certifies, by the EU's schema 1.x.
struct HealthEvent: Sendable {
    let kind: Kind
    let disease, country, issuer, certificate: String?

    enum Kind: Sendable {
        case recovery(Recovery)
        case vaccination(Vaccination)
        case test(Test)
    }

    struct Recovery: Sendable {
        let firstPositive: Day
        let from, until: Day
    }

    struct Vaccination: Sendable {
        let vaccine, product, manufacturer: String?
        let dose, doses: Int
        let day: Day

        /// Whether more doses of the series are to come.
        var isIncomplete: Bool { dose < doses }
    }

    struct Test: Sendable {
        let type, name, device, centre: String?
        let at: Moment
        let isPositive: Bool

        /// Whether genes of the virus were looked for, which tells for longer.
        var isPCR: Bool { type == "LP6464-4" }
    }

    /// The one event of a certificate; nil if it has none, several kinds of them, or one that lacks what it is judged by.
    init?(_ certificate: CBOR) {
        let readers: [(String, (CBOR) -> Kind?)] = [
            ("r", { Recovery($0).map(Kind.recovery) }), ("v", { Vaccination($0).map(Kind.vaccination) }),
            ("t", { Test($0).map(Kind.test) }),
        ]
        let found = readers.compactMap { name, read in certificate[name]?.items.map { ($0, read) } }
            .filter { !$0.0.isEmpty }
        guard found.count == 1, let (events, read) = found.first, events.count <= 10 else { return nil }
        // Of several the latest counts, as of the doses of a series.
        let kinds = events.compactMap { event in read(event).map { (event, $0) } }
        guard kinds.count == events.count, let (event, kind) = kinds.max(by: { $0.1.begin < $1.1.begin }) else {
            return nil
        }
        self.kind = kind
        (disease, country, issuer) = (event["tg"]?.bounded, event["co"]?.bounded, event["is"]?.bounded)
        self.certificate = event["ci"]?.bounded
    }
}

extension HealthEvent.Kind {
    /// Its name among the kinds of credentials.
    var name: String {
        switch self {
        case .recovery: "recovery"
        case .vaccination: "vaccination"
        case .test: "test"
        }
    }

    /// From when on it says something.
    var begin: Moment {
        switch self {
        case .recovery(let recovery): recovery.from.begin
        case .vaccination(let vaccination): vaccination.day.begin
        case .test(let test): test.at
        }
    }

    /// Until when, by the rules.
    func end(by rules: HealthRules) -> Moment {
        switch self {
        // The last day that the certificate names is one of its days.
        case .recovery(let recovery):
            min(recovery.until.after(1).begin, recovery.firstPositive.after(rules.recoveryDays).begin)
        case .vaccination(let vaccination): vaccination.day.after(rules.vaccinationDays).begin
        case .test(let test):
            Moment(
                milliseconds: test.at.milliseconds + Int64(test.isPCR ? rules.pcrHours : rules.antigenHours) * 3_600_000
            )
        }
    }
}

extension HealthEvent.Recovery {
    fileprivate init?(_ event: CBOR) {
        guard let first = event["fr"]?.day, let from = event["df"]?.day, let until = event["du"]?.day else {
            return nil
        }
        (firstPositive, self.from, self.until) = (first, from, until)
    }
}

extension HealthEvent.Vaccination {
    fileprivate init?(_ event: CBOR) {
        guard let day = event["dt"]?.day, let dose = event["dn"]?.integer, let doses = event["sd"]?.integer,
            (1...99).contains(dose), (1...99).contains(doses)
        else { return nil }
        (self.day, self.dose, self.doses) = (day, Int(dose), Int(doses))
        (vaccine, product, manufacturer) = (event["vp"]?.bounded, event["mp"]?.bounded, event["ma"]?.bounded)
    }
}

extension HealthEvent.Test {
    fileprivate init?(_ event: CBOR) {
        // Not detected, and detected: the EU's value set has no other.
        let results = ["260415000": false, "260373001": true]
        guard let text = event["sc"]?.bounded, let at = try? Moment(Self.withMinutes(text)),
            let isPositive = event["tr"]?.text.flatMap({ results[$0] })
        else { return nil }
        (self.at, self.isPositive) = (at, isPositive)
        (type, name) = (event["tt"]?.bounded, event["nm"]?.bounded)
        (device, centre) = (event["ma"]?.bounded, event["tc"]?.bounded)
    }

    /// The EU's schema lets a time say how far it is from Greenwich as +02 and +0200, too.
    private static func withMinutes(_ time: String) -> String {
        guard let sign = time.lastIndex(where: { "+-".contains($0) }) else { return time }
        switch time[sign...].utf8.count {
        case 3 where time.utf8.count > 10: return time + ":00"
        case 5: return String(time.dropLast(2)) + ":" + time.suffix(2)
        default: return time
        }
    }
}
