import Glibc
import HTTP
import TestSupport
import Testing

/// The receivers that gateways send to in tests: `receivers.py`, which is as strict as the real ones.
struct Receivers {
    /// The secret that signs webhooks.
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private let program: Program
    private let start: JSON

    /// Starts them, lets `body` work with them, and stops them.
    static func running(_ body: (Receivers) async throws -> Void) async throws {
        let program = try Program(
            Python.programs + "/python", [Python.root + "/Tests/Gateways/receivers.py", secret],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        do {
            try await eventually { !program.isRunning || program.said.contains("\n") }
            let first = try #require(program.said.split(separator: "\n").first, "\(program.complained)")
            try await body(Receivers(program: program, start: try #require(JSON(Array(first.utf8)))))
        } catch {
            program.signal(SIGTERM)
            try await program.end()
            throw error
        }
        program.signal(SIGTERM)
        try await program.end()
    }

    /// The address of one of them, or another value of the first line.
    func told(_ name: String) throws -> String { try #require(start[name].string) }

    var account: [UInt8] { start["account"].bytes }

    /// The messages that have arrived at one receiver, in order.
    func arrived(at receiver: String) -> [JSON] { arrived.filter { $0["to"].string == receiver } }

    /// All messages that have arrived. The last line may not be complete yet.
    var arrived: [JSON] { program.said.split(separator: "\n").dropFirst().compactMap { JSON(Array($0.utf8)) } }

    /// Starts a gateway over HTTP that sends to `/plain`.
    func gateway(at kurir: String, key: String) throws -> Program {
        try Program(
            Python.programs + "/python", [Python.root + "/Tests/Gateways/gateway.py", kurir, key, told("http")])
    }
}

extension JSON {
    var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var integer: Int? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    var items: [JSON] {
        guard case .array(let items) = self else { return [] }
        return items
    }

    subscript(_ name: String) -> JSON {
        guard case .object(let members) = self else { return .null }
        return members[name] ?? .null
    }
}
