@testable import HTTP

/// A second reading of the grammar of RFC 9112, to compare the parser with. It is slow, and as close to the words of
/// the RFC as possible: it looks at whole lines, writes the character sets out, and has no state machine.
struct Reference {
    var bodyLimit = 1000
    /// The RFC leaves limits to the server; these are the parser's.
    var fieldLimit = 100

    enum Answer: Equatable {
        case accepted(Facts)
        /// No continuation can make it a request. The text says why, for people who look into a disagreement.
        case refused(String)
        case incomplete
    }

    func read(_ bytes: [UInt8]) -> Answer {
        do {
            var rest = bytes[...]
            var facts = try head(&rest)
            facts.body = try body(&rest, facts.framing)
            facts.length = rest.startIndex
            return .accepted(facts)
        } catch {
            switch error {
            case .refused(let reason): return .refused(reason)
            case .ended: return .incomplete
            }
        }
    }

    /// Why reading stopped.
    enum Stop: Error {
        case refused(String)
        /// The bytes end in the middle of something that was right so far.
        case ended
    }
}

// MARK: Lines

extension Reference {
    /// Reads the next line, without its CRLF. `read` also sees the beginning of an unfinished line. If it refuses that,
    /// no further byte can help.
    func line<Answer>(
        _ rest: inout ArraySlice<UInt8>, _ read: (ArraySlice<UInt8>) throws(Stop) -> Answer
    ) throws(Stop) -> Answer {
        guard let length = rest.indices.dropLast().first(where: { rest[$0] == 13 && rest[$0 + 1] == 10 }) else {
            try unfinished(rest, read)
            throw .ended
        }
        let line = rest[..<length]
        rest = rest[(length + 2)...]
        return try finished(line, read)
    }

    private func finished<Answer>(
        _ line: ArraySlice<UInt8>, _ read: (ArraySlice<UInt8>) throws(Stop) -> Answer
    ) throws(Stop) -> Answer {
        do {
            return try read(line)
        } catch .ended {
            throw .refused("the line ends too early")
        }
    }

    private func unfinished<Answer>(
        _ part: ArraySlice<UInt8>, _ read: (ArraySlice<UInt8>) throws(Stop) -> Answer
    ) throws(Stop) {
        // The carriage return has come and the line feed has not, so the line is complete.
        if part.last == 13 { _ = try finished(part.dropLast(), read) } else { _ = try read(part) }
    }

    func require(_ condition: Bool, _ reason: String) throws(Stop) {
        if !condition { throw .refused(reason) }
    }
}

// MARK: Head

extension Reference {
    private func head(_ rest: inout ArraySlice<UInt8>) throws(Stop) -> Facts {
        // RFC 9112, 2.2: a server ignores at least one empty line before the request line; ours ignores one.
        if rest.starts(with: [13, 10]) { rest = rest.dropFirst(2) } else if rest == [13] { throw .ended }
        var facts = try line(&rest, requestLine)
        while true {
            let field = try line(&rest) { line throws(Stop) in line.isEmpty ? nil : try fieldLine(line) }
            guard let field else { break }
            facts.fields.append(field)
            try require(facts.fields.count <= fieldLimit, "too many fields")
            try decide(&facts, allFieldsSeen: false)
        }
        try decide(&facts, allFieldsSeen: true)
        return facts
    }

    /// request-line = method SP request-target SP HTTP-version
    private func requestLine(_ line: ArraySlice<UInt8>) throws(Stop) -> Facts {
        let parts = line.split(separator: 32, omittingEmptySubsequences: false)
        try require(parts.count <= 3, "more than two spaces in the request line")
        let method = parts.first ?? []
        try require(method.allSatisfy(Bytes.tchar.contains), "method")
        guard parts.count > 1 else { throw .ended }
        try require(!method.isEmpty, "no method")
        guard parts.count > 2 else {
            try unfinishedTarget(parts[1])
            throw .ended
        }
        let target = try target(parts[1], of: latin1(method))
        return Facts(method: latin1(method), target: latin1(target), minorVersion: try version(parts[2]))
    }

