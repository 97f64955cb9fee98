import HTTP

/// The cookie that holds a browser's session where no script can read it.
package struct SessionCookie: Sendable {
    package static let name = "kurir_session"
    /// Whether browsers reach us by TLS, so that the cookie may be restricted to it.
    private let isSecure: Bool

    package init(isSecure: Bool) { self.isSecure = isSecure }

    package func header(_ token: String) -> Response.Header { header(token, seconds: 30 * 86400) }
    package var removal: Response.Header { header("", seconds: 0) }

    private func header(_ token: String, seconds: Int) -> Response.Header {
        let flags = "Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)" + (isSecure ? "; Secure" : "")
        return Response.Header("Set-Cookie", "\(Self.name)=\(token); \(flags)")
    }
}
