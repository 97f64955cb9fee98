import Foundation
import TestSupport
import Testing

/// The built `kurir`, run as its users run it.
struct Kurir: Sendable {
    let program: Program

    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("kurir").path

    /// Databases of tests are sealed with the key of this file, unless a test says otherwise.
    static let keyFile = {
        let path = TemporaryDirectory.path("kurir.key")
        let key = Data([UInt8](repeating: 7, count: 32)).base64EncodedString()
        let made = FileManager.default.createFile(
            atPath: path, contents: Data(key.utf8), attributes: [.posixPermissions: 0o600])
        precondition(made, "a temporary directory can be written to")
        return path
    }()

    /// One that runs its database itself has a key beside it.
    private static func keyed(_ environment: [String: String], _ arguments: [String]) -> [String: String] {
        arguments.contains("--data-dir") || arguments.contains("--demo")
            ? environment : ["KURIR_KEY_FILE": keyFile].merging(environment) { $1 }
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (code: Int32, said: String, complained: String) {
        let program = try Program(path, arguments, environment: keyed(environment, arguments))
        let code = try await program.end()
        return (code, program.said, program.complained)
    }

    /// Starts `kurir serve` on a free port, lets `body` work with it, and stops it.
    static func serving<Answer: Sendable>(
        _ arguments: String..., environment: [String: String] = [:], _ body: (Kurir) async throws -> Answer
    ) async throws -> Answer {
        let kurir = try await start(arguments, environment: environment)
        do {
            let answer = try await body(kurir)
            kurir.program.signal(SIGTERM)
            try await kurir.program.end()
            return answer
        } catch {
            kurir.program.signal(SIGTERM)
            try await kurir.program.end()
            throw error
        }
    }

    static func start(
        _ arguments: [String], environment: [String: String] = [:], errors: Int32? = nil
    ) async throws -> Kurir {
        let usual = [["--listen", "127.0.0.1:0"], ["--admin-listen", ":0"]].filter { !arguments.contains($0[0]) }
        let kurir = Kurir(
            program: try Program(
                path, ["serve"] + usual.joined() + arguments,
                environment: keyed(environment, arguments), errors: errors))
        // A demo says so only once its weeks of history are there.
        try await eventually(within: .seconds(arguments.contains("--demo") ? 1000 : 300)) {
            !kurir.program.isRunning || kurir.program.said.hasSuffix("\n")
        }
        try #require(kurir.program.isRunning, "kurir does not start: \(kurir.program.complained)")
        return kurir
    }

    /// The address in its one line on standard output.
    var address: String {
        String(program.said.dropFirst("Kurir listens on ".count).prefix { $0 != "\n" })
    }

    /// What its log warns of.
    var troubles: String {
        program.complained.split(separator: "\n").filter { $0.contains(/\b(?:warning|error)\b/) }
            .joined(separator: "\n")
    }

    /// The port for raw clients.
    var port: UInt16 { UInt16(address.split(separator: ":").last ?? "") ?? 0 }

    /// Where operators are answered, as the log says.
    var admin: String {
        get async throws {
            try await eventually { program.complained.contains(Self.adminInLog) }
            return "http://" + String(program.complained.firstMatch(of: Self.adminInLog)?.1 ?? "")
        }
    }

    private static var adminInLog: Regex<(Substring, Substring)> { /admin(?:=|":")(127\.0\.0\.1:[0-9]+)/ }

    /// The figures for Prometheus.
    func figures() async throws -> String { try await get("/metrics", at: admin, []).body }

    /// Sends a request with curl, which gives up after a minute.
    func get(_ path: String, _ options: String...) async throws -> (status: Int, body: String) {
        try await get(path, at: address, options)
    }

    /// The same at another address.
    func get(_ path: String, at address: String, _ options: [String] = []) async throws -> (status: Int, body: String) {
        let curl = try Program(
            "curl", ["-s", "--max-time", "60", "-w", "\n%{http_code}", address + path] + options)
        try await curl.end()
        let lines = curl.said.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    /// What hashes a password, and may have to come again on a busy machine.
    private static let hashing: Set = ["/v1/stores", "/v1/couriers"]

    /// Calls the API with curl.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, as token: String? = nil
    ) async throws -> (status: Int, body: String) {
        var options = ["-X", method, "-H", "Content-Type: application/json"]
        if let token { options += ["-H", "Authorization: Bearer \(token)"] }
        if let body { options += ["-d", body] }
        var answer = try await get(path, at: address, options)
        for _ in 0..<20 where answer.status == 503 && method == "POST" && Self.hashing.contains(path) {
            answer = try await get(path, at: address, options)
        }
        return answer
    }
}
