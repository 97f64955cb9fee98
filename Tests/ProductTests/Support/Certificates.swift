import API
import Domain
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Papers

/// Health certificates that independent libraries made (Tests/Papers/certificates.py).
struct Certificates: Sendable {
    /// As `--dcc-keys` takes them.
    let keys: [UInt8]
    /// The codes by their names: those that decode, and those that do not.
    let codes, broken: [String: String]
    /// When it was by them.
    let madeAt: Moment

    /// The first word of a code's name is its kind, unless it says what is wrong.
    func code(_ name: String) throws -> String { try #require(codes[name], "\(name)") }

    /// They are made once for all tests, as of now.
    static func made() async throws -> Certificates { try await all.value }

    private static let all = Task { () async throws -> Certificates in
        let now = Moment(milliseconds: Moment.now.milliseconds / 1000 * 1000)
        let said = try await Python.run(
            "python", [Python.root + "/Tests/Papers/certificates.py", "\(now.milliseconds / 1000)"])
        let json = try #require(JSON(Array(said.utf8)))
        return Certificates(
            keys: json["keys"].bytes, codes: texts(json["codes"]), broken: texts(json["broken"]), madeAt: now)
    }

    private static func texts(_ json: JSON) -> [String: String] {
        json.names.reduce(into: [:]) { $0[$1] = json[$1].string }
    }

    /// What Kurir knows that was told these keys, and perhaps rules.
    func known(rules: String? = nil) throws -> KnownPapers {
        let path = TemporaryDirectory.path("dcc-keys")
        try Data(keys).write(to: URL(filePath: path))
        let file = rules.map { _ in TemporaryDirectory.path("dcc-rules") }
        if let file, let rules { try Data(rules.utf8).write(to: URL(filePath: file)) }
        return try KnownPapers(.init(keys: path, rules: file))
    }
}
