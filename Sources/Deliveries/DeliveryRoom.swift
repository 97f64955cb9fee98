import API
import Crypto
import People
import Domain
import HTTP
import Postgres

/// Creates, reads and changes deliveries. `Lifecycle` alone decides what may happen to one.
package struct DeliveryRoom: Room {
    let committer: Committer
    let finder: DeliveryFinder
    let searches: SlowReads
    let clock: StepClock
    let rates: Rates
    /// What is handed over is signed with it.
    let key: SigningKey
    let links: TrackingLinks
    /// Whether pictures are kept elsewhere than in the database.
    private let hasPictureStore: Bool
    /// Who knows of the places that deliveries go to.
    private let surroundings: [any Surroundings]

    package init(
        committer: Committer, finder: DeliveryFinder, searches: SlowReads, clock: StepClock, rates: Rates,
        key: SigningKey,
        links: TrackingLinks, hasPictureStore: Bool, surroundings: [any Surroundings]
    ) {
        (self.committer, self.finder, self.searches, self.clock) = (committer, finder, searches, clock)
        (self.rates, self.key, self.links) = (rates, key, links)
        (self.hasPictureStore, self.surroundings) = (hasPictureStore, surroundings)
    }

    /// What its steps tell, and what the clock does.
    package let eventTypes = (EventType.ofSteps + [.unaccepted, .late]).map(\.rawValue)

    package var endpoints: [Endpoint] {
        let one = [Endpoint.Answer.ok(StoredDelivery.shape).tagged]
        return [
            Endpoint(
                .post, "/v1/deliveries", for: .store, "Creates a delivery and offers it to couriers", room: Self.name,
                answers: [.created(StoredDelivery.shape).tagged], refuses: [.referenceTaken], keepsItsAnswer: true,
                handler: create
            ).taking(NewDelivery.self).forApproved,
            Endpoint(
                .get, "/v1/deliveries", for: .signedIn,
                """
                A store's or courier's deliveries by status (\(Self.statuses)): what is open by its due time, soonest first, then \
                the rest, newest first; what is over by its end, latest first. What a courier carries stands as it chose. What \
                a store took from a courier stays in its list for a day.
                """,
                room: Self.name, query: ListedDeliveries.parameters,
                answers: [.ok(.page(of: StoredDelivery.shape))], refuses: [SlowReads.endedByAThird], handler: list),
            Endpoint(
                .get, "/v1/deliveries/{id}", for: .signedIn, "One delivery, with what is around where it goes",
                room: Self.name,
                answers: [
                    .ok(.object("VisitedDelivery", StoredDelivery.shape.members + surroundings.map(\.member))).tagged
                ], handler: find),
            Endpoint(
                .patch, "/v1/deliveries/{id}", for: .store,
                "Changes a delivery; once somebody carries it, not whom it is offered to", room: Self.name,
                takes: ChangedDelivery.self, takesIfMatch: true, answers: one,
                refuses: [.referenceTaken, .versionMismatch, .payFixed, Problem(Lifecycle.Refusal.notPending)],
                keepsItsAnswer: true, handler: edit),
            Endpoint(
                .post, "/v1/deliveries/{id}/accept", for: .courier, "Accepts an offered delivery", room: Self.name,
                takesIfMatch: true, answers: one, refuses: Self.refusals(of: .accept) + [.tooManyJobs],
                keepsItsAnswer: true, stillSeen: isStillSeen
            ) { try await act($0, .accept) },
            Endpoint(
                .post, "/v1/deliveries/{id}/decline", for: .courier, "Declines an offered delivery", room: Self.name,
                takesIfMatch: true, answers: one, refuses: Self.refusals(of: .decline), keepsItsAnswer: true,
                stillSeen: isStillSeen
            ) { try await act($0, .decline) },
            Endpoint(
                .post, "/v1/deliveries/{id}/cancel", for: .signedIn,
                """
                Cancels a delivery (by its store, in its own words), or gives it back, so that it is pending again (by its \
                courier; reason is \(ReturnReason.allCases.map(\.rawValue).joined(separator: ", ")))
                """,
                room: Self.name, takes: CancelForm.self, takesIfMatch: true, answers: one,
                refuses: Self.refusals(of: .cancel), keepsItsAnswer: true, stillSeen: isStillSeen
            ) { call, form in
                let said = form.said(by: call.caller.kind)
                return try await act(call, .cancel, reason: said.reason, note: said.note)
            },
            Endpoint(
                .get, "/v1/deliveries/{id}/history", for: .signedIn, "Every step of a delivery, oldest first",
                room: Self.name, query: Endpoint.Parameter.list, answers: [.ok(.page(of: HistoryStep.shape))],
                handler: history),
            Endpoint(
                .get, "/v1/deliveries/{id}/notices", for: .store,
                "Who was told what of a delivery, by which channel, and how that stands, latest first",
                room: Self.name, query: Endpoint.Parameter.list, answers: [.ok(.page(of: SentNotice.shape))],
                handler: notices),
            Endpoint(
                .get, "/v1/lifecycle", for: .anyone, "What can be done with a delivery, by whom and when, as data",
                room: Self.name, answers: [.ok(LifecycleView.shape)]
            ) { _ in LifecycleView.response },
        ] + carrying + takingBack
    }

    static let name = "Deliveries"
    private static let statuses = DeliveryStatus.allCases.map(\.rawValue).joined(separator: ", ")

    /// The problems that the table has for an action.
    static func refusals(of action: Lifecycle.Action) -> [Problem] {
        Lifecycle.Refusal.allCases.filter { refusal in
            Lifecycle.rules.contains { $0.action == action && $0.outcome == .refused(refusal) }
        }.map { Problem($0) } + [.versionMismatch]
    }

    // MARK: Reading

    private func find(_ call: Call) async throws -> Response {
        let found = try await visible(call)
        return found.response(for: call.caller.account, amid: try await around(found, call))
    }

    /// What is around where it goes, as long as that matters to the reader.
    private func around(_ found: StoredDelivery, _ call: Call) async throws -> [(name: StaticString, json: [UInt8])] {
        let (delivery, standing) = (found.delivery, found.standing(of: call.caller.account))
        guard !surroundings.isEmpty, delivery.status.isOpen, standing != .formerHolder,
            let place = delivery.content.recipient.location
        else { return [] }
        let visit = Visit(
            call: call, place: place, due: delivery.content.window?.until.map { Timestamp($0) },
            isHolders: standing == .holder)
        var known: [(name: StaticString, json: [UInt8])] = []
        for one in surroundings {
            if let json = try await one.written(for: visit) { known.append((one.name, json)) }
        }
        return known
    }

    private func visible(_ call: Call) async throws -> StoredDelivery {
        let account = call.caller.account
        guard let found = try await finder.find(call), found.isVisible(to: account) else { throw Problem.notFound }
        return found
    }

    /// An answer that was given before tells of the delivery itself only where it has a recipient, and of that no more than whoever asks
    /// may read now.
    func isStillSeen(_ call: Call, _ told: JSON) async throws -> Bool {
        guard case .object(let members) = told, let recipient = members["recipient"] else { return true }
        do {
            let standing = try await visible(call).standing(of: call.caller.account)
            guard case .object(let known) = recipient, !standing.knowsRecipient else { return true }
            return standing != .formerHolder && known["last_name"] == .null
        } catch let problem as Problem where problem.code == Problem.notFound.code {
            return false
        }
    }

    private func list(_ call: Call) async throws -> Response {
        let wanted = try ListedDeliveries(call.request, for: call.caller)
        if let text = wanted.text {
            let kind = call.caller.kind
            let found = try await searches.run(for: call.caller.account) { runner in
                try await wanted.read { try await $0.search(text, by: kind, runner) }
            }
            return wanted.response(found)
        }
        return wanted.response(
            try await wanted.read { part in
                switch call.caller.kind {
                case .store: Found(items: try await call.run(ListOfStore(part: part)), edge: nil)
                case .courier: Found(try await call.run(ListOfCourier(part: part)))
                }
            })
    }

    private func history(_ call: Call) async throws -> Response {
        let (page, found) = (try call.page(), try await visible(call))
        let steps = try await call.run(ListHistory(delivery: found.delivery.id, page: page, hasStore: hasPictureStore))
        return page.response(steps, key: { [String($0.seq)] }) { json, step in
            json.object { step.write(&$0, to: call.caller.account, call.caller.kind, isForgotten: found.isForgotten) }
        }
    }

    private func notices(_ call: Call) async throws -> Response {
        let (page, found) = (try call.page(), try await visible(call))
        let notices = try await call.run(ListNotices(delivery: found.delivery.id, page: page))
        return page.response(notices, key: { [$0.id.description] }) { json, notice in json.object(notice.write) }
    }

    // MARK: Changing

    private func create(_ call: Call) async throws -> Response {
        let account = call.caller.account
        let told = try clock.told(by: call.request)
        let form: NewDelivery = try call.form(at: told.map { Moment($0) } ?? .now)
        try await rates.take(.deliveries, for: call.caller)
        let id = told.map(ID.new(at:)) ?? .new()
        for attempt in 0..<Self.attempts {
            // The commit finds out whether all of them are partners. If it refuses, the present state says why.
            let store = try await storeOfPartners(
                attempt == 0 ? [] : form.couriers, offeredTo: form.couriers, call)
            if attempt == 0 { try await count(told: form.couriers, with: store.devices, call) }
            let content = form.content(store.usual)
            let order = try await FindOrder(of: form.couriers, content, by: account).run { try await call.run($0) }
            let change = Lifecycle.create(
                id, content: content, candidates: form.couriers, by: account, order: order)
            var created = StoredDelivery(
                delivery: change.after, times: StoredDelivery.Times(change, at: told ?? .now), store: store.store,
                courier: nil, reader: nil, isPartner: false)
            created.isOfferedToNobodyOnDuty = !store.isAnybodyOnDuty
            var answer = created.response(for: account, .created)
            answer.headers.append(Response.Header("Location", "/v1/deliveries/\(change.after.id)"))
            if try await commit(change, becoming: created, call, answer: answer, patiently: attempt > 0) {
                if let place = content.recipient.location {
                    for one in surroundings { one.expect(place, due: content.window?.until.map { Timestamp($0) }) }
                }
                return answer
            }
        }
        throw Problem.unavailable()
    }

    private static let attempts = 10

    /// The store that asks, if all these couriers are its partners, and whether anybody is on duty whom it offers something.
    private func storeOfPartners(
        _ couriers: [ID], offeredTo candidates: [ID], _ call: Call
    ) async throws -> FindStoreWithPartners.Row {
        let find = FindStoreWithPartners(store: call.caller.account, couriers: couriers, candidates: candidates)
        guard let found = try await call.run(find).first else { throw Problem.unauthenticated }
        guard Set(couriers).isSubset(of: found.partners) else {
            throw Problem(
                .unprocessable, "validation_failed", fields: [Problem.WrongField("courier_ids", "not_partner")])
        }
        return found
    }

    /// Counts the devices that are told.
    private func count(told couriers: [ID], _ call: Call) async throws {
        guard !couriers.isEmpty else { return }
        let devices = try await call.run(CountDevices(accounts: couriers)).first ?? 0
        try await count(told: couriers, with: devices, call)
    }

    /// Whoever has no device is told otherwise.
    private func count(told couriers: [ID], with devices: Int64, _ call: Call) async throws {
        try await rates.take(.told, max(couriers.count, Int(devices)), for: call.caller)
    }

    private func edit(_ call: Call, _ form: ChangedDelivery) async throws -> Response {
        try await change(call) { found in
            StepCommand(.edit, by: call.caller.account, .store, edit: try form.edit(of: found.delivery))
        }
    }

    private func act(
        _ call: Call, _ action: Lifecycle.Action, reason: String? = nil, note: String? = nil
    ) async throws -> Response {
        let command = StepCommand(action, by: call.caller.account, call.caller.kind, reason: reason, note: note)
        return try await change(call) { _ in command }
    }

    /// Decides by the present state, and commits if that still holds. If not, the new state tells why. `proving` says whether
    /// it is to be signed if that hands it over.
    func change(
        _ call: Call, proving: Bool = false, _ command: (StoredDelivery) async throws -> StepCommand
    ) async throws -> Response {
        let account = call.caller.account
        let told = try clock.told(by: call.request)
        var version: Int32?
        var counted: Set<ID> = []
        for _ in 0..<Self.attempts {
            guard let found = try await finder.find(call, withSteps: proving) else { throw Problem.notFound }
            // The delivery has not changed, yet the commit failed: either somebody holds it, and is to be waited for,
            // or a candidate is no longer a partner.
            let isHeld = version == found.delivery.version
            let strangers = isHeld ? Set(try await call.run(FindStrangers(delivery: found.delivery))) : []
            let decision = try await Self.decide(command, on: found, strangers: strangers, for: call)
            guard case .change(let change) = decision else { return found.response(for: account) }
            var next = found.after(change, at: found.nextStep(at: told ?? .now))
            let (named, offered) = (Array(change.command.edit?.named ?? []), next.delivery.offered)
            let isOffered = !offered.isEmpty && offered != found.delivery.offered
            if call.caller.kind == .store, isOffered || !named.isEmpty {
                let store = try await storeOfPartners(named, offeredTo: offered, call)
                if isOffered { next.isOfferedToNobodyOnDuty = !store.isAnybodyOnDuty }
            }
            if call.caller.kind == .store {
                try await count(told: change.promised.filter { counted.insert($0).inserted }, call)
            }
            let answer = next.response(for: account)
            if try await commit(change, becoming: next, call, answer: answer, patiently: isHeld) { return answer }
            version = found.delivery.version
        }
        throw Problem.unavailable()
    }

    private static func decide(
        _ command: (StoredDelivery) async throws -> StepCommand, on found: StoredDelivery, strangers: Set<ID>,
        for call: Call
    ) async throws -> Decision {
        let standing = found.standing(of: call.caller.account)
        guard standing != .stranger else { throw Problem.notFound }
        do {
            let command = try await command(found).inOrder(found.delivery) { try await call.run($0) }
            let decision = try Lifecycle.decide(
                command, on: found.delivery, isPartner: found.isPartner, strangers: strangers)
            // A step that is refused, or done already, does not depend on the version that was meant.
            if case .stays = decision, command.action != .edit { return decision }
            try call.request.checkMatch(version: found.delivery.version)
            return decision
        } catch let refusal as Lifecycle.Refusal {
            throw Problem(refusal)
        }
    }

    /// Whether the change was made.
    private func commit(
        _ change: Change, becoming next: StoredDelivery, _ call: Call, answer: Response, patiently: Bool
    ) async throws -> Bool {
        let proof = next.bundle(of: change).map { SignedProof($0.written(), by: key) }
        let text = next.recipientText(of: change, links)
        let commit = next.commit(change, record: call.record(answer), proof: proof, text: text)
        switch try await committer.commit(commit, patiently: patiently) {
        case .made: call.answerIsKept()
        case .notMade: return false
        case .referenceTaken: throw Problem.referenceTaken
        case .unknownFile: throw Problem.unknownFile
        case .tooManyJobs: throw Problem.tooManyJobs
        case .keyTaken: throw KeyTaken()
        }
        return true
    }
}

