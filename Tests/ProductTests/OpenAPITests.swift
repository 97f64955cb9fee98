import EventLoop
import HTTP
import TestSupport
import Testing

/// The description has all of the API and nothing else.
@Suite(.database) struct OpenAPITests {
    /// One operation of the description.
    private struct Operation {
        let method: String
        let path: String
        let json: JSON

        var name: String { "\(method.uppercased()) \(path)" }
        var responses: JSON { json["responses"] }
    }

    private func withDescription(_ body: (JSON, [Operation], ServedProduct) throws -> Void) async throws {
        try await ServedProduct.serving { api in
            let description = try await api.get("/openapi.json").json
            let operations = description["paths"].members.flatMap { path, methods in
                methods.members.map { Operation(method: $0, path: path, json: $1) }
            }
            try body(description, operations, api)
        }
    }

    @Test func `the description has every route and nothing else`() async throws {
        try await withDescription { description, operations, api in
            #expect(description["openapi"] == "3.1.0")
            #expect(operations.map(\.name).sorted() == api.routes.map { "\($0.method) \($0.template)" }.sorted())
        }
    }

    /// All answers have the same bytes, at the same place in memory: nothing is made, or copied, for one who asks.
    @Test func `the description is made once`() async throws {
        try await ServedProduct.serving { api in
            for path in ["/openapi.json", "/docs"] {
                let places = try await together(20) {
                    try await api.server.response(to: path, on: api.group.loops.randomElement()!)
                }.map { response in
                    guard case .bytes(let bytes, _) = response.body else { throw NoReply(why: "it has no bytes") }
                    return bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
                }
                #expect(Set(places).count == 1, "\(path)")
            }
        }
    }

    @Test func `every operation says what it answers and by what name it goes`() async throws {
        try await withDescription { _, operations, _ in
            let ids = operations.compactMap(\.json["operationId"].string)
            #expect(Set(ids).count == operations.count)
            for operation in operations {
                let statuses = operation.responses.names
                // A form of a page without script leads back to the page.
                #expect(statuses.contains { $0.hasPrefix("2") || $0 == "303" }, "\(operation.name)")
                #expect(statuses.isSuperset(of: ["400", "429", "500", "503"]), "\(operation.name)")
                #expect(operation.json["summary"].string?.isEmpty == false, "\(operation.name)")
                for (status, response) in operation.responses.members {
                    #expect(response["description"].string?.isEmpty == false, "\(operation.name) \(status)")
                }
            }
        }
    }

    @Test func `the description tells who must be signed in`() async throws {
        try await withDescription { description, operations, _ in
            let schemes = description["components"]["securitySchemes"].names
            #expect(schemes == ["bearer", "cookie", "gateway_key"])
            for operation in operations {
                // Any one of them is enough.
                let security = operation.json["security"].items.map(\.names)
                let isOpen = security.isEmpty
                let isForGateways = operation.path.hasPrefix("/v1/outbox/")
                let wanted: Set<Set<String>> = isForGateways ? [["gateway_key"]] : [["bearer"], ["cookie"]]
                #expect(isOpen || Set(security) == wanted, "\(operation.name)")
                #expect(isOpen || operation.responses.names.isSuperset(of: ["401", "403"]), "\(operation.name)")
                #expect(isOpen == Self.open.contains(operation.name), "\(operation.name)")
            }
        }
    }

    /// The operations for anyone.
    private static let open: Set = [
        "GET /healthz", "GET /readyz", "GET /openapi.json", "GET /docs", "GET /", "GET /courier",
        "GET /courier/{id}/qr.svg", "GET /store", "GET /favicon.ico",
        "GET /worker.js", "GET /assets/{version}/{name}", "GET /i/{code}", "GET /i/{code}/qr.svg",
        "GET /i/{code}/inviter",
        "GET /.well-known/apple-app-site-association", "GET /.well-known/assetlinks.json",
        "GET /.well-known/kurir-proof-keys",
        "POST /v1/stores", "POST /v1/couriers", "POST /v1/sessions", "POST /v1/password_resets",
        "PUT /v1/password_resets", "GET /v1/lifecycle", "GET /v1/about", "GET /undo/{token}", "POST /undo/{token}",
        "GET /tiles/{z}/{x}/{y}", "GET /t/{token}", "GET /t/{token}/wish", "GET /t/{token}/rating",
        "POST /t/{token}/wish", "POST /t/{token}/rating",
        "GET /v1/tracking/{token}", "POST /v1/tracking/{token}/wish", "POST /v1/tracking/{token}/rating",
    ]

