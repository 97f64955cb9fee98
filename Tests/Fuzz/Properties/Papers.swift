@testable import Papers

extension Property {
    /// A scanned paper, and each of the layers that it is made of: whatever it says it is bounded, and it is written in one way.
    static let papers = Property("papers") { bytes in
        let text = Base45.encode(bytes)
        try require(Base45.decode(Array(text.utf8)), is: bytes, "Base45")
        if let decoded = Base45.decode(bytes) { try require(Base45.encode(decoded).bytes, is: bytes, "Base45") }
        if let inflated = Zlib.inflate(bytes) { try require(inflated.count <= Zlib.most, "too many bytes") }
        try bounded(HealthCertificate(bytes.text))
        try bounded(HealthCertificate(HealthCertificate.mark + text))
        guard let value = CBOR(bytes) else { return }
        try require(depth(of: value) <= CBOR.mostDeep, "too deep")
        guard let message = SignedMessage(value) else { return }
        try bounded(HealthCertificate(message))
        try require(TrustedKeys().verdict(on: message) == .unverified, "a signature that nobody can know")
    }

    private static func bounded(_ certificate: HealthCertificate?) throws {
        guard let certificate else { return }
        try require(!certificate.holder.isEmpty && certificate.holder.count <= 201, "a holder without a name")
        let kind = certificate.event.kind
        // Whoever signs a recovery may contradict itself; such a one is never valid.
        if case .recovery = kind { return }
        try require(kind.begin < kind.end(by: HealthRules()), "an end before the beginning")
    }

    private static func depth(of value: CBOR) -> Int {
        switch value {
        case .array(let items): 1 + (items.map(depth).max() ?? 0)
        case .map(let pairs): 1 + (pairs.flatMap { [depth(of: $0.key), depth(of: $0.value)] }.max() ?? 0)
        case .tagged(_, let inner): 1 + depth(of: inner)
        default: 0
        }
    }
}
