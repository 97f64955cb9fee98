import Domain
import HTTP
import TestSupport
import Testing

/// Every route, called by everybody who may not call it.
@Suite(.database) struct AccessMatrixTests {
    /// Who may call a route, what it takes, and how a stranger of the right kind is answered.
    private struct Row {
        let access: Access
        var body: JSON?
        /// The path of somebody else's thing, and the answer to accounts of the right kind that ask for it.
        var strangers: [(path: String, kind: Kind, status: Int)] = []
    }

    private enum Access { case anyone, signedIn, store, courier, gateway }
    private enum Kind { case store, courier }

    /// Things of one store and its courier that belong to nobody else.
    private struct World {
        let store, courier, otherStore, otherCourier: Person
        let session, invite, device, code, offered, taken, handed, picture, cancellation, place, paper: String
        let talk, said, road, bulletin: String

        init(_ api: ServedProduct) async throws {
            (store, courier) = (try await api.store(), try await api.courier())
            (otherStore, otherCourier) = (try await api.store(), try await api.courier())
            try await api.join(store, courier)
            device = "device"
            _ = try await api.call("PUT", "/v1/me/devices/\(device)", ["platform": "fcm"], as: courier.token)
            session = try await api.get("/v1/sessions", as: courier.token).items[0]["id"].string ?? ""
            let third = try await api.courier()
            let made = try await api.post("/v1/invites", ["courier_id": .string(third.id)], as: store.token).json
            (invite, code) = (made["id"].string ?? "", made["code"].string ?? "")
            let returned = try await api.delivery(of: store, to: [courier])
            for action in ["accept", "cancel"] { try await api.act(action, returned, as: courier) }
            cancellation =
                try await api.get("/v1/couriers/\(courier.id)/cancellations", as: courier.token).items[0]["id"].string
                ?? ""
            offered = try await api.delivery(of: store, to: [courier])
            taken = try await api.delivery(of: store, to: [courier])
            _ = try await api.post("/v1/deliveries/\(taken)/accept", as: courier.token)
            let kept: JSON = ["name": "Ured", "address": "Ilica 1"]
            place = try await api.post("/v1/places", kept, as: courier.token).json["id"].string ?? ""
            let licence: JSON = ["raw": "B-123", "kind": "licence", "title": "Vozačka"]
            paper = try await api.post("/v1/me/credentials", licence, as: courier.token).json["id"].string ?? ""
            talk = try await api.conversation(courier, with: store)
            said = try await api.say("Bok", in: talk, as: courier).json["id"].string ?? ""
            let seen: JSON = [
                "kind": "closure", "road_type": "city", "title": "Most",
                "location": ["lat": .number(45.5), "lon": .number(15.5)],
            ]
            road = try await api.post("/v1/roads", seen, as: courier.token).json["id"].string ?? ""
            let told: JSON = ["title": "Sutra ne radimo", "text": "Vidimo se u ponedjeljak."]
            bulletin = try await api.post("/v1/bulletin", told, as: store.token).json["id"].string ?? ""
            handed = try await api.delivery(of: store, to: [courier])
            picture = try await api.picture(of: courier).description
            try await api.act("accept", handed, as: courier)
            try await api.act("deliver", handed, as: courier, ["photo_ids": [.string(picture)]])
        }

        /// Only a connection can be answered by the first, whoever was given the second may keep it, and here nobody knows the third.
        static let notShown: Set = ["get /v1/me/export", "get /v1/files/{id}", "get /v1/weather"]

