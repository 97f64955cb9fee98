import Domain

/// What a paper is worth: the first that holds.
enum PaperState: String, CaseIterable, Sendable {
    /// Its signature is wrong.
    case forged
    /// Nobody knows the key that it is signed with.
    case unverified
    /// A test found the virus.
    case positive
    /// Doses of a series are missing.
    case incomplete
    case notYet = "not_yet"
    case expired
    case valid

    /// Of a paper that says for itself how long it is good.
    init(until: Moment?, at now: Moment) {
        self = until.map { now >= $0 } == true ? .expired : .valid
    }
}

/// What a health certificate is worth, and when.
struct HealthVerdict: Sendable {
    let isVerified: Bool
    let state: PaperState
    let from, until: Moment

    init(_ certificate: HealthCertificate, _ keys: TrustedKeys, _ rules: HealthRules, at now: Moment) {
        let signature = keys.verdict(on: certificate.message)
        isVerified = signature == .verified
        // One that says it was issued in time to come, or is good only then, is good from then on. What issuers say of the past is when
        // they signed it, and not since when it is good.
        let later = [certificate.issued, certificate.begins].compactMap(\.self).filter { now < $0 }
        let kind = certificate.event.kind
        from = later.reduce(kind.begin, max)
        until = [kind.end(by: rules), certificate.expires].compactMap(\.self).min()!
        state =
            switch (signature, kind) {
            case (.forged, _): .forged
            case (.unverified, _): .unverified
            case (.verified, .test(let test)) where test.isPositive: .positive
            case (.verified, .vaccination(let vaccination)) where vaccination.isIncomplete: .incomplete
            case (.verified, _): now < from ? .notYet : PaperState(until: until, at: now)
            }
    }
}