extension Problem {
    static let referenceTaken = Problem(.conflict, "reference_taken")
    static let versionMismatch = Problem(.preconditionFailed, "version_mismatch")
    static let tooManyJobs = Problem(.conflict, "too_many_jobs")
    static let payFixed = Problem(.conflict, "pay_fixed")

    init(_ refusal: Lifecycle.Refusal) {
        switch refusal {
        case .notFound: self = .notFound
        case .forfeited: self.init(.forbidden, refusal.rawValue)
        case .courierForfeited:
            let field = WrongField("courier_ids", refusal.rawValue)
            self.init(.unprocessable, "validation_failed", fields: [field])
        case .alreadyTaken, .notPending, .notInProgress, .notDelivered, .alreadyDelivered, .tooManyAttempts:
            self.init(.conflict, refusal.rawValue)
        }
    }
}

extension Request {
    /// Refuses unless `If-Match`, where it was sent, names that version.
    func checkMatch(version: Int32) throws {
        guard let tags = headerList("if-match") else { return }
        let wanted = tags.split(separator: ",").map { $0.filter { $0 != " " } }
        guard wanted.contains("*") || wanted.contains("\"\(version)\"") else { throw Problem.versionMismatch }
    }
}

/// Finds a store, which of these couriers work for it, and how many devices those have whom it offers something.
package struct FindStoreWithPartners: Statement {
    package static let sql = """
        SELECT s.id, s.name, s.address, s.phone,
            ARRAY(
                SELECT courier FROM unnest($2::uuid[]) AS courier
                WHERE EXISTS (SELECT FROM partners p WHERE p.store_id = $1 AND p.courier_id = courier
                    AND NOT p.courier_off AND NOT p.store_off OFFSET 0)),
            \(SeeingSQL.isAnybodyOnDuty("$3::uuid[]")), s.proof_pin, s.proof_photo, s.proof_signature,
            s.turn_order, s.turn_seconds, \(CountDevices.number(of: "$3::uuid[]"))
        FROM stores s WHERE s.id = $1
        """
    package static let isReadOnly = true
    let store: ID
    let couriers: [ID]
    let candidates: [ID]

    package func bind(into parameters: inout Parameters) {
        parameters.add(store)
        parameters.add(couriers)
        parameters.add(candidates)
    }

    package static func decode(
        _ row: inout RowReader
    ) throws -> (
        store: PartnerStore, partners: [ID], isAnybodyOnDuty: Bool, usual: (proof: WantedProof, turns: OfferTurns?),
        devices: Int64
    ) {
        (
            try PartnerStore(&row), try row.read(), try row.read(), (try WantedProof(&row), try OfferTurns.read(&row)),
            try row.read()
        )
    }
}

/// How many devices some accounts have together.
struct CountDevices: Statement {
    static let sql = "SELECT \(number(of: "$1::uuid[]"))"
    static let isReadOnly = true
    let accounts: [ID]

    func bind(into parameters: inout Parameters) { parameters.add(accounts) }

    static func decode(_ row: inout RowReader) throws -> Int64 { try row.read() }

    static func number(of accounts: String) -> String {
        """
        (SELECT count(*) FROM unnest(\(accounts)) AS account, LATERAL (
            SELECT FROM devices d WHERE d.account_id = account OFFSET 0) d)
        """
    }
}

/// Finds which of a delivery's candidates are no longer partners of its store, or are off.
struct FindStrangers: Statement {
    static let sql = """
        SELECT courier FROM unnest($2::uuid[]) AS courier
        WHERE NOT EXISTS (
            SELECT FROM partners p WHERE p.store_id = $1 AND p.courier_id = courier AND NOT p.courier_off OFFSET 0)
        """
    static let isReadOnly = true
    let delivery: Delivery

    func bind(into parameters: inout Parameters) {
        parameters.add(delivery.store)
        parameters.add(delivery.candidates)
    }

    static func decode(_ row: inout RowReader) throws -> ID { try row.read() }
}