        var rows: [String: Row] {
            [
                "get /healthz": Row(access: .anyone), "get /readyz": Row(access: .anyone),
                "get /openapi.json": Row(access: .anyone), "get /docs": Row(access: .anyone),
                "get /i/{code}": Row(access: .anyone), "get /i/{code}/inviter": Row(access: .anyone),
                "get /i/{code}/qr.svg": Row(access: .anyone), "get /": Row(access: .anyone),
                "get /courier/{id}/qr.svg": Row(access: .anyone),
                "get /courier": Row(access: .anyone), "get /store": Row(access: .anyone),
                "get /worker.js": Row(access: .anyone), "get /favicon.ico": Row(access: .anyone),
                "get /assets/{version}/{name}": Row(access: .anyone),
                "get /.well-known/apple-app-site-association": Row(access: .anyone),
                "get /.well-known/assetlinks.json": Row(access: .anyone),
                "post /v1/stores": Row(access: .anyone), "post /v1/couriers": Row(access: .anyone),
                "post /v1/sessions": Row(access: .anyone), "post /v1/password_resets": Row(access: .anyone),
                "put /v1/password_resets": Row(access: .anyone),
                "get /v1/sessions": Row(access: .signedIn), "get /v1/me/security": Row(access: .signedIn),
                "delete /v1/sessions/current": Row(access: .signedIn),
                "delete /v1/sessions/{id}": Row(
                    access: .signedIn,
                    strangers: [
                        ("/v1/sessions/\(session)", .courier, 404), ("/v1/sessions/\(session)", .store, 404),
                    ]),
                "get /v1/me": Row(access: .signedIn), "patch /v1/me": Row(access: .signedIn, body: [:]),
                "delete /v1/me": Row(access: .signedIn, body: [:]), "get /v1/me/export": Row(access: .signedIn),
                "post /v1/files": Row(access: .signedIn),
                "get /v1/files/{id}": Row(access: .signedIn, strangers: strangers("/v1/files/\(picture)")),
                "get /v1/deliveries/{id}/proof": Row(
                    access: .signedIn, strangers: strangers("/v1/deliveries/\(handed)/proof")),
                "get /proof/{id}": Row(access: .signedIn, strangers: strangers("/proof/\(handed)")),
                "get /.well-known/kurir-proof-keys": Row(access: .anyone),
                "put /v1/me/password": Row(access: .signedIn, body: [:]),
                "put /v1/me/phone": Row(access: .courier, body: [:]),
                "post /v1/me/phone/code": Row(access: .courier),
                "post /v1/me/phone/confirm": Row(access: .courier, body: [:]),
                "put /v1/me/email": Row(access: .store, body: [:]), "post /v1/me/email/code": Row(access: .store),
                "post /v1/me/email/confirm": Row(access: .store, body: [:]),
                "put /v1/me/devices/{token}": Row(access: .signedIn, body: ["platform": "fcm"]),
                "delete /v1/me/devices/{token}": Row(
                    access: .signedIn, strangers: [("/v1/me/devices/\(device)", .courier, 404)]),
                "get /v1/couriers": Row(access: .store),
                "get /v1/couriers/{id}/cancellations": Row(
                    access: .signedIn, strangers: [("/v1/couriers/\(courier.id)/cancellations", .courier, 404)]),
                "post /v1/cancellations/{id}/contest": Row(
                    access: .courier, body: ["note": "x"],
                    strangers: [("/v1/cancellations/\(cancellation)/contest", .courier, 404)]),
                "post /v1/cancellations/{id}/excuse": Row(
                    access: .store, strangers: [("/v1/cancellations/\(cancellation)/excuse", .store, 404)]),
                "post /v1/invites": Row(access: .store, body: ["phone": "+385912345678"]),
                "get /v1/invites": Row(access: .signedIn),
                "delete /v1/invites/{id}": Row(access: .store, strangers: [("/v1/invites/\(invite)", .store, 404)]),
                "post /v1/partners": Row(
                    access: .courier, body: ["code": .string(code)], strangers: [("/v1/partners", .courier, 403)]),
                "get /v1/partners": Row(access: .signedIn),
                "delete /v1/partners/{courier_id}": Row(
                    access: .store, strangers: [("/v1/partners/\(courier.id)", .store, 404)]),
                "post /v1/outbox/claim": Row(
                    access: .gateway, body: ["channel": "sms", "max": 1, "lease_seconds": 60]),
                "post /v1/outbox/ack": Row(access: .gateway, body: [:]),
                "post /v1/outbox/nack": Row(access: .gateway, body: [:]),
                "post /v1/outbox/extend": Row(access: .gateway, body: [:]),
                "get /v1/outbox/stats": Row(access: .gateway), "get /v1/outbox/dead": Row(access: .gateway),
                "post /v1/outbox/dead/{id}/retry": Row(access: .gateway),
                "get /v1/stats": Row(access: .store), "get /v1/lifecycle": Row(access: .anyone),
                "get /v1/about": Row(access: .anyone), "get /undo/{token}": Row(access: .anyone),
                "post /undo/{token}": Row(access: .anyone),
                "get /t/{token}": Row(access: .anyone), "get /t/{token}/wish": Row(access: .anyone),
                "get /t/{token}/rating": Row(access: .anyone), "post /t/{token}/wish": Row(access: .anyone),
                "post /t/{token}/rating": Row(access: .anyone), "get /v1/tracking/{token}": Row(access: .anyone),
                "post /v1/tracking/{token}/wish": Row(access: .anyone),
                "post /v1/tracking/{token}/rating": Row(access: .anyone),
                "get /tiles/{z}/{x}/{y}": Row(access: .anyone),
                "post /v1/deliveries/{id}/tracking": Row(access: .store, strangers: others("/tracking", .store)),
                "delete /v1/deliveries/{id}/tracking": Row(access: .store, strangers: others("/tracking", .store)),
                "post /v1/invites/{id}/accept": Row(
                    access: .courier, strangers: [("/v1/invites/\(invite)/accept", .courier, 404)]),
                "get /v1/events": Row(access: .signedIn),
                "post /v1/deliveries": Row(
                    access: .store, body: SampleDelivery.form(to: [courier]),
                    strangers: [
                        ("/v1/deliveries", .store, 422)
                    ]),
                "get /v1/deliveries": Row(access: .signedIn),
                "get /v1/deliveries/{id}": Row(access: .signedIn, strangers: others("", .store, .courier)),
                "patch /v1/deliveries/{id}": Row(
                    access: .store, body: ["description": "x"], strangers: others("", .store)),
                "post /v1/deliveries/{id}/accept": Row(access: .courier, strangers: others("/accept", .courier)),
                "post /v1/deliveries/{id}/decline": Row(access: .courier, strangers: others("/decline", .courier)),
                "post /v1/deliveries/{id}/pick_up": Row(
                    access: .courier, body: [:], strangers: others("/pick_up", .courier)),
                "post /v1/deliveries/{id}/fail": Row(
                    access: .courier, body: ["reason": "other"], strangers: others("/fail", .courier)),
                "post /v1/deliveries/{id}/reassign": Row(
                    access: .store, body: [:], strangers: others("/reassign", .store)),
                "post /v1/deliveries/{id}/reopen": Row(
                    access: .store, body: ["note": "x"], strangers: others("/reopen", .store)),
                "post /v1/deliveries/{id}/deliver": Row(
                    access: .courier, body: [:], strangers: others("/deliver", .courier)),
                "post /v1/deliveries/{id}/cancel": Row(
                    access: .signedIn, body: [:], strangers: others("/cancel", .store, .courier)),
                "get /v1/deliveries/{id}/notices": Row(access: .store, strangers: others("/notices", .store)),
                "get /v1/me/earnings": Row(access: .courier),
                "post /v1/me/positions": Row(access: .courier, body: ["fixes": []]),
                "get /v1/positions": Row(access: .store), "get /v1/me/route/suggestion": Row(access: .courier),
                "get /v1/bulletin": Row(access: .signedIn),
                "get /v1/bulletin/{id}": Row(access: .signedIn, strangers: strangers("/v1/bulletin/\(bulletin)")),
                "post /v1/bulletin": Row(access: .store, body: ["title": "", "text": ""]),
                "delete /v1/bulletin/{id}": Row(
                    access: .store, strangers: [("/v1/bulletin/\(bulletin)", .store, 404)]),
                "get /v1/stats/areas": Row(access: .store), "get /v1/stats/areas/{cell}": Row(access: .store),
                "get /v1/stats/days/{date}": Row(access: .store), "get /v1/me/stats": Row(access: .courier),
                "get /v1/places": Row(access: .signedIn), "get /v1/places/search": Row(access: .signedIn),
                "post /v1/places": Row(access: .signedIn, body: ["name": "", "address": ""]),
                "patch /v1/places/{id}": Row(
                    access: .signedIn, body: ["name": "x"], strangers: strangers("/v1/places/\(place)")),
                "delete /v1/places/{id}": Row(access: .signedIn, strangers: strangers("/v1/places/\(place)")),
                "put /v1/places/order": Row(
                    access: .signedIn, body: ["ids": [.string(place)]],
                    strangers: [("/v1/places/order", .store, 422), ("/v1/places/order", .courier, 422)]),
                "put /v1/places/selected": Row(
                    access: .signedIn, body: ["id": .string(place)], strangers: strangers("/v1/places/selected")),
                "get /v1/me/credentials": Row(access: .courier),
                "post /v1/me/credentials": Row(access: .courier, body: ["raw": "HC1:"]),
                "patch /v1/me/credentials/{id}": Row(
                    access: .courier, body: ["shared_with": []],
                    strangers: [("/v1/me/credentials/\(paper)", .courier, 404)]),
                "delete /v1/me/credentials/{id}": Row(
                    access: .courier, strangers: [("/v1/me/credentials/\(paper)", .courier, 404)]),
                "get /v1/couriers/{id}/credentials": Row(
                    access: .store, strangers: [("/v1/couriers/\(courier.id)/credentials", .store, 404)]),
                "post /v1/scans": Row(access: .signedIn),
                "put /v1/conversations/with/{account_id}": Row(
                    access: .signedIn,
                    strangers: [
                        ("/v1/conversations/with/\(courier.id)", .store, 404),
                        ("/v1/conversations/with/\(store.id)", .courier, 404),
                    ]),
                "get /v1/conversations": Row(access: .signedIn),
                "get /v1/conversations/{id}": Row(access: .signedIn, strangers: strangers(talkPath())),
                "patch /v1/conversations/{id}": Row(
                    access: .signedIn, body: ["muted": true], strangers: strangers(talkPath())),
                "delete /v1/conversations/{id}": Row(access: .signedIn, strangers: strangers(talkPath())),
                "get /v1/conversations/{id}/messages": Row(
                    access: .signedIn, strangers: strangers(talkPath("/messages"))),
                "post /v1/conversations/{id}/messages": Row(
                    access: .signedIn, body: ["text": "x"], strangers: strangers(talkPath("/messages"))),
                "put /v1/conversations/{id}/read": Row(
                    access: .signedIn, body: ["up_to": 1], strangers: strangers(talkPath("/read"))),
                "delete /v1/conversations/{id}/messages/{message_id}": Row(
                    access: .signedIn, strangers: strangers(talkPath("/messages/\(said)"))),
                "get /v1/me/quick_answers": Row(access: .signedIn),
                "put /v1/me/quick_answers": Row(access: .signedIn, body: ["texts": nil]),
                "post /v1/roads": Row(access: .signedIn, body: ["kind": "closure"]),
                "get /v1/roads": Row(access: .signedIn, strangers: [("/v1/roads?near=45,15", .store, 200)]),
                "get /v1/roads/{id}": Row(access: .signedIn, strangers: [("/v1/roads/\(road)", .courier, 200)]),
                "post /v1/roads/{id}/gone": Row(access: .signedIn),
                "post /v1/roads/{id}/still_there": Row(access: .signedIn), "get /v1/weather": Row(access: .signedIn),
                "put /v1/me/route": Row(access: .courier, body: ["delivery_ids": []]),
                "put /v1/me/duty": Row(access: .courier, body: ["on": true]),
                "get /v1/deliveries/{id}/history": Row(
                    access: .signedIn, strangers: others("/history", .store, .courier)),
            ]
        }

