import API
import Curl
import Domain
import Glibc
import HTTP
import Simulation

/// A server that is held against the rules: what it shows and answers must be what the ledger says.
struct WatchedStage: Stage {
    private(set) var stage: ServerStage
    private(set) var ledger: Ledger
    /// What was otherwise.
    private(set) var wrong: [String] = []
    /// What is expected when the answers that were lost are asked for again.
    private var lost: [Int: Expectation] = [:]
    private var feeds: [Person: ReadFeed] = [:]
    private let cast: Cast

    /// What an answer has to say.
    private struct Expectation {
        var status = 200
        var code: String?
        var delivery: Delivery?
    }

    init(_ stage: ServerStage, _ cast: Cast, _ ids: [Person: ID]) {
        (self.stage, self.cast) = (stage, cast)
        ledger = Ledger(of: cast, ids)
    }

    mutating func look(as person: Person) throws -> [SeenJob] {
        let (shown, due) = (Set(try stage.look(as: person)), ledger.sights(of: person))
        // Of a longer list this is the beginning.
        if due.count < ServerStage.most, shown != Set(due) {
            let these = shown.symmetricDifference(due).map { "\($0.id) (\($0.status.rawValue))" }
            wrong.append("\(name(person)) sees or misses \(these.joined(separator: ", ")) as it should not")
        }
        return due
    }

    mutating func perform(_ act: Act) throws {
        let answer = try stage.answer(to: act)
        if act.network == .isBack {
            guard var due = lost.removeValue(forKey: act.number) else { return }
            // An answer that was given before tells of nothing that is not to be seen any more.
            if let told = due.delivery, answer.status == 404, !ledger.sees(act.person, told.id) {
                due = expectation(.refused(.notFound))
            }
            return compare(answer, due, act)
        }
        let new = answer.json?["id"]?.text.flatMap(ID.init(_:)) ?? .new()
        var due = expectation(ledger.note(act, creating: new))
        if case .create = act.deed { due.status = 201 }
        if act.network == .losesAnswer {
            lost[act.number] = due
            due = Expectation(status: due.status)
        }
        compare(answer, due, act)
    }

    private func expectation(_ outcome: Ledger.Outcome) -> Expectation {
        switch outcome {
        case .change(let change): Expectation(delivery: change.after)
        case .stays(let delivery): Expectation(delivery: delivery)
        case .isRouted: Expectation(status: 204)
        case .refused(let refusal):
            switch refusal {
            case .notFound: Expectation(status: 404, code: refusal.rawValue)
            case .forfeited: Expectation(status: 403, code: refusal.rawValue)
            case .courierForfeited: Expectation(status: 422, code: "validation_failed")
            case .alreadyTaken, .notPending, .notInProgress, .notDelivered, .alreadyDelivered, .tooManyAttempts:
                Expectation(status: 409, code: refusal.rawValue)
            }
        }
    }

    private mutating func compare(_ answer: StoryServer.Answer, _ due: Expectation, _ act: Act) {
        let (status, version) = (answer.json?["status"]?.text, answer.json?["version"]?.number)
        let isAsDue = due.delivery.map { status == $0.status.rawValue && version == Int($0.version) } ?? true
        guard answer.status != due.status || answer.code != due.code || !isAsDue else { return }
        let told = "\(answer.status) \(answer.code ?? status ?? "")"
        let meant = "\(due.status) \(due.code ?? due.delivery?.status.rawValue ?? "")"
        wrong.append("act \(act.number), \(name(act.person)), \(act.deed): \(told) instead of \(meant)")
    }

    // MARK: Feeds and histories

    /// A feed as far as it was read.
    private struct ReadFeed {
        var cursor = ""
        var number = 0
        var news: [Ledger.News] = []
    }

    /// Reads on in all feeds. `patiently` waits, for half a minute at most, until what is due has come.
    mutating func readFeeds(patiently: Bool = false) throws {
        let end = time(nil) + 30
        for person in cast.everybody {
            var feed = feeds[person] ?? ReadFeed()
            repeat {
                let wait = patiently && feed.news.count < due(person).count ? min(10, max(0, end - time(nil))) : 0
                let items = try stage.get("/v1/events?limit=100&wait_seconds=\(wait)&after=\(feed.cursor)", as: person)
                    .items
                if items.isEmpty { break }
                for item in items { take(item, of: person, into: &feed) }
            } while true
            feeds[person] = feed
        }
    }

    private static let byTheClock = Set([EventType.unaccepted, .late].map(\.rawValue))

    private func due(_ person: Person) -> [Ledger.News] { ledger.news[person] ?? [] }

    private mutating func take(_ item: JSON, of person: Person, into feed: inout ReadFeed) {
        feed.number += 1
        if item["number"]?.number != feed.number {
            wrong.append("the feed of \(name(person)) has \(item["number"]?.number ?? 0) instead of \(feed.number)")
        }
        feed.cursor = item["cursor"]?.text ?? ""
        let (type, id) = (item["type"]?.text ?? "", item["delivery_id"]?.text)
        // What the clock alone tells is in no story.
        guard let delivery = id.flatMap(ID.init(_:)), !Self.byTheClock.contains(type) else { return }
        feed.news.append(Ledger.News(type: type, delivery: delivery, seq: item["seq"]?.number ?? 0))
    }

    /// Compares all feeds and histories with the ledger.
    mutating func settle() throws {
        try readFeeds(patiently: true)
        for person in cast.everybody {
            var left = due(person).reduce(into: [:]) { $0[$1, default: 0] += 1 }
            for news in feeds[person]?.news ?? [] { left[news, default: 0] -= 1 }
            for (news, count) in left where count != 0 {
                let event = "\(news.type) of \(news.delivery), step \(news.seq)"
                wrong.append("the feed of \(name(person)) has \(event), \(count > 0 ? "too rarely" : "too often")")
            }
        }
        for id in ledger.created { try compareHistory(id) }
    }

    private mutating func compareHistory(_ id: ID) throws {
        guard let delivery = ledger[id],
            let store = cast.everybody.first(where: { ledger.id(of: $0) == delivery.store })
        else { return }
        let steps = try stage.get("/v1/deliveries/\(id)/history?limit=200", as: store).items.map { item in
            Ledger.Step(
                action: item["action"]?.text ?? "", status: item["status"]?.text ?? "",
                actor: item["actor"]?["id"]?.text.flatMap(ID.init(_:)) ?? id)
        }
        let due = ledger.steps[id] ?? []
        if steps != due {
            wrong.append("\(id) was acknowledged as \(due.map(\.action)), and its history is \(steps.map(\.action))")
        }
    }

    private func name(_ person: Person) -> String {
        switch person {
        case .store(let number): cast.stores[number].name
        case .courier(let number): "\(cast.couriers[number].name) (\(cast.couriers[number].phone))"
        }
    }
}
