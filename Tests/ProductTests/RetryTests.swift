import Domain
import Foundation
import HTTP
import TestSupport
import Testing

/// What was given up gets another go as long as what it says is true, and none from then on.
@Suite(.database) struct RetryTests {
    /// What makes a message untrue that was given up.
    enum Untruth: String, CaseIterable, Sendable {
        case offerTaken, storeGone, inviteRevoked, inviteRedeemed
        case codeReplaced, codeUsed, codeWithoutTries, resetUsed, resetElsewhere
        case messageRead, messageFollowed, messageFollowedUntold, messageTakenBack
        case conversationMuted, conversationHidden, storeBlocked
        case bulletinRemoved, bulletinOfAFormerStore
        case stepFollowed, linkEnded, linkReplaced, recipientElsewhere
        case strandedTaken, strandedOffered, unacceptedTaken, unacceptedCancelled
        case lateArrived, lateElsewhen, lateOfAnother, failedArrived, failedReturned, arrivedReopened
        case changedArrived, changedOfAnother, reopenedArrived, reopenedCancelled, offersGone
        case reassignedTakenAgain, endedJoined, joinedEnded, contestedExcused

        var kind: String {
            switch self {
            case .offerTaken, .storeGone: "delivery_offered"
            case .inviteRevoked, .inviteRedeemed: "invite"
            case .codeReplaced, .codeUsed, .codeWithoutTries: "confirmation_code"
            case .resetUsed, .resetElsewhere: "password_reset"
            case .messageRead, .messageFollowed, .messageFollowedUntold, .messageTakenBack, .conversationMuted,
                .conversationHidden, .storeBlocked:
                "message_received"
            case .bulletinRemoved, .bulletinOfAFormerStore: "bulletin_published"
            case .stepFollowed, .linkEnded, .linkReplaced, .recipientElsewhere: "recipient_tracking"
            case .strandedTaken, .strandedOffered: "delivery_stranded"
            case .unacceptedTaken, .unacceptedCancelled: "delivery_unaccepted"
            case .lateArrived, .lateElsewhen, .lateOfAnother: "delivery_late"
            case .failedArrived, .failedReturned: "attempt_failed"
            case .arrivedReopened: "delivery_delivered"
            case .changedArrived, .changedOfAnother: "delivery_changed"
            case .reopenedArrived, .reopenedCancelled: "delivery_reopened"
            case .offersGone: "offers_waiting"
            case .reassignedTakenAgain: "delivery_reassigned"
            case .endedJoined: "partnership_ended"
            case .joinedEnded: "partner_joined"
            case .contestedExcused: "cancellation_contested"
            }
        }

        var channel: String {
            let bySMS = ["invite", "confirmation_code", "password_reset", "recipient_tracking", "offers_waiting"]
            return bySMS.contains(kind) ? "sms" : "push"
        }

        var trust: Trust {
            var trust = Trust()
            trust.offersBySMS = self == .offersGone
            return trust
        }
    }

    /// Makes a message untrue, of which there is what a gateway was given.
    typealias Change = @Sendable (_ message: JSON) async throws -> Answer

    /// However far it is. Each time somebody else is told, by the same server.
    @Test(arguments: Untruth.allCases) func `what became untrue gets no other go`(_ untruth: Untruth) async throws {
        try await ServedProduct.serving(publicURL: "https://kurir.example", verifies: true, trust: untruth.trust) {
            api in
            let key = try await api.key()
            // Somebody sends SMS.
            _ = try await api.claim(key, channel: "sms")
            for tryIt in [givenUp, withAGateway, waiting] {
                try await tryIt(untruth, key, api, scene(untruth, api))
                try await takeAll(untruth, key, api)
            }
        }
    }

    /// It does get one as long as it is true.
    private func givenUp(_ untruth: Untruth, _ key: String, _ api: ServedProduct, _ change: Change) async throws {
        let message = try await giveUp(untruth, key, api)
        let retry = "/v1/outbox/dead/\(message["id"].string ?? "")/retry"
        #expect(try await api.post(retry, as: key).status == 204)
        #expect(try await giveUp(untruth, key, api)["id"] == message["id"])
        let changed = try await change(message)
        #expect((200...204).contains(changed.status), "\(changed.json)")
        let refused = try await api.post(retry, as: key)
        #expect(refused.status == 410 && refused.code == "gone")
        #expect(try await isGone(message, api))
    }

