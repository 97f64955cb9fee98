import Domain
import HTTP
import TestSupport
import Testing

@testable import API

/// Pictures that hang on steps.
@Suite(.database) struct HungPictureTests {
    /// A delivery that a courier carries, of a store with two.
    private func carried(
        _ api: ServedProduct, _ more: [String: JSON] = [:]
    ) async throws -> (id: String, store: Person, couriers: [Person]) {
        let (store, couriers) = try await api.team(2)
        let id = try await api.delivery(of: store, to: couriers, more)
        try #require(try await api.act("accept", id, as: couriers[0]).status == 200)
        return (id, store, couriers)
    }

    private func history(_ id: String, of person: Person, _ api: ServedProduct) async throws -> [JSON] {
        try await api.get(SampleDelivery.path(id, "history"), as: person.token).items
    }

    @Test func `a photo and a signature are what proof wants, and the history names them`() async throws {
        try await ServedProduct.serving { api in
            let wanted: JSON = ["photo": true, "signature": true]
            let (id, store, couriers) = try await carried(api, ["proof": wanted])
            let (photo, name) = (try await api.picture(of: couriers[0]), try await api.picture(of: couriers[0]))
            let unsigned = try await api.act("deliver", id, as: couriers[0], .photos([photo]))
            #expect(unsigned.code == "proof_missing" && unsigned.wrong == ["signature_id": "required"])
            let signed: [String: JSON] = ["signature_id": .string(name.description)]
            let handed = try await api.act("deliver", id, as: couriers[0], .photos([photo], signed))
            #expect(handed.status == 200 && handed.json["status"] == "delivered")
            for person in [store, couriers[0]] {
                let last = try await history(id, of: person, api).last
                #expect(last?["photo_ids"] == [.string(photo.description)])
                #expect(last?["signature_id"] == signed["signature_id"])
                for picture in [photo, name] {
                    #expect(try await api.look(at: picture, as: person).status == 200)
                }
            }
        }
    }

    @Test func `each step has pictures of its own`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, couriers) = try await carried(api)
            var sent: [ID] = []
            for _ in 0..<4 { sent.append(try await api.picture(of: couriers[0])) }
            try await api.act("pick_up", id, as: couriers[0], .photos([sent[0]]))
            try await api.act("fail", id, as: couriers[0], .photos([sent[1], sent[2]], ["reason": "nobody_home"]))
            try await api.act("deliver", id, as: couriers[0], .photos([sent[3]]))
            let photos = try await history(id, of: store, api).map { $0["photo_ids"] }
            #expect(
                photos == [
                    .null, .null, [.string(sent[0].description)], .array(sent[1...2].map { .string($0.description) }),
                    [.string(sent[3].description)],
                ])
            try await api.expectConsistency()
        }
    }

    /// The history tells couriers nothing of the steps of others, and neither do pictures.
    @Test func `couriers see no pictures of others`() async throws {
        try await ServedProduct.serving { api in
            let (id, store, couriers) = try await carried(api)
            let photo = try await api.picture(of: couriers[0])
            try await api.act("pick_up", id, as: couriers[0], .photos([photo]))
            try await api.act("reassign", id, as: store)
            #expect(try await api.get(SampleDelivery.path(id), as: couriers[1].token).status == 200)
            #expect(try await api.look(at: photo, as: couriers[1]).status == 404)
            #expect(try await api.act("accept", id, as: couriers[1]).status == 200)
            #expect(try await api.look(at: photo, as: couriers[1]).status == 404)
            #expect(try await api.look(at: photo, as: store).status == 200)
        }
    }

    @Test func `a picture hangs once, and only on what its sender carries`() async throws {
        try await ServedProduct.serving { api in
            let (id, _, couriers) = try await carried(api)
            let (own, others) = (try await api.picture(of: couriers[0]), try await api.picture(of: couriers[1]))
            for photos in [[others], [own, .new()]] {
                #expect(try await api.act("pick_up", id, as: couriers[0], .photos(photos)).code == "unknown_file")
            }
            let twice = try await api.act(
                "deliver", id, as: couriers[0], .photos([own], ["signature_id": .string(own.description)]))
            #expect(twice.status == 422 && twice.code == "unknown_file")
            #expect(try await api.act("pick_up", id, as: couriers[1], .photos([others])).status == 404)
            #expect(try await api.act("pick_up", id, as: couriers[0], .photos([own])).status == 200)
            // Once more changes nothing; on another step it is refused.
            #expect(try await api.act("pick_up", id, as: couriers[0], .photos([own])).status == 200)
            let again = try await api.act("deliver", id, as: couriers[0], .photos([own]))
            #expect(again.status == 422 && again.code == "unknown_file")
            #expect(try await api.execute("SELECT count(*) FROM files WHERE delivery_id IS NOT NULL") == [["1"]])
            try await api.expectConsistency()
        }
    }

    @Test func `of many deliveries that want one picture at the same moment one has it`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            var ids: [String] = []
            for _ in 0..<8 {
                ids.append(try await api.delivery(of: store, to: couriers))
                try await api.act("accept", ids[ids.count - 1], as: couriers[0])
            }
            for _ in 0..<5 {
                let picture = try await api.picture(of: couriers[0])
                let answers = try await together(ids) { id in
                    try await api.act(
                        "fail", id, as: couriers[0], .photos([picture], ["reason": "other", "note": "x"]))
                }
                #expect(answers.filter { $0.status == 200 }.count == 1)
                #expect(answers.filter { $0.code == "unknown_file" }.count == 7)
            }
            try await api.expectConsistency()
        }
    }

    @Test func `a step that is sent twice at once finds its own pictures`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for round in 0..<10 {
                let id = try await api.delivery(of: store, to: couriers, ["proof": ["photo": true]])
                try await api.act("accept", id, as: couriers[0])
                let picture = try await api.picture(of: couriers[0])
                let answers = try await together(4) {
                    try await api.act(
                        "deliver", id, as: couriers[0], .photos([picture]),
                        headers: ["Idempotency-Key": "door-\(round)"])
                }
                #expect(answers.allSatisfy { $0.status == 200 && $0.json["status"] == "delivered" })
            }
            try await api.expectConsistency()
        }
    }
}
