import HTTP
import TestSupport
import Testing

/// An account's own data, and its devices.
@Suite(.database) struct ProfileTests {
    @Test func `fields left out of a change stay`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let before = try await api.get("/v1/me", as: store.token).json
            let change: JSON = ["name": "Nova pekara", "phone": "01/4828-111", "notifications_enabled": false]
            let answer = try await api.call("PATCH", "/v1/me", change, as: store.token)
            #expect(answer.status == 200)
            let expected = before.with([
                "name": "Nova pekara", "phone": "+38514828111", "notifications_enabled": false,
            ])
            #expect(answer.json == expected)
            #expect(try await api.get("/v1/me", as: store.token).json == expected)
            #expect(try await api.call("PATCH", "/v1/me", [:], as: store.token).json == expected)
        }
    }

    @Test func `a courier changes its names`() async throws {
        try await ServedProduct.serving { api in
            let courier = try await api.courier()
            let answer = try await api.call(
                "PATCH", "/v1/me", ["first_name": "Eva", "last_name": "Ević", "email": "a@example.com"],
                as: courier.token)
            #expect(answer.status == 200 && answer.json["first_name"] == "Eva" && answer.json["email"] == .null)
        }
    }

    @Test func `problems are told in the language of the account`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            #expect(try await api.call("PATCH", "/v1/me", ["language": "hr"], as: store.token).status == 200)
            for _ in 0..<4 {
                let answer = try await api.call(
                    "PATCH", "/v1/me", ["name": nil], as: store.token, headers: ["Accept-Language": "en"])
                #expect(answer.status == 422 && answer.reply.header("content-language") == "hr")
                #expect(answer.json["errors"].items.first?["detail"] == "Ispunite ovo polje.")
            }
        }
    }

    @Test func `an OIB of another is refused, and nothing changes`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.store(), try await api.store())
            let taxID = try await api.get("/v1/me", as: other.token).json["tax_id"]
            let change: JSON = ["tax_id": taxID, "name": "Changed", "language": "hr"]
            let answer = try await api.call("PATCH", "/v1/me", change, as: one.token)
            #expect(answer.status == 409 && answer.code == "tax_id_taken")
            let me = try await api.get("/v1/me", as: one.token).json
            #expect(me["name"] == "Pekara" && me["language"] == "en")
        }
    }

    // MARK: Devices

    @Test func `the last to claim a device has it`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.courier(), try await api.courier())
            for (person, platform) in [(one, "fcm"), (other, "apns"), (other, "fcm")] {
                let answer = try await api.call(
                    "PUT", "/v1/me/devices/abc%3A123", ["platform": .string(platform)], as: person.token)
                #expect(answer.status == 204)
            }
            let rows = try await api.execute("SELECT token, account_id, platform FROM devices")
            #expect(rows == [["abc:123", other.id, "fcm"]])
            #expect(try await api.call("DELETE", "/v1/me/devices/abc%3A123", as: one.token).status == 404)
            #expect(try await api.call("DELETE", "/v1/me/devices/abc%3A123", as: other.token).status == 204)
            #expect(try await api.call("DELETE", "/v1/me/devices/abc%3A123", as: other.token).status == 404)
        }
    }

    @Test func `signing out drops the device`() async throws {
        try await ServedProduct.serving { api in
            let (one, other) = (try await api.courier(), try await api.courier())
            for (person, token) in [(one, "a"), (one, "b"), (other, "c")] {
                _ = try await api.call("PUT", "/v1/me/devices/\(token)", ["platform": "fcm"], as: person.token)
            }
            let end = try await api.call("DELETE", "/v1/sessions/current?device=a", as: one.token)
            #expect(end.status == 204)
            #expect(try await api.call("DELETE", "/v1/sessions/current?device=b", as: other.token).status == 204)
            #expect(try await api.execute("SELECT token FROM devices ORDER BY 1") == [["b"], ["c"]])
        }
    }

    @Test func `web push brings its keys`() async throws {
        try await ServedProduct.serving { api in
            let store = try await api.store()
            let without = try await api.call("PUT", "/v1/me/devices/x", ["platform": "webpush"], as: store.token)
            #expect(without.status == 422 && without.wrong == ["endpoint": "required", "keys": "required"])
            for number in 1...2 {
                let with = try await api.call(
                    "PUT", "/v1/me/devices/browser", Subscription.json("https://push.example/\(number)"),
                    as: store.token)
                #expect(with.status == 204)
            }
            #expect(
                try await api.execute("SELECT keys->>'auth', token FROM devices")
                    == [[Subscription.auth, "https://push.example/2"]])
            let unknown = try await api.call("PUT", "/v1/me/devices/x", ["platform": "pigeon"], as: store.token)
            #expect(unknown.status == 422 && unknown.wrong == ["platform": "invalid_value"])
        }
    }
}
