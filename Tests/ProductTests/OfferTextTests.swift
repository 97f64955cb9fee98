import Domain
import HTTP
import TestSupport
import Testing

/// A courier without a device hears by SMS that offers wait, where the operator allows it.
@Suite(.database) struct OfferTextTests {
    private static var allowed: Trust {
        var trust = Trust()
        trust.offersBySMS = true
        return trust
    }

    private func texts(_ api: ServedProduct) async throws -> [[String?]] {
        try await api.execute("SELECT address, body, expires_at > now() FROM outbox WHERE channel = 'sms' ORDER BY seq")
    }

    /// Waits until nothing is due.
    private func settle(_ api: ServedProduct) async throws {
        try await eventually { try await api.execute("SELECT FROM offer_texts WHERE due_at <= now()").isEmpty }
    }

    @Test func `one message in ten minutes says how many wait`() async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example", trust: Self.allowed) { api in
            let (store, couriers) = try await api.team(1)
            // Somebody sends SMS.
            _ = try await api.claim(api.key("sms"), channel: "sms")
            _ = try await api.delivery(of: store, to: couriers)
            try await eventually { try await texts(api).count == 1 }
            #expect(
                try await texts(api)
                    == [[couriers[0].login, "Kurir: offers that wait for you: 1. https://kurir.example/courier", "t"]])
            for _ in 0..<3 { _ = try await api.delivery(of: store, to: couriers) }
            try await settle(api)
            #expect(try await texts(api).count == 1)
            #expect(
                try await api.execute(
                    "SELECT extract(epoch FROM due_at - sent_at)::integer FROM offer_texts") == [["600"]])
            try await api.execute("UPDATE offer_texts SET due_at = now()")
            try await eventually { try await texts(api).count == 2 }
            #expect(try await texts(api)[1][1] == "Kurir: offers that wait for you: 4. https://kurir.example/courier")
        }
    }

    enum Reason: CaseIterable { case notAllowed, silent, hasDevice, muted, offDuty, unproven, taken, hidden }

    @Test(arguments: Reason.allCases) func `nobody else is sent one`(_ reason: Reason) async throws {
        try await ServedProduct.serving(trust: reason == .notAllowed ? Trust() : Self.allowed) { api in
            let (store, couriers) = try await api.team(1)
            let ana = couriers[0]
            if ![.silent, .taken, .hidden].contains(reason) { _ = try await api.claim(api.key("sms"), channel: "sms") }
            switch reason {
            case .notAllowed, .silent, .taken, .hidden: break
            case .hasDevice: _ = try await api.call("PUT", "/v1/me/devices/d", ["platform": "fcm"], as: ana.token)
            case .muted: _ = try await api.call("PATCH", "/v1/me", ["notifications_enabled": false], as: ana.token)
            case .offDuty: _ = try await api.call("PUT", "/v1/me/duty", ["on": false], as: ana.token)
            case .unproven: try await api.execute("UPDATE couriers SET phone_verified = false")
            }
            let id = try await api.delivery(of: store, to: couriers)
            // What is taken before anybody sends is no offer any more, and what a blocked store offers is none for now.
            if [.taken, .hidden].contains(reason) {
                if reason == .taken { try await api.act("accept", id, as: ana) }
                if reason == .hidden { try await api.execute("UPDATE partners SET store_off = true") }
                _ = try await api.claim(api.key("sms"), channel: "sms")
                try await api.execute("UPDATE offer_texts SET due_at = now(), sent_at = NULL")
            }
            try await settle(api)
            #expect(try await texts(api).isEmpty)
        }
    }
}
