import API
import Domain
import EventLoop
import HTTP
import Postgres

/// Finds single deliveries for who asks. To begin a statement costs the database several times what it costs to find one
/// more delivery with it. Those that are asked for on a loop while its last question is on the way are asked for together.
package final class DeliveryFinder: Sendable {
    private let lines: LoopLocal<Lines>

    private struct Lines {
        let forStores, forAnybody, withSteps: Gatherer
    }

    package init(_ database: Database, on group: EventLoopGroup) async throws {
        lines = try await LoopLocal(group) { loop in
            Lines(
                forStores: Gatherer(on: loop) { asked in
                    let found = try await database.run(FindForStores(asked: distinct(asked.map { $0.id })))
                    return asked.map { one in found.first { $0.delivery.id == one.id } }
                },
                forAnybody: Gatherer(on: loop) { asked in
                    FindForAnybody.answers(to: asked, try await database.run(FindForAnybody(asked: distinct(asked))))
                },
                withSteps: Gatherer(on: loop) { asked in
                    FindForAnybody.answers(to: asked, try await database.run(FindWithSteps(asked: distinct(asked))))
                })
        }
    }

    /// The delivery that is meant, as the caller sees it, if there is one. What it went through is read where it is wanted.
    func find(_ call: Call, withSteps: Bool = false) async throws -> StoredDelivery? {
        guard let lines = lines.current else { preconditionFailure("deliveries are asked for on the loops") }
        let asked = AskedDelivery(account: call.caller.account, id: try call.request.parameter("id"))
        if withSteps { return try await lines.withSteps.find(asked) }
        guard call.caller.kind == .store else { return try await lines.forAnybody.find(asked) }
        return try await lines.forStores.find(asked)
    }
}

/// Each of them once; mostly there is one.
private func distinct<Asked: Hashable>(_ all: [Asked]) -> [Asked] { all.count < 2 ? all : Array(Set(all)) }

/// What is asked for on one loop by statements of one kind. It is no generic class: the compiler leaves its methods general, and what that
/// looks up at run time was an eighth of what a single delivery costs.
///
/// Unchecked, because all of it happens on the loop's thread.
private final class Gatherer: TurnEnd, @unchecked Sendable {
    private static let mostTogether = 32
    private static let mostWaiting = 4096
    /// How many questions may be on the way. There is more than one only where an answer is long in coming.
    private static let mostUnderWay = 4
    private static let patience = Duration.milliseconds(10)

    private let loop: EventLoop
    private let answers: @Sendable ([AskedDelivery]) async throws -> [StoredDelivery?]
    private var waiting: [Entry] = []
    private var underWay = 0
    private var isGathering = false
    private var look: Timer?

    private struct Entry {
        let asked: AskedDelivery
        let promise: Promise<StoredDelivery?>
    }

    /// `answers` gives what was found for each of those who ask.
    init(on loop: EventLoop, answers: @escaping @Sendable ([AskedDelivery]) async throws -> [StoredDelivery?]) {
        (self.loop, self.answers) = (loop, answers)
    }

    func find(_ asked: AskedDelivery) async throws -> StoredDelivery? {
        guard waiting.count < Self.mostWaiting else {
            throw PostgresError.unavailable("too many deliveries are asked for")
        }
        let promise = Promise<StoredDelivery?>(on: loop)
        waiting.append(Entry(asked: asked, promise: promise))
        if underWay == 0 { gather() } else { lookAgain() }
        return try await promise.value()
    }

    private func gather() {
        guard !isGathering else { return }
        isGathering = true
        loop.atEndOfTurn(self)
    }

    /// Nobody waits long for an answer that others wait for.
    private func lookAgain() {
        guard look == nil, underWay < Self.mostUnderWay else { return }
        look = loop.schedule(after: Self.patience) { [weak self] in
            self?.look = nil
            self?.gather()
        }
    }

    func turnEnded() {
        isGathering = false
        waiting.removeAll { $0.promise.isOver }
        guard !waiting.isEmpty, underWay < Self.mostUnderWay else { return }
        let batch = Array(waiting.prefix(Self.mostTogether))
        waiting.removeFirst(batch.count)
        underWay += 1
        Task(executorPreference: loop) {
            await self.ask(batch)
            self.underWay -= 1
            if !self.waiting.isEmpty { self.gather() }
        }
        if !waiting.isEmpty { lookAgain() }
    }

    private func ask(_ batch: [Entry]) async {
        do {
            let found = try await answers(batch.map { $0.asked })
            for (entry, one) in zip(batch, found) { entry.promise.fulfil(.success(one)) }
        } catch {
            for entry in batch { entry.promise.fulfil(.failure(error)) }
        }
    }
}