    private func withAGateway(_ untruth: Untruth, _ key: String, _ api: ServedProduct, _ change: Change) async throws {
        let held = try await take(untruth, key, api)
        #expect((200...204).contains(try await change(held[0]).status))
        #expect(try await api.tell(key, "nack", held, ["reason": "busy", "retry_after_seconds": 0]) == ["dead"])
    }

    private func waiting(_ untruth: Untruth, _ key: String, _ api: ServedProduct, _ change: Change) async throws {
        let held = try await take(untruth, key, api)
        #expect(try await api.tell(key, "nack", held, ["reason": "busy", "retry_after_seconds": 3600]) == ["retry"])
        #expect((200...204).contains(try await change(held[0]).status))
        #expect(try await isGone(held[0], api))
    }

    private func isGone(_ message: JSON, _ api: ServedProduct) async throws -> Bool {
        try await api.execute("SELECT FROM message_queue WHERE id = '\(message["id"].string ?? "")'").isEmpty
    }

    /// What else was said meanwhile is sent, so that the next one is told apart from it.
    private func takeAll(_ untruth: Untruth, _ key: String, _ api: ServedProduct) async throws {
        while case let left = try await api.claim(key, channel: untruth.channel), !left.isEmpty {
            _ = try await api.tell(key, "ack", left)
        }
    }

    /// Whoever withdraws another kind says in the same function when it is true, and tries it here.
    @Test func `whatever is withdrawn somewhere is tried here`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let files = ["Sources", "sql/functions"].flatMap { folder in
            FileManager.default.enumerator(at: root.appending(path: folder), includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter { ["swift", "sql"].contains($0.pathExtension) } ?? []
        }
        let withdrawn = try files.map { try String(contentsOf: $0, encoding: .utf8) }.flatMap { text in
            text.matches(of: #/\bwithdraw\('(\w+)'/#).map { String($0.1) }
                + text.matches(of: #/\bUntruth\(\.(\w+)/#).map { snake($0.1) }
        }
        #expect(Set(withdrawn) == Set(Untruth.allCases.map(\.kind)))
    }

    private func snake(_ name: Substring) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// Has a gateway take the one message of that kind.
    private func take(_ untruth: Untruth, _ key: String, _ api: ServedProduct) async throws -> [JSON] {
        let claimed = try await api.claim(key, channel: untruth.channel, wait: 10)
        let held = claimed.filter { $0["kind"].string == untruth.kind }
        try #require(held.count == 1, "\(claimed)")
        return held
    }

    /// Has a gateway take it and give it up.
    func giveUp(_ untruth: Untruth, _ key: String, _ api: ServedProduct) async throws -> JSON {
        let held = try await take(untruth, key, api)
        #expect(try await api.tell(key, "nack", held, ["reason": "no", "permanent": true]) == ["dead"])
        return held[0]
    }

    /// It has a way for itself, and keeps it.
    @Test func `a gathered mail that is raised holds up no other mail to its address`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            let key = try await api.key()
            let id = try await api.delivery(of: store, to: couriers)
            try await api.act("decline", id, as: couriers[0])
            let stranded = try await api.claim(key, channel: "email")
            #expect(stranded.map { $0["kind"] } == ["delivery_stranded"])
            #expect(try await api.tell(key, "nack", stranded, ["reason": "no", "permanent": true]) == ["dead"])
            let retry = "/v1/outbox/dead/\(stranded[0]["id"].string ?? "")/retry"
            #expect(try await api.post(retry, as: key).status == 204)
            // While a gateway has it, a code to the same address goes its own way.
            #expect(try await api.claim(key, channel: "email").map { $0["id"] } == [stranded[0]["id"]])
            _ = try await api.post("/v1/password_resets", ["email": .string(store.login)])
            #expect(try await api.claim(key, channel: "email", wait: 10).map { $0["kind"] } == ["password_reset"])
        }
    }
}
