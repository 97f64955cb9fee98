import Foundation
import Observability
import Postgres
import TestSupport
import Testing

@testable import kurir

/// What unread answers cost the process.
@Suite(.database, .timeLimit(.minutes(10))) struct MemoryTests {
    /// None of these clients reads a byte. If all their pages waited, they would take 400 MB.
    @Test func `memory for answers that nobody reads is bounded and given back`() async throws {
        let people = try await Team.make()
        try await Kurir.serving("--database", TestDatabase.current.url) { kurir in
            try #require(
                try await kurir.send("POST", "/v1/deliveries", people.delivery, as: people.store).status == 201)
            try await makeLargePage()
            let ask =
                "GET /v1/deliveries?limit=200 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(people.store)\r\n\r\n"
            let before = try await figure("process_resident_memory_bytes", of: kurir)
            var clients: [Client] = []
            for _ in 0..<60 {
                let client = try await Client(kurir.port, receiveBuffer: 4096)
                // This is more than the system itself takes for a connection.
                try await client.send(ask + ask + ask + ask)
                clients.append(client)
            }
            // Creating a delivery was the first request.
            try await eventually { try await figure("kurir_http_requests_total", "/v1/deliveries", of: kurir) >= 61 }
            var waiting = 0
            try await eventually {
                waiting = try await figure("kurir_http_bytes_waiting", of: kurir)
                return waiting > 0
            }
            #expect(waiting <= 16 * 1024 * 1024)
            let neighbour = try await Client(kurir.port, from: "127.0.0.2")
            let page = try await neighbour.ask(ask)
            #expect(page.status == 200 && page.body.count > 1_500_000)
            for client in clients + [neighbour] { client.close() }
            try await eventually { try await figure("kurir_http_bytes_waiting", of: kurir) == 0 }
            try await eventually {
                try await figure("process_resident_memory_bytes", of: kurir) < before + 80 * 1024 * 1024
            }
        }
    }

    /// The allocator gives back what is free at its end, which this memory is not.
    @Test func `free memory between memory in use is given back`() throws {
        let pieces = (0..<8000).map { _ in malloc(32_768)! }
        for piece in pieces { memset(piece, 1, 32_768) }
        for place in stride(from: 0, to: 8000, by: 2) { free(pieces[place]) }
        let before = ProcessFigures.residentBytes
        FreedMemory.giveBack()
        #expect(before - ProcessFigures.residentBytes > 64 * 1024 * 1024)
        for place in stride(from: 1, to: 8000, by: 2) { free(pieces[place]) }
    }

    /// Two hundred deliveries, each as large as possible.
    private func makeLargePage() async throws {
        let copies = """
            INSERT INTO deliveries SELECT r.* FROM deliveries d, generate_series(1, 199) n, jsonb_populate_record(
                d, jsonb_build_object('id', to_char(n, '"018f0000-0000-7000-8000-"FM000000000000'),
                    'description', repeat('🍋', 1000), 'instructions', repeat('🍋', 1000))) r
            """
        let url = TestDatabase.current.url
        try await blocking {
            let connection = try BlockingConnection(url: url)
            try connection.execute(copies)
        }
    }

    /// The sum of the figures in `/metrics` with a name, for a route if one is given.
    private func figure(_ name: String, _ route: String = "", of kurir: Kurir) async throws -> Int {
        let lines = try await kurir.figures().split(separator: "\n")
        let values = lines.filter { $0.hasPrefix(name) && (route.isEmpty || $0.contains("route=\"\(route)\"")) }
        return values.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0) { $0 + Int($1) }
    }
}
