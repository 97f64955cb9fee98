import API
import Crypto
import Domain
import HTTP
import Outbox
import Postgres

/// Signing in and out, and the list of an account's sessions.
package struct SessionRoom: Room {
    let database: Database
    let hasher: PasswordHasher
    let authenticator: Authenticator
    let throttle: Throttle
    let cookie: SessionCookie

    package init(
        database: Database, hasher: PasswordHasher, authenticator: Authenticator, throttle: Throttle,
        cookie: SessionCookie
    ) {
        (self.database, self.hasher, self.authenticator, self.throttle, self.cookie) = (
            database, hasher, authenticator, throttle, cookie
        )
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/sessions", for: .anyone, "Signs in", room: "Sessions", takes: SignIn.self,
                answers: [.created(Self.signedIn)], refuses: [.wrongCredentials, .blocked], handler: signIn),
            Endpoint(
                .get, "/v1/sessions", for: .signedIn, "The account's sessions, newest first", room: "Sessions",
                query: Endpoint.Parameter.list, answers: [.ok(.page(of: ListedSession.shape))], handler: list),
            Endpoint(
                .delete, "/v1/sessions/current", for: .signedIn, "Signs out; with `device`, also removes that device",
                room: "Sessions", query: [Self.device], answers: [.noContent]
            ) { call in
                try await end(call.caller.session, call)
            }.neverRefused,
            Endpoint(
                .delete, "/v1/sessions/{id}", for: .signedIn, "Ends one of the account's sessions", room: "Sessions",
                query: [Self.device], answers: [.noContent]
            ) { call in
                try await end(call.request.parameter("id"), call)
            }.neverRefused,
        ]
    }

    private static let device = Endpoint.Parameter(
        name: "device", shape: .string(most: Bounds.deviceTokenBytes), what: "A device that gets no more messages."
    )

    private static let signedIn = Shape.object(
        "SignedIn", Session.members + [.init("account", Account.shape)])

    private func signIn(_ call: Call, _ form: SignIn) async throws -> Response {
        let address = call.request.client
        let holders = try await database.run(FindCredentials(login: form.login, network: address.network))
        let buckets = SignInBuckets(form.login, from: address)
        let isFamiliar = holders.first?.isFamiliar ?? false
        // Of several who say that the name is theirs, nobody knows who was meant.
        let meant = holders.count == 1 ? holders[0].account : nil
        if let seconds = try await throttle.wait(for: buckets.all(isFamiliar: isFamiliar, isMeant: meant != nil)) {
            try await call.noteFailure(.sessionBlocked, of: meant, called: form.login.key)
            throw Problem.rateLimited(retryAfterSeconds: seconds)
        }
        let turn = PasswordHasher.Turn(network: address.network.description, isKnown: isFamiliar)
        guard let place = try await hasher.match(form.password, among: holders.map(\.passwordHash), in: turn) else {
            try await call.noteFailure(.sessionFailed, of: meant, called: form.login.key)
            throw Problem.wrongCredentials
        }
        let found = holders[place]
        let new = NewSession(for: found.account, call.request)
        // There is no session if the account is blocked, or the password was changed meanwhile.
        guard
            let session = try await new.begin(
                .database(database), passwordHash: found.passwordHash,
                notice: Message(.newDevice, ["address": address.description])),
            let account = try await database.run(FindAccount(id: found.account)).first
        else {
            try await call.noteFailure(.sessionFailed, of: found.account, called: form.login.key)
            let isBlocked = try await database.run(IsBlocked(account: found.account)).first == true
            throw isBlocked ? Problem.blocked : Problem.wrongCredentials
        }
        call.log(new.event)
        // An account of one's own by somebody's name gives nobody more guesses at theirs.
        if meant != nil { try await throttle.clear(buckets.ofLogin) }
        call.request.account = account.id.description
        return answer(account, session, asCookie: form.cookie)
    }

    private func answer(_ account: Account, _ session: Session, asCookie: Bool) -> Response {
        var json = JSONWriter()
        json.object { json in
            session.write(&json, asCookie: asCookie)
            json.object("account", account.write)
        }
        return .json(json.bytes, status: .created, headers: asCookie ? [cookie.header(session.token)] : [])
    }

    private func list(_ call: Call) async throws -> Response {
        let page = try call.page()
        let sessions = try await call.run(ListSessions(caller: call.caller, page: page))
        return page.response(sessions, key: { [$0.id.description] }) { json, session in
            json.object { session.write(&$0, current: call.caller.session) }
        }
    }

    private func end(_ session: ID, _ call: Call) async throws -> Response {
        let isOwn = session == call.caller.session
        let ending = EndSession(
            account: call.caller.account, session: session, device: call.request.query("device"),
            notice: isOwn ? nil : Message(.sessionEnded),
            event: SecurityEvent(.sessionEnded, of: call.caller.account, call.request))
        guard try await database.run(ending).first != nil else { throw Problem.notFound }
        call.log(ending.event)
        await authenticator.forget(call.caller.account)
        guard isOwn, !call.request.cookies(cookie.name).isEmpty else {
            return Response(.noContent)
        }
        return Response(.noContent, headers: [cookie.removal])
    }
}

/// Somebody who wants to sign in.
struct SignIn: Form {
    let login: Login
    let password: String
    let cookie: Bool

    init(_ fields: inout Fields) {
        login = fields.login()
        password = fields.required("password")
        cookie = fields.optional("cookie") ?? false
    }
}

/// The limits on guessing. One address can use up its own tries at one account, but not all of the account's, so that
/// it locks nobody out. An address that the account has used before is not held up by others at all. Where several say that
/// the name is theirs, those at home with one of them may be guessing at another: they are counted together, apart from strangers.
private struct SignInBuckets {
    let address: Throttle.Bucket
    let pair: Throttle.Bucket
    let login: Throttle.Bucket
    let neighbours: Throttle.Bucket

    init(_ login: Login, from address: IPAddress) {
        self.address = Throttle.Bucket("sign-in from", address.network.description, burst: 50, step: .seconds(10))
        pair = Throttle.Bucket("sign-in from and of", "\(address.network) \(login.key)", burst: 8, step: .seconds(60))
        self.login = Throttle.Bucket("sign-in of", login.key, burst: 40, step: .seconds(15))
        neighbours = Throttle.Bucket("sign-in beside others of", login.key, burst: 40, step: .seconds(15))
    }

    func all(isFamiliar: Bool, isMeant: Bool) -> [Throttle.Bucket] {
        [address, pair] + (!isFamiliar ? [login] : isMeant ? [] : [neighbours])
    }
    var ofLogin: [Throttle.Bucket] { [pair, login] }
}

extension Problem {
    fileprivate static let wrongCredentials = Problem(.unauthenticated, "wrong_credentials")
    fileprivate static let blocked = Problem(.forbidden, "blocked")
}