        private func talkPath(_ rest: String = "") -> String { "/v1/conversations/\(talk)\(rest)" }

        /// Nobody else may see that.
        private func strangers(_ path: String) -> [(path: String, kind: Kind, status: Int)] {
            [(path, .store, 404), (path, .courier, 404)]
        }

        /// Others may not see an offered or a carried delivery.
        private func others(_ action: String, _ kinds: Kind...) -> [(path: String, kind: Kind, status: Int)] {
            [offered, taken].flatMap { id in kinds.map { ("/v1/deliveries/\(id)\(action)", $0, 404) } }
        }
    }

    @Test func `nobody gets more than is theirs`() async throws {
        try await ServedProduct.serving { api in
            let world = try await World(api)
            let rows = world.rows
            let routes = try await routes(api)
            // A route that is missing in the table is one that nobody has thought about.
            #expect(Set(routes.map { "\($0.method) \($0.path)" }) == Set(rows.keys))
            for (method, path) in routes {
                let row = try #require(rows["\(method) \(path)"])
                guard row.access != .anyone else { continue }
                try await refusesNobodies(api, method, filled(path), row.body)
                try await refusesTheWrongKind(api, method, filled(path), row, world)
                try await refusesStrangers(api, method, row, world)
            }
            // None of the attempts changed anything.
            #expect(try await api.get("/v1/me", as: world.courier.token).status == 200)
            #expect(try await api.get("/v1/partners", as: world.store.token).items.count == 1)
            #expect(try await api.get("/v1/invites", as: world.store.token).items.map { $0["state"] } == ["live"])
            #expect(try await api.execute("SELECT account_id FROM devices") == [[world.courier.id]])
            #expect(
                try await api.execute("SELECT status, version FROM deliveries ORDER BY id")
                    == [["pending", "3"], ["pending", "1"], ["in_progress", "2"], ["delivered", "3"]])
            #expect(try await api.execute("SELECT FROM cancellation_reviews").isEmpty)
            #expect(try await api.execute("SELECT id::text, name FROM places") == [[world.place, "Ured"]])
            #expect(try await api.execute("SELECT FROM selected_places").isEmpty)
            #expect(try await api.execute("SELECT id::text FROM credentials") == [[world.paper]])
            #expect(
                try await api.execute(
                    "SELECT last_seq, store_unread, store_read, store_hidden, store_muted FROM conversations")
                    == [["1", "1", "0", "f", "f"]])
        }
    }

    /// Neither a browser nor a proxy may keep an answer to somebody who is signed in.
    @Test func `answers to an account are kept nowhere`() async throws {
        try await ServedProduct.serving { api in
            let world = try await World(api)
            let tokens = [world.store.token, world.courier.token, try await api.key()]
            var shown: Set<String> = []
            // What ends sessions comes behind what only reads, and signing out comes last.
            let routes = try await routes(api).sorted { first, second in
                func rank(_ route: (method: String, path: String)) -> Int {
                    route.method == "get" ? 0 : route.path.hasSuffix("current") ? 2 : 1
                }
                return rank(first) < rank(second)
            }
            for (method, path) in routes {
                let row = try #require(world.rows["\(method) \(path)"])
                guard row.access != .anyone, !World.notShown.contains("\(method) \(path)") else { continue }
                for token in tokens {
                    let answer = try await api.call(
                        method.uppercased(), row.strangers.first?.path ?? filled(path), row.body, as: token)
                    #expect(answer.reply.headers("cache-control") == ["no-store"], "\(method) \(path)")
                    if answer.status == 200 { shown.insert("\(method) \(path)") }
                }
            }
            // Not only refusals said so.
            for (name, row) in world.rows
            where name.hasPrefix("get") && row.access != .anyone && !World.notShown.contains(name) {
                #expect(shown.contains(name), "nobody was shown \(name)")
            }
        }
    }

    @Test(arguments: [("/v1/events", "text/event-stream"), ("/v1/me/export", "application/json")])
    func `what is streamed is kept nowhere`(_ path: String, _ type: String) async throws {
        try await ServedProduct.serving { api in
            let client = try await Client(api.port)
            let store = try await api.store()
            try await client.send(
                """
                GET \(path) HTTP/1.1\r\nHost: test\r\nAccept: \(type)\r\n\
                Authorization: Bearer \(store.token)\r\n\r\n
                """)
            let head = try await blocking {
                var lines: [String] = []
                while case let line = try client.takeLine(), !line.isEmpty { lines.append(line) }
                return lines
            }
            #expect(head.contains("Content-Type: \(type)"))
            #expect(head.filter { $0.lowercased().hasPrefix("cache-control") } == ["Cache-Control: no-store"])
            client.close()
        }
    }

    private func routes(_ api: ServedProduct) async throws -> [(method: String, path: String)] {
        guard case .object(let paths) = try await api.get("/openapi.json").json["paths"] else { return [] }
        return paths.flatMap { path, operations in operations.names.map { ($0, path) } }
    }

    /// A path with something in the place of each parameter.
    private func filled(_ path: String) -> String {
        path.replacing(/\{(\w+)\}/) { part in
            switch part.1 {
            case "date": "2026-01-31"
            case "cell": "u24n8w"
            case let name: name.hasSuffix("id") ? "018f0000-0000-7000-8000-000000000000" : "x"
            }
        }
    }

    private func refusesNobodies(_ api: ServedProduct, _ method: String, _ path: String, _ body: JSON?) async throws {
        for token in [nil, "", "x", String(repeating: "A", count: 43)] {
            let answer = try await api.call(method.uppercased(), path, body, as: token)
            #expect(answer.status == 401 && answer.code == "unauthenticated", "\(method) \(path) as nobody")
        }
    }

    private func refusesTheWrongKind(
        _ api: ServedProduct, _ method: String, _ path: String, _ row: Row, _ world: World
    ) async throws {
        guard row.access != .signedIn else { return }
        guard row.access != .gateway else {
            // No account is a gateway: to gateways its token is none.
            for person in [world.store, world.courier] {
                let answer = try await api.call(method.uppercased(), path, row.body, as: person.token)
                #expect(answer.status == 401 && answer.code == "unauthenticated", "\(method) \(path) as an account")
            }
            return
        }
        let wrong = row.access == .store ? world.courier : world.store
        let answer = try await api.call(method.uppercased(), path, row.body, as: wrong.token)
        #expect(answer.status == 403 && answer.code == "forbidden", "\(method) \(path) as the wrong kind")
    }

    private func refusesStrangers(_ api: ServedProduct, _ method: String, _ row: Row, _ world: World) async throws {
        for (path, kind, status) in row.strangers {
            let stranger = kind == .store ? world.otherStore : world.otherCourier
            let answer = try await api.call(method.uppercased(), path, row.body, as: stranger.token)
            #expect(answer.status == status, "\(method) \(path) as another \(kind)")
        }
    }
}
