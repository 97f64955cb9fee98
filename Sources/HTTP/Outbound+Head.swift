extension Outbound {
    /// How the body of an answer ends, as its head announces it.
    enum BodyLength {
        case known(Int)
        case chunked
        /// The body ends with the connection, or there is none.
        case untold
    }

    /// The parts of an answer's head that its handler does not decide.
    struct HeadFacts {
        let requestID: String
        let date: [UInt8]
        let minorVersion: UInt8
        let keepsAlive: Bool
        let isByTLSAlone: Bool
    }

    mutating func appendHead(of response: Response, type: String?, length: BodyLength, _ facts: HeadFacts) {
        appendStatusLine(response.status)
        append(facts.date)
        appendField("X-Request-Id", facts.requestID)
        if let type { appendField("Content-Type", type) }
        switch length {
        case .known(let count):
            append("Content-Length: ")
            append(decimal: count)
            append("\r\n")
        case .chunked: append("Transfer-Encoding: chunked\r\n")
        case .untold: break
        }
        if !facts.keepsAlive {
            append("Connection: close\r\n")
        } else if facts.minorVersion == 0 {
            append("Connection: keep-alive\r\n")
        }
        append(SecurityHeaders.always)
        if facts.isByTLSAlone { append(SecurityHeaders.transport) }
        if !response.sets("content-security-policy") { append(SecurityHeaders.contentPolicy) }
        if !response.sets("cache-control") { append(SecurityHeaders.cachePolicy) }
        for header in response.headers { appendField(header.name, header.value) }
        append("\r\n")
    }

    private mutating func appendStatusLine(_ status: Status) {
        guard status != .ok else { return append("HTTP/1.1 200 OK\r\n") }
        append("HTTP/1.1 ")
        append(decimal: status.code)
        append(" ")
        append(status.phrase.utf8)
        append("\r\n")
    }

    /// Control characters become spaces, because one could end the line and begin another.
    private mutating func appendField(_ name: String, _ value: String) {
        append(name.utf8)
        append(": ")
        append(value.utf8.lazy.map { Grammar.isFieldValue($0) ? $0 : .space })
        append("\r\n")
    }
}

/// The fields that every answer has for browsers, unless its route sets others.
private enum SecurityHeaders {
    static let always: StaticString = """
        X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
        Cross-Origin-Resource-Policy: same-origin\r\n
        """
    static let transport: StaticString = "Strict-Transport-Security: max-age=31536000\r\n"
    static let contentPolicy: StaticString =
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    static let cachePolicy: StaticString = "Cache-Control: no-store\r\n"
}
