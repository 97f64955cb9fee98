import Foundation
import TestSupport
import Testing

/// The database goes away while clients are served.
@Suite struct ServiceOutageTests {
    @Test func `requests are answered while the database is down, and served afterwards`() async throws {
        try await PrivateCluster.with { cluster in
            try await Kurir.serving("--database", cluster.url, "--throttle", "off") { kurir in
                for _ in 0..<3 { try await outage(of: cluster, under: kurir) }
            }
        }
    }

    private func outage(of cluster: PrivateCluster, under kurir: Kurir) async throws {
        let load = try Program(
            "ab", ["-q", "-k", "-r", "-t", "3", "-n", "1000000", "-c", "32", kurir.address + "/readyz"])
        try await eventually { try await kurir.get("/readyz").status == 200 }
        let before = try await resident(kurir)
        try await cluster.kill9()
        try await eventually { try await kurir.get("/readyz").status == 503 }
        let answer = try await kurir.get("/readyz", "-i")
        #expect(answer.body.contains("Retry-After: 1") && answer.body.contains(#""code":"unavailable""#))
        #expect(try await kurir.get("/healthz").status == 200)
        try await cluster.start()
        try await eventually { try await kurir.get("/readyz").status == 200 }
        try await load.end()
        #expect(load.said.contains("Requests per second"), "requests hung: \(load.complained)")
        #expect(try await resident(kurir) < before + 16 << 20)
    }

    /// Its figures are wanted most then.
    @Test func `metrics are answered while the database hangs`() async throws {
        try await PrivateCluster.with { cluster in
            try await Kurir.serving("--database", cluster.url) { kurir in
                #expect(try await kurir.figures().contains("kurir_feed_waiting 0"))
                cluster.signal(SIGSTOP)
                let figures = try await kurir.figures()
                #expect(figures.contains("kurir_build_info") && figures.contains("kurir_ready 0"))
                #expect(!figures.contains("kurir_feed_waiting"))
                cluster.signal(SIGCONT)
            }
        }
    }

    /// No time-out of a statement ends the waiting, and that of the request has other words.
    @Test func `requests are refused while the database hangs, and served afterwards`() async throws {
        try await PrivateCluster.with { cluster in
            let url = cluster.url + "?options=-c%20statement_timeout%3D600s"
            try await Kurir.serving("--database", url, "--throttle", "off") { kurir in
                func signIn() async throws -> Int {
                    try await kurir.send("POST", "/v1/sessions", #"{"phone":"0912345678","password":"krumpir"}"#).status
                }
                #expect(try await signIn() == 401)
                cluster.signal(SIGSTOP)
                #expect(try await signIn() == 503)
                try await eventually { kurir.program.complained.contains("the server does not answer") }
                #expect(try await signIn() == 503)
                cluster.signal(SIGCONT)
                try await eventually { try await signIn() == 401 }
            }
        }
    }

    private func resident(_ kurir: Kurir) async throws -> Int {
        let text = try await kurir.figures()
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("process_resident_memory_bytes ") })
        return try #require(Int(line.split(separator: " ")[1]))
    }

    @Test func `the embedded server comes back when it is killed`() async throws {
        let directory = TemporaryDirectory.path("data")
        try await Kurir.serving("--data-dir", directory) { kurir in
            let file = try String(contentsOfFile: directory + "/postgres/postmaster.pid", encoding: .utf8)
            let number = try #require(Int32(file.split(separator: "\n")[0]))
            kill(number, SIGKILL)
            try await eventually { kurir.program.complained.contains("Starting it again") }
            try await eventually { try await kurir.get("/readyz").status == 200 }
        }
    }

    @Test func `the next kurir takes over from a killed one`() async throws {
        let directory = TemporaryDirectory.path("data")
        let killed = try await Kurir.start(["--data-dir", directory])
        killed.program.signal(SIGKILL)
        try await killed.program.end()
        try await Kurir.serving("--data-dir", directory) { kurir in
            let answer = try await kurir.get("/readyz")
            #expect(answer.status == 200)
        }
    }
}
