import EventLoop
import HTTP

/// Where people reach Kurir. Where nobody says so it is known only once the server listens.
package final class PublicURL: Sendable {
    private let url: Locked<String>

    /// What is known before the start.
    package init(_ text: String = "") { url = Locked(text) }

    /// Without a slash at the end.
    package internal(set) var text: String {
        get { url.withLock { $0 } }
        set { url.withLock { $0 = newValue } }
    }

    /// The server listens there, in case nobody said where people reach it.
    package func listens(at address: ListenAddress) {
        url.withLock { if $0.isEmpty { $0 = "http://\(address)" } }
    }
}
