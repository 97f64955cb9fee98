import HTTP

/// The cookie that holds a browser's session where no script can read it.
package struct SessionCookie: Sendable {
    /// Its name where browsers reach us without TLS.
    package static let plainName = "kurir_session"
    /// Whether browsers reach us by TLS, so that the cookie may be restricted to it.
    private let isSecure: Bool

    /// Its name. With the prefix browsers take it from this very host alone, and by TLS, so that no neighbour can set one.
    package var name: String { isSecure ? "__Host-\(Self.plainName)" : Self.plainName }

    package init(isSecure: Bool) { self.isSecure = isSecure }

    /// The browser keeps it for as long as a session can last. When one ends sooner, only we know.
    package func header(_ token: String) -> Response.Header { header(token, seconds: 180 * 86400) }
    package var removal: Response.Header { header("", seconds: 0) }

    private func header(_ token: String, seconds: Int) -> Response.Header {
        let flags = "Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)" + (isSecure ? "; Secure" : "")
        return Response.Header("Set-Cookie", "\(name)=\(token); \(flags)")
    }
}
