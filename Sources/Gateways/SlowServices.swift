import Domain

/// Which push services are slow just now.
///
/// Anybody's browser names its service. One that never answers would soon have all the room that a gateway has, and everybody
/// else's notifications would wait with it. So what is slow of one service has a part of the room, and no more.
struct SlowServices {
    /// After how many seconds a transfer is slow.
    static let patience = 2.0

    private var counts: [String: Int] = [:]
    private let most: Int

    /// Each service may have so many slow ones.
    init(most: Int) { self.most = most }

    /// Whether the service behind that URL has its part.
    func hasEnough(_ url: String) -> Bool { counts[Self.service(of: url), default: 0] >= most }

    /// Counts a slow transfer; whether there was room for it.
    mutating func count(_ url: String) -> Bool {
        guard !hasEnough(url) else { return false }
        counts[Self.service(of: url), default: 0] += 1
        return true
    }

    /// The last two labels of the URL's host: whoever has a domain has any number of names below it.
    private static func service(of url: String) -> String {
        guard let endpoint = try? PushEndpoint(url) else { return url }
        let labels = endpoint.host.split(separator: ".")
        let isNumber = labels.last?.allSatisfy(\.isNumber) ?? false
        return isNumber ? endpoint.host : labels.suffix(2).joined(separator: ".")
    }
}
