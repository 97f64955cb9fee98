/// Where a service far away is: `https://host`, perhaps with a port and a path.
public struct ServiceURL: Sendable, Equatable {
    /// The URL, without a slash at its end.
    public let text: String

    /// Reads it; nil if it is something else, or says more, like a password or a query.
    public init?(_ text: String) {
        let form =
            #/https?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::(?<port>[0-9]{1,5}))?(?:\/[A-Za-z0-9._~\/-]*)?/#
        guard text.count <= 500, let parts = text.wholeMatch(of: form) else { return nil }
        if let port = parts.port, !(1...65_535).contains(Int(port) ?? 0) { return nil }
        self.text = String(text.trimmingSuffix { $0 == "/" })
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while matches: (Character) -> Bool) -> SubSequence {
        var end = endIndex
        while end > startIndex, matches(self[index(before: end)]) { end = index(before: end) }
        return self[..<end]
    }
}
