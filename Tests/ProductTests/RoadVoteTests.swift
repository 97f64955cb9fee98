import Domain
import HTTP
import TestSupport
import Testing

@testable import API
@testable import Road

/// What votes make of reports of the road.
@Suite(.database, .timeLimit(.minutes(10))) struct RoadVoteTests {
    @discardableResult
    private func vote(_ vote: String, _ id: String, _ api: ServedProduct, _ person: Person) async throws -> Answer {
        try await api.post("/v1/roads/\(id)/\(vote)", as: person.token)
    }

    private func expect(
        _ answer: Answer, gone: Int, still: Int = 0, voted: JSON, _ state: JSON = "valid",
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 200, "\(answer.json)", sourceLocation: location)
        let told = ["gone_votes", "still_there_votes", "voted", "state"].map { answer.json[$0] }
        #expect(told == [.integer(gone), .integer(still), voted, state], sourceLocation: location)
    }

    @Test func `the fifth who says that it is gone removes it, and nobody counts twice`() async throws {
        try await ServedProduct.serving { api in
            let (author, people) = (try await api.store(), try await api.many(7))
            let id = try await api.report(by: author)
            for (place, person) in people.prefix(4).enumerated() {
                expect(try await vote("gone", id, api, person), gone: place + 1, voted: "gone")
                expect(try await vote("gone", id, api, person), gone: place + 1, voted: "gone")
            }
            expect(try await api.get("/v1/roads/\(id)", as: author.token), gone: 4, voted: nil)
            #expect(try await api.get("/v1/roads?near=45,15", as: author.token).items.count == 1)
            expect(try await vote("gone", id, api, people[4]), gone: 5, voted: "gone", "gone")
            #expect(try await api.get("/v1/roads?near=45,15", as: author.token).json["counts"] == [:])
            // Whoever comes late is right, and changes nothing.
            expect(try await vote("gone", id, api, people[5]), gone: 5, voted: nil, "gone")
            expect(try await vote("gone", id, api, author), gone: 5, voted: nil, "gone")
            let late = try await vote("still_there", id, api, people[6])
            #expect(late.status == 409 && late.json["code"] == "report_over")
            #expect(try await vote("gone", "\(ID.new())", api, author).status == 404)
            // What is there again is reported again.
            _ = try await api.report(by: author)
        }
    }

    @Test func `whoever reported it removes it alone`() async throws {
        try await ServedProduct.serving { api in
            let (author, other) = (try await api.courier(), try await api.courier())
            let id = try await api.report(by: author)
            expect(try await vote("gone", id, api, other), gone: 1, voted: "gone")
            expect(try await vote("gone", id, api, author), gone: 2, voted: "gone", "gone")
        }
    }

    @Test func `who says that it is still there gives it a day more, and clears what was said against it`() async throws
    {
        try await ServedProduct.serving { api in
            let (author, people) = (try await api.store(), try await api.many(6))
            let id = try await api.report(by: author)
            try await api.execute("UPDATE road_reports SET valid_until = now() + interval '1 hour'")
            for person in people.prefix(4) { try await vote("gone", id, api, person) }
            let prolonged = try await vote("still_there", id, api, people[4])
            expect(prolonged, gone: 0, still: 1, voted: "still_there")
            let until = try Moment(prolonged.json["valid_until"].string ?? "")
            #expect(abs(until.milliseconds - Moment.now.milliseconds - 86_400_000) < 60_000)
            // Once an account: what it says again counts no more.
            try await api.execute("UPDATE road_reports SET valid_until = valid_until - interval '2 hours'")
            let again = try await vote("still_there", id, api, people[4])
            expect(again, gone: 0, still: 1, voted: "still_there")
            #expect(try Moment(again.json["valid_until"].string ?? "") < until)
            // Who voted before may again, and so may who has changed its mind.
            for (place, person) in people.prefix(5).enumerated() {
                let isLast = place == 4
                expect(
                    try await vote("gone", id, api, person), gone: place + 1, still: 1, voted: "gone",
                    isLast ? "gone" : "valid")
            }
            // A stationary radar has no end, and gets none.
            let radar = try await api.report(["kind": "radar_stationary", "road_type": nil], by: author)
            let still = try await vote("still_there", radar, api, people[0])
            #expect(still.json["valid_until"] == .null && still.json["still_there_votes"] == 1)
        }
    }

    @Test func `nobody votes on what has come to its end`() async throws {
        try await ServedProduct.serving { api in
            let (author, other) = (try await api.store(), try await api.courier())
            let id = try await api.report(by: author)
            try await api.execute("UPDATE road_reports SET valid_until = now()")
            #expect(try await vote("still_there", id, api, other).json["code"] == "report_over")
            expect(try await vote("gone", id, api, other), gone: 0, voted: nil, "expired")
            #expect(try await api.execute("SELECT FROM road_votes").isEmpty)
        }
    }

    @Test func `of ten couriers who vote at once five count, two hundred times`() async throws {
        try await ServedProduct.serving { api in
            let (author, people) = (try await api.store(), try await api.many(10))
            for round in 0..<200 {
                let id = try await api.report(at: Double(round * 200), by: author)
                let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                    for person in people { group.addTask { try await vote("gone", id, api, person) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status == 200 })
                // Whoever was the fifth, or came later, sees that it is gone.
                #expect(answers.count { $0.json["state"] == "gone" } >= 6)
                #expect(answers.count { $0.json["voted"] == "gone" } == 5)
            }
            let outcome = try await api.execute(
                """
                SELECT count(*), min(gone_votes), max(gone_votes), count(gone_at), count(*) FILTER (WHERE is_listed),
                    (SELECT count(*) FROM road_votes) FROM road_reports
                """)
            #expect(outcome == [["200", "5", "5", "200", "0", "1000"]])
        }
    }

    @Test func `votes for and against it at once leave one of the two orders`() async throws {
        try await ServedProduct.serving { api in
            let (author, people) = (try await api.store(), try await api.many(6))
            for round in 0..<50 {
                let id = try await api.report(at: Double(round * 200), by: author)
                for person in people.prefix(4) { try await vote("gone", id, api, person) }
                async let gone = vote("gone", id, api, people[4])
                async let still = vote("still_there", id, api, people[5])
                let (removed, kept) = (try await gone, try await still)
                let end = try await api.get("/v1/roads/\(id)", as: author.token).json
                if kept.status == 409 {
                    #expect(end["state"] == "gone" && end["gone_votes"] == 5 && end["still_there_votes"] == 0)
                } else {
                    #expect(end["state"] == "valid" && end["still_there_votes"] == 1)
                    #expect(end["gone_votes"] == 1 && removed.status == 200)
                }
            }
        }
    }

    @Test func `a vote with a key is repeated, and counts once`() async throws {
        try await ServedProduct.serving { api in
            let (author, other) = (try await api.store(), try await api.courier())
            let id = try await api.report(by: author)
            for _ in 0..<2 {
                let answer = try await api.call(
                    "POST", "/v1/roads/\(id)/gone", as: other.token, headers: ["Idempotency-Key": "one"])
                expect(answer, gone: 1, voted: "gone")
            }
        }
    }
}