    @Test func `every parameter of a path is declared once`() async throws {
        try await withDescription { _, operations, _ in
            for operation in operations {
                let parameters = operation.json["parameters"].items
                let inPath = parameters.filter { $0["in"] == "path" && $0["required"] == true }
                let wanted = operation.path.matches(of: /\{(\w+)\}/).map { JSON.string(String($0.1)) }
                #expect(inPath.map { $0["name"] } == wanted, "\(operation.name)")
                #expect(Set(parameters.compactMap(\.["name"].string)).count == parameters.count, "\(operation.name)")
                let takesKey = parameters.contains { $0["name"] == "Idempotency-Key" }
                let isOpen = operation.json["security"].items.isEmpty
                // Of the steps of a delivery, changing it is no POST.
                let isStep = operation.method == "patch" && operation.path == "/v1/deliveries/{id}"
                let wantsKey =
                    isStep
                    || operation.method == "post" && !isOpen && !operation.path.hasPrefix("/v1/outbox/")
                        && operation.path != "/v1/scans"
                #expect(takesKey == wantsKey, "\(operation.name)")
            }
        }
    }

    @Test func `what comes beside the bodies is described, too`() async throws {
        try await withDescription { description, operations, _ in
            let named = Dictionary(uniqueKeysWithValues: operations.map { ($0.name, $0) })
            let feed = try #require(named["GET /v1/events"])
            #expect(feed.responses["200"]["content"].names == ["application/json", "text/event-stream"])
            #expect(feed.json["parameters"].items.contains { $0["name"] == "Last-Event-ID" })
            for name in ["GET /v1/positions", "GET /v1/roads", "GET /v1/tracking/{token}"] {
                #expect(named[name]?.responses["200"]["content"]["text/event-stream"] != .null, "\(name)")
            }
            let (made, seen) = (named["POST /v1/deliveries"], named["GET /v1/deliveries/{id}"])
            #expect(made?.responses["201"]["headers"].names == ["ETag", "Idempotent-Replayed"])
            #expect(seen?.responses["200"]["headers"].names == ["ETag"])
            let words = try #require(description["info"]["description"].string)
            #expect(words.contains("`delivery.created`") && words.contains("`partner.joined`"))
        }
    }

    @Test func `every reference leads somewhere, and every schema is used`() async throws {
        try await withDescription { description, _, _ in
            let references = Set(description.references)
            let schemas = description["components"]["schemas"].names
            #expect(!schemas.isEmpty && references == Set(schemas.map { "#/components/schemas/\($0)" }))
        }
    }

    /// Refusals are in the description, and in the answers.
    @Test func `refusals are told with their codes`() async throws {
        try await withDescription { _, operations, _ in
            let codes = Dictionary(
                uniqueKeysWithValues: operations.map { operation in
                    (operation.name, operation.responses.members.mapValues { $0["description"].string ?? "" })
                })
            #expect(codes["POST /v1/stores"]?["409"] == "`email_taken`, `tax_id_taken`")
            #expect(codes["POST /v1/sessions"]?["401"] == "`wrong_credentials`")
            #expect(codes["POST /v1/partners"]?["410"] == "`code_expired`, `code_revoked`, `code_used`")
            #expect(codes["POST /v1/partners"]?["403"] == "`code_not_yours`, `forbidden`")
            #expect(codes["POST /v1/invites"]?["409"] == "`already_partner`, `request_in_progress`")
            #expect(codes["POST /v1/invites"]?["422"] == "`idempotency_key_reused`, `validation_failed`")
            #expect(codes["GET /v1/me"]?["404"] == nil)
        }
    }
}

extension JSON {
    fileprivate var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }

    /// All references within the JSON.
    fileprivate var references: [String] {
        let within = (items + members.values).flatMap(\.references)
        return (self["$ref"].string.map { [$0] } ?? []) + within
    }
}
