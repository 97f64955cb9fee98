import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Deliveries

/// Conversations as tests have them.
extension ServedProduct {
    /// Begins a conversation, or finds it, and gives its id.
    func conversation(_ person: Person, with other: Person) async throws -> String {
        let answer = try await call("PUT", "/v1/conversations/with/\(other.id)", as: person.token)
        try #require([200, 201].contains(answer.status), "\(answer.json)")
        return answer.json["id"].string ?? ""
    }

    /// A store and a courier, partners who have begun to talk.
    func talk() async throws -> (store: Person, courier: Person, id: String) {
        let (store, couriers) = try await team(1)
        return (store, couriers[0], try await conversation(store, with: couriers[0]))
    }

    func say(
        _ text: String, in id: String, as person: Person, _ more: [String: JSON] = [:], key: String? = nil
    ) async throws -> Answer {
        try await post(
            "/v1/conversations/\(id)/messages", (["text": .string(text)] as JSON).with(more), as: person.token,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:])
    }

    /// What was said, oldest first.
    func said(in id: String, as person: Person) async throws -> [JSON] {
        var (items, cursor): ([JSON], String?) = ([], nil)
        repeat {
            let page = try await get(
                "/v1/conversations/\(id)/messages?limit=200" + (cursor.map { "&cursor=\($0)" } ?? ""),
                as: person.token)
            items += page.items
            cursor = page.json["next_cursor"].string
        } while cursor != nil
        return items.reversed()
    }

    /// The conversation as that person has it.
    func conversation(_ id: String, of person: Person) async throws -> JSON {
        try await get("/v1/conversations/\(id)", as: person.token).json
    }

    func read(_ id: String, upTo seq: Int, as person: Person) async throws -> Answer {
        try await call("PUT", "/v1/conversations/\(id)/read", ["up_to": .integer(seq)], as: person.token)
    }

    func takeBack(_ message: JSON, in id: String, as person: Person) async throws -> Answer {
        try await call(
            "DELETE", "/v1/conversations/\(id)/messages/\(message["id"].string ?? "")", as: person.token)
    }

    func change(_ id: String, _ change: JSON, as person: Person) async throws -> Answer {
        try await call("PATCH", "/v1/conversations/\(id)", change, as: person.token)
    }

    func endPartnership(_ store: Person, _ courier: Person) async throws {
        let ended = try await call("DELETE", "/v1/partners/\(courier.id)", as: store.token)
        try #require(ended.status == 204, "\(ended.json)")
    }

    /// Makes two people partners by an invite to a number, which is the courier's then.
    func joinByNumber(_ store: Person, _ courier: Person, _ phone: String = SamplePeople.phone()) async throws {
        let made = try await post("/v1/invites", ["phone": .string(phone)], as: store.token)
        try #require(made.status == 201, "\(made.json)")
        try await execute("UPDATE couriers SET phone = '\(phone)', phone_verified = true WHERE id = '\(courier.id)'")
        let joined = try await post("/v1/partners", ["code": made.json["code"]], as: courier.token)
        try #require(joined.status == 201, "\(joined.json)")
    }

    /// Erases an account as an operator does.
    func erase(_ person: Person, _ kind: AccountKind) async throws {
        let id = try #require(ID(person.id))
        let event = JSONB(utf8: Array(#"{"kind":"account.erased"}"#.utf8))
        _ = try await Departure.leave(id, kind, in: 0, noting: event, database)
        while try await Departure.erase(id, in: database) {}
    }
}
