import API
import Crypto
import Domain
import HTTP
import Postgres

/// Registration, and the account's own data.
package struct AccountRoom: Room {
    let database: Database
    let passwords: Passwords
    let authenticator: Authenticator
    let throttle: Throttle
    let confirmations: Confirmations
    let redemption: Redemption
    let cookie: SessionCookie
    /// Whether new stores wait until an operator approves them.
    let storesWait: Bool

    package init(
        database: Database, passwords: Passwords, authenticator: Authenticator, throttle: Throttle,
        confirmations: Confirmations, redemption: Redemption, cookie: SessionCookie, storesWait: Bool
    ) {
        (self.database, self.passwords, self.authenticator) = (database, passwords, authenticator)
        (self.throttle, self.confirmations, self.redemption, self.cookie, self.storesWait) = (
            throttle, confirmations, redemption, cookie, storesWait
        )
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/stores", for: .anyone, "Registers a store", room: "Accounts", takes: StoreRegistration.self,
                answers: [.created(Self.registeredStore)], refuses: [.emailTaken, .taxIDTaken], handler: registerStore),
            Endpoint(
                .post, "/v1/couriers", for: .anyone, "Registers a courier; with an invite's code, as a partner",
                room: "Accounts", takes: CourierRegistration.self, answers: [.created(Self.registeredCourier)],
                refuses: [.phoneTaken] + Problem.redeeming, handler: registerCourier),
            Endpoint(
                .get, "/v1/me", for: .signedIn, "The account itself", room: "Accounts", answers: [.ok(Account.shape)]
            ) { call in
                try await answer(call)
            },
            Endpoint(
                .patch, "/v1/me", for: .signedIn, "Changes profile, language or notifications", room: "Accounts",
                takes: AccountChange.self, answers: [.ok(Account.shape)],
                refuses: [.taxIDTaken, .useConfirmation(.store), .unknownFile], handler: change),
            Endpoint(
                .put, "/v1/me/duty", for: .courier, "Says whether one wants offers, perhaps only until then",
                room: "Accounts", takes: DutyForm.self, answers: [.ok(Account.shape)]
            ) { call, form in
                try await call.run(SetDuty(courier: call.caller.account, form: form))
                return try await answer(call)
            },
        ]
    }

    private static let registeredStore = Shape.object(
        "RegisteredStore", [.init("account", Account.storeShape), .init("session", Session.shape)])
    private static let registeredCourier = Shape.object(
        "RegisteredCourier",
        [
            .init("account", Account.courierShape), .init("session", Session.shape),
            .init("partner", Partner.shape, optional: true),
        ])

    private func registerStore(_ call: Call, _ form: StoreRegistration) async throws -> Response {
        try await throttle.take(Throttle.Bucket.newStores(call.request))
        let login = Login.email(form.email)
        let store = InsertStore(
            id: .new(), form: form,
            passwordHash: try await passwords.hash(form.password, of: login, in: .new(call.request)),
            language: form.language ?? call.request.acceptedLanguage, isApproved: !storesWait)
        let session = NewSession(for: store.id, call.request)
        let sends = try await confirmations.maySend(to: login, of: store.id)
        let begun = try await Runner.database(database).together { runner in
            try await refusingTaken {
                guard try await runner.run(store).first != nil else { throw Problem.emailTaken }
                try await confirmations.begin(store.id, at: login, in: store.language, sends: sends, runner)
            }
            return try await session.begin(runner, passwordHash: store.passwordHash)
        }
        call.log(session.event)
        return try await welcome(store.id, begun, partner: nil, asCookie: form.cookie)
    }

    private func registerCourier(_ call: Call, _ form: CourierRegistration) async throws -> Response {
        try await throttle.take(call.request.client.buckets("registration from", burst: 20, step: .seconds(60)))
        let login = Login.phone(form.phone)
        let courier = InsertCourier(
            id: .new(), form: form,
            passwordHash: try await passwords.hash(form.password, of: login, in: .new(call.request)),
            language: form.language ?? call.request.acceptedLanguage)
        let session = NewSession(for: courier.id, call.request)
        let sends = try await confirmations.maySend(to: login, of: courier.id)
        let (begun, partner) = try await Runner.database(database).together { runner in
            try await refusingTaken {
                guard try await runner.run(courier).first != nil else { throw Problem.phoneTaken }
                try await confirmations.begin(courier.id, at: login, in: courier.language, sends: sends, runner)
            }
            let begun = try await session.begin(runner, passwordHash: courier.passwordHash)
            guard let code = form.inviteCode else { return (begun, Partner?.none) }
            return (begun, try await redemption.redeem(code, by: courier.id, runner))
        }
        call.log(session.event)
        return try await welcome(courier.id, begun, partner: partner, asCookie: form.cookie)
    }

    private func welcome(
        _ id: ID, _ session: Session?, partner: Partner?, asCookie: Bool
    ) async throws -> Response {
        guard let session, let account = try await database.run(FindAccount(id: id)).first else {
            throw Problem.notFound
        }
        var json = JSONWriter()
        json.object { json in
            json.object("account", account.write)
            json.object("session") { session.write(&$0, asCookie: asCookie) }
            if let partner { json.object("partner", partner.write) }
        }
        return .json(json.bytes, status: .created, headers: asCookie ? [cookie.header(session.token)] : [])
    }

    private func answer(_ call: Call) async throws -> Response {
        guard let account = try await call.run(FindAccount(id: call.caller.account)).first else {
            throw Problem.unauthenticated
        }
        var json = JSONWriter()
        json.object(account.write)
        return .json(json.bytes)
    }

    private func change(_ call: Call, _ change: AccountChange) async throws -> Response {
        let caller = call.caller
        guard let account = try await call.run(FindAccount(id: caller.account)).first else {
            throw Problem.unauthenticated
        }
        guard !change.changesLogin(of: account) else { throw Problem.useConfirmation(caller.kind) }
        try await call.runner.together { runner in
            try await refusingTaken {
                switch account.profile {
                case .store(let store):
                    let taxID = try change.taxID(of: store)
                    try await runner.run(UpdateStore(id: caller.account, change: change, taxID: taxID))
                case .courier: try await runner.run(UpdateCourier(id: caller.account, change: change))
                }
            }
            try await runner.run(UpdateAccount(id: caller.account, change: change))
            if let picture = change.picture {
                try await refusingUnknownFile {
                    try await runner.run(ShowPicture(account: caller.account, picture: picture))
                }
            }
        }
        // Sessions carry the language, so they must be read again.
        await authenticator.forget(caller.account)
        return try await answer(call)
    }
}