    /// HTTP-version = "HTTP/" DIGIT "." DIGIT
    private func version(_ text: ArraySlice<UInt8>) throws(Stop) -> UInt8 {
        let versions = "0123456789".map { "HTTP/1.\($0)" }
        let text = latin1(text)
        try require(versions.contains { $0.hasPrefix(text) }, "version")
        guard let minor = versions.firstIndex(of: text) else { throw .ended }
        // RFC 9110, 2.5: a higher minor version is read as the highest that is known.
        return UInt8(min(minor, 1))
    }

    /// field-line = field-name ":" OWS field-value OWS
    func fieldLine(_ line: ArraySlice<UInt8>) throws(Stop) -> Facts.Field {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        try require(parts[0].allSatisfy(Bytes.tchar.contains), "field name")
        guard parts.count == 2 else { throw .ended }
        try require(!parts[0].isEmpty, "no field name")
        try require(parts[1].allSatisfy(Bytes.fieldValue.contains), "field value")
        return Facts.Field(latin1(parts[0]), latin1(trimmed(parts[1])))
    }

    private func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        while text.first == 32 || text.first == 9 { text = text.dropFirst() }
        while text.last == 32 || text.last == 9 { text = text.dropLast() }
        return text
    }
}

// MARK: What the fields say

extension Reference {
    private func decide(_ facts: inout Facts, allFieldsSeen: Bool) throws(Stop) {
        try host(facts, allFieldsSeen)
        facts.framing = try framing(facts)
        let options = list("connection", facts)
        facts.keepsAlive = !options.contains("close") && (facts.minorVersion == 1 || options.contains("keep-alive"))
        let expectations = values("expect", facts)
        try require(expectations.allSatisfy { $0.lowercased() == "100-continue" }, "expectation")
        // RFC 9110, 10.1.1: in HTTP/1.0 it is ignored, and without a body there is nothing to wait for.
        facts.expectsContinue = !expectations.isEmpty && facts.minorVersion == 1 && facts.framing != .none
    }

    /// RFC 9112, 3.2.
    private func host(_ facts: Facts, _ allFieldsSeen: Bool) throws(Stop) {
        let hosts = values("host", facts)
        try require(hosts.count <= 1, "Host twice")
        if allFieldsSeen, facts.minorVersion == 1 { try require(!hosts.isEmpty, "no Host") }
        if let host = hosts.first { try uriHost(Array(latin1: host)[...]) }
    }

    /// RFC 9112, 6.1 to 6.3. RFC 9110, 5.6.1, has empty members of a list ignored, but here Transfer-Encoding may have
    /// none: no client sends such a thing, and two readings of it would be two framings.
    private func framing(_ facts: Facts) throws(Stop) -> Framing {
        let lengths = values("content-length", facts)
        try require(lengths.count <= 1, "Content-Length twice")
        let codings = values("transfer-encoding", facts)
        if !codings.isEmpty {
            try require(lengths.isEmpty, "Content-Length with Transfer-Encoding")
            try require(facts.minorVersion == 1, "Transfer-Encoding in HTTP/1.0")
            try require(codings.map { $0.lowercased() } == ["chunked"], "coding")
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        try require(!length.isEmpty && length.utf8.allSatisfy(Bytes.digit.contains), "Content-Length")
        guard let number = Int(length), number <= bodyLimit else { throw .refused("body too large") }
        return number == 0 ? .none : .length(number)
    }

    private func values(_ name: String, _ facts: Facts) -> [String] {
        facts.fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// RFC 9110, 5.6.1: the members of all lines, in lower case; empty ones are dropped.
    private func list(_ name: String, _ facts: Facts) -> [String] {
        let members = values(name, facts).flatMap { Array(latin1: $0).split(separator: UInt8(ascii: ",")) }
        return members.map { latin1(trimmed($0)).lowercased() }.filter { !$0.isEmpty }
    }
}
