import EventLoop
import HTTP

/// Where people reach Kurir. If nobody has said so, it is known only once the server listens.
package final class PublicURL: Sendable {
    private let url: Locked<String>

    /// The address that was given; empty when there was none.
    package init(_ text: String = "") { url = Locked(text) }

    /// Without a slash at the end.
    package internal(set) var text: String {
        get { url.withLock { $0 } }
        set { url.withLock { $0 = newValue } }
    }

    /// Whether people reach us by TLS.
    package var isSecure: Bool { text.hasPrefix("https://") }

    /// Takes the address that the server listens at, if no other was given.
    package func listens(at address: ListenAddress) {
        url.withLock { if $0.isEmpty { $0 = "http://\(address)" } }
    }
}
