import Domain
import EventLoop
import HTTP
import Postgres
import TestSupport
import Testing

@testable import Product

@Suite(.database) struct DemoTests {
    @Test func `the history of the demo holds together, and its people sign in`() async throws {
        try await API.serving { api in
            let told = Locked<[Int]>([])
            let accounts = try #require(
                try await api.demo.fill(seed: 7, on: api.group) { made, _ in told.withLock { $0.append(made) } })
            #expect(accounts.filter { $0.kind == .store }.count == 5)
            #expect(told.withLock { $0.count == 5 && $0 == $0.sorted() })
            for (rule, sql) in Invariants.ofDeliveries {
                #expect(try await api.execute(sql).isEmpty, "\(rule)")
            }
            let made = try await api.execute("SELECT count(*) FROM deliveries")
            #expect(Int(made[0][0] ?? "") ?? 0 > 500)
            let latest = try await api.execute("SELECT FROM delivery_history WHERE at > now()")
            #expect(latest.isEmpty)
            // Nobody gets messages about the past.
            #expect(try await api.execute("SELECT FROM messages").isEmpty)
            for account in [accounts[0], accounts[accounts.count - 1]] {
                let name = account.kind == .store ? "email" : "phone"
                let form: JSON = [name: .string(account.login), "password": .string(Demo.password)]
                let session = try await api.post("/v1/sessions", form)
                #expect(session.status == 201)
                let mine = try await api.get("/v1/deliveries", as: session.json["token"].string)
                #expect(mine.status == 200)
                guard account.kind == .store else { continue }
                #expect(mine.items.count == 50)
                let stats = try await api.get("/v1/stats", as: session.json["token"].string)
                #expect(stats.json["days"].items.count > 20 && stats.json["couriers"].items.count > 3)
            }
            // A database that is in use is left alone.
            #expect(try await api.demo.fill(seed: 8, on: api.group) { _, _ in } == nil)
            #expect(try await api.execute("SELECT count(*) FROM deliveries") == made)
        }
    }
}