/// Turns a refusal because somebody else has the value into a problem.
func refusingTaken<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
    do {
        return try await body()
    } catch PostgresError.refused(let error) where error.state == .uniqueViolation {
        guard
            let problem = [Problem.emailTaken, .taxIDTaken, .phoneTaken].first(where: { $0.code == error.constraint })
        else { throw PostgresError.refused(error) }
        throw problem
    }
}

/// Turns the database's refusal of a picture into a problem.
private func refusingUnknownFile(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch PostgresError.refused(let error) where error.constraint == Problem.unknownFile.code {
        throw Problem.unknownFile
    }
}

extension Problem {
    static let emailTaken = Problem(.conflict, "email_taken")
    static let taxIDTaken = Problem(.conflict, "tax_id_taken")
    static let phoneTaken = Problem(.conflict, "phone_taken")

    fileprivate static func useConfirmation(_ kind: AccountKind) -> Problem {
        let field = WrongField(kind == .store ? "email" : "phone", "use_confirmation")
        return Problem(.unprocessable, field.code, fields: [field])
    }
}

extension PasswordHasher.Turn {
    /// Somebody whom no account knows yet.
    static func new(_ request: Request) -> PasswordHasher.Turn {
        PasswordHasher.Turn(network: request.client.network.description, isKnown: false)
    }

    /// Somebody who is signed in.
    static func signedIn(_ request: Request) -> PasswordHasher.Turn {
        PasswordHasher.Turn(network: request.client.network.description, isKnown: true)
    }
}

extension Throttle.Bucket {
    /// New stores from one address, and from the networks that it is in.
    fileprivate static func newStores(_ request: Request) -> [Throttle.Bucket] {
        request.client.neighbourhoods.map {
            Throttle.Bucket(
                "new store from", $0, burst: Trust.newStores, step: .seconds(3600 / Trust.newStores), grows: true)
        }
    }
}
