import Foundation
import Glibc

/// Stand-ins for the services that Kurir asks far away (`Tests/Gateways/places.py`): Photon, Nominatim, OSRM and Open-Meteo.
package struct FarAway: Sendable {
    private let program: Program
    private let address: String

    /// The ways in which they go wrong.
    package static let wrongWays = [
        "slow", "broken", "garbage", "wrong", "failing", "huge", "endless", "elsewhere",
    ]

    /// Starts them, lets `body` ask them, and stops them.
    package static func running(_ body: (FarAway) async throws -> Void) async throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Gateways/places.py").standardized.path()
        let program = try Program("python3", ["-u", script])
        do {
            try await eventually { !program.isRunning || program.said.contains("\n") }
            guard let address = program.said.firstMatch(of: /"address": "([^"]+)"/) else {
                throw Program.Missing(name: "python3 (\(program.complained))")
            }
            try await body(FarAway(program: program, address: String(address.1)))
        } catch {
            program.signal(SIGTERM)
            try await program.end()
            throw error
        }
        program.signal(SIGTERM)
        try await program.end()
    }

    /// Where they are, going `right` or in one of the wrong ways.
    package func url(_ way: String = "right") -> String { "\(address)/\(way)" }

    /// What they were asked, each as a line of JSON.
    package var asked: [String] {
        program.said.split(separator: "\n").map(String.init).filter { $0.contains("\"how\"") }
    }

    /// The number of their process.
    package var number: Int32 { program.number }

    /// Takes them away, or gives them back.
    package func toggle() async throws {
        let before = told
        program.signal(SIGUSR1)
        try await eventually { told > before }
    }

    private var told: Int { program.said.matches(of: /"here"/).count }
}
