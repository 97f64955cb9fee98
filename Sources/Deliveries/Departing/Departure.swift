import API
import Domain
import Outbox
import Postgres

/// Takes an account out of all that goes on: because it is blocked, leaves, or is erased. Each is one commit.
package struct Departure: Sendable {
    private let account: ID
    private let kind: AccountKind
    private let transaction: Transaction

    /// For how many days who leaves may come back.
    static let days: Int32 = 7

    /// Why an account cannot depart.
    package enum Refusal: Error, Sendable, Equatable {
        /// There is no such account, or it is so already.
        case isSo
        /// Some deliveries are on their way: these, of which no more than a page are named.
        case inProgress([ID])
    }

    /// Blocks an account: its sessions and invites end, nobody sees what a store offers, and what a courier is offered or
    /// carries goes to others. What a store has on its way goes on.
    package static func block(_ account: ID, _ kind: AccountKind, noting event: JSONB, _ database: Database)
        async throws
    {
        try await database.transaction { transaction in
            guard try await transaction.run(BlockAccount(account: account)).first != nil else { throw Refusal.isSo }
            try await transaction.run(StepBack(account: account))
            if kind == .courier { try await Departure(account, kind, transaction).letGo() }
            try await transaction.run(NoteEvent(event: event))
        }
    }

    /// Takes a block back, which shows again what a store offers.
    package static func unblock(_ account: ID, noting event: JSONB, _ database: Database) async throws {
        try await database.transaction { transaction in
            guard try await transaction.run(UnblockAccount(account: account)).first != nil else { throw Refusal.isSo }
            try await transaction.run(StepForward(account: account))
            try await transaction.run(NoteEvent(event: event))
        }
    }

    /// Ends all that an account has, though nothing that is on its way, and has it be erased in so many days; says when.
    package static func leave(
        _ account: ID, _ kind: AccountKind, in days: Int32 = days, passwordHash: String? = nil,
        telling notice: Message? = nil, noting event: JSONB, _ database: Database
    ) async throws -> Timestamp {
        try await database.transaction { transaction in
            let erasure = SetErasure(account: account, days: days, passwordHash: passwordHash, notice: notice)
            guard let due = try await transaction.run(erasure).first else { throw Refusal.isSo }
            try await transaction.run(StepBack(account: account))
            // Nobody can accept anything from now on.
            let carried = try await transaction.run(FindCarried(account: account))
            guard carried.isEmpty else { throw Refusal.inProgress(carried) }
            if kind == .courier { try await Departure(account, kind, transaction).letGo() }
            try await transaction.run(NoteEvent(event: event))
            return due
        }
    }

    /// Erases a piece of one account whose time has come and that nobody is at. Says whether there was one.
    package static func erase(in database: Database) async throws -> Bool {
        try await database.transaction { transaction in
            try await erase(try await transaction.run(TakeErasure<PassOver>(wanted: nil)).first, transaction)
        }
    }

    /// The same for that account, and waits for whoever is at it.
    package static func erase(_ account: ID, in database: Database) async throws -> Bool {
        try await database.transaction { transaction in
            try await erase(try await transaction.run(TakeErasure<WaitFor>(wanted: account)).first, transaction)
        }
    }

    private static func erase(
        _ due: (account: ID, kind: AccountKind, hasBegun: Bool)?, _ transaction: Transaction
    ) async throws -> Bool {
        guard let due else { return false }
        if due.hasBegun {
            try await transaction.run(ErasePiece(account: due.account))
        } else {
            // What a store still offers is nobody's any more.
            try await Departure(due.account, due.kind, transaction).letGo()
            _ = try await transaction.run(BeginErasing(account: due.account))
        }
        return true
    }

    private init(_ account: ID, _ kind: AccountKind, _ transaction: Transaction) {
        (self.account, self.kind, self.transaction) = (account, kind, transaction)
    }

    /// Takes the account out of each delivery that stands open for it, whatever others do with these meanwhile: what a courier
    /// carries goes back without being counted, what it is offered is not any more, and what a store offers is cancelled.
    private func letGo() async throws {
        var fruitless = 0
        while case let open = try await transaction.run(FindOpen(account: account)), !open.isEmpty {
            var commits: [Commit] = []
            for (delivery, store) in open {
                if let commit = try await commit(delivery, of: store) { commits.append(commit) }
            }
            // A delivery that somebody else has changed is looked at again.
            let made = try await transaction.run(CommitSteps<WaitFor>(commits: commits)).filter { $0.outcome == .made }
            fruitless = made.isEmpty ? fruitless + 1 : 0
            guard fruitless < 10 else { throw PostgresError.unavailable("others keep changing its deliveries") }
        }
    }

    private func commit(_ id: ID, of store: ID) async throws -> Commit? {
        guard let found = try await transaction.run(FindDelivery(account: store, id: id)).first else { return nil }
        let delivery = found.delivery
        let strangers = Set(try await transaction.run(FindStrangers(delivery: delivery)))
        let action: Lifecycle.Action = kind == .store ? .cancel : delivery.courier == account ? .release : .withdraw
        let command = try await StepCommand(action, by: store, .store, about: kind == .courier ? account : nil)
            .inOrder(delivery) { try await transaction.run($0) }
        guard
            case .change(let change)? = try? Lifecycle.decide(
                command, on: delivery, isPartner: false, strangers: strangers)
        else { return nil }
        return found.after(change, at: found.nextStep(at: .now)).commit(change)
    }
}
