import API
import People
import Crypto
import Domain
import EventLoop
import HTTP
import Languages
import Postgres

/// The pages that need no session, for browsers and phones: the description of the API, and the page behind an invite's
/// link.
struct PageRoom: Room {
    let described: [any Room]
    let version: String
    let throttle: Throttle
    let codes: InviteCodes
    let apps: MobileApps

    /// The description is made once, for the first who asks for it: most nodes start and are never asked. It also describes its
    /// own two calls, which need not answer anything for that.
    var endpoints: [Endpoint] {
        let others = described.flatMap(\.endpoints)
        let empty = Description(json: FixedAnswer([], type: HTMLPage.type), pages: [:])
        let (all, version) = (others + calls { empty } + links, version)
        let eventTypes = described.flatMap(\.eventTypes)
        let description = Once {
            Description(
                json: FixedAnswer(
                    OpenAPI(all, eventTypes: eventTypes, version: version).json.bytes, type: "application/json"),
                pages: Dictionary(
                    uniqueKeysWithValues: Languages.all.map {
                        ($0.code, DocsPage(endpoints: all, words: $0).page.fixed)
                    }))
        }
        return calls { description.value } + links
    }

    /// The description for programs, and as a page in each language by its code.
    private struct Description {
        let json: FixedAnswer
        let pages: [String: FixedAnswer]
    }

    private func calls(_ description: @escaping @Sendable () -> Description) -> [Endpoint] {
        [
            Endpoint(
                .get, "/openapi.json", for: .anyone, "This description, as OpenAPI 3.1", room: "Pages",
                answers: [.ok(.anyObject, "The description."), .notModified]
            ) { description().json.response(to: $0.request) },
            Endpoint(
                .get, "/docs", for: .anyone, "This description, as a page to read", room: "Pages",
                query: [ChosenLanguage.parameter], answers: [.text(HTMLPage.type, "The page."), .notModified]
            ) { call in
                let language = ChosenLanguage(of: call.request).words.code
                guard let page = description().pages[language] else { throw Problem.notFound }
                return page.response(to: call.request)
            },
        ]
    }

    private var links: [Endpoint] {
        [
            Endpoint(
                .get, "/i/{code}", for: .anyone, "The page that an invite's link shows on a phone without the app",
                room: "Pages", query: [ChosenLanguage.parameter],
                answers: [
                    .text(HTMLPage.type, "The store that invites, and the code."),
                    .text(HTMLPage.type, "There is no such invite.", .notFound),
                    .text(HTMLPage.type, "The invite is over.", .gone),
                ], handler: showInvite),
            Endpoint(
                .get, "/i/{code}/inviter", for: .anyone, "The store that invites by a code that is good",
                room: "Pages", answers: [.ok(.object("Inviter", [.init("store", .string())]), "The store's name.")],
                refuses: [.notFound], handler: inviter),
            Endpoint(
                .get, "/.well-known/apple-app-site-association", for: .anyone, "The iOS apps that open invites' links",
                room: "Pages", answers: [.ok(.anyObject, "The association.")]
            ) { _ in
                .json(apps.appleAssociation.bytes)
            },
            Endpoint(
                .get, "/.well-known/assetlinks.json", for: .anyone, "The Android apps that open invites' links",
                room: "Pages", answers: [.ok(.array(.anyObject), "The statements.")]
            ) { _ in
                .json(apps.androidLinks.bytes)
            },
        ]
    }

    private func showInvite(_ call: Call) async throws -> Response {
        let page = InvitePage(language: ChosenLanguage(of: call.request))
        guard let (code, found) = try await invite(call) else { return page.unknown.response(.notFound) }
        guard found.isLive else { return page.over.response(.gone) }
        return page.live(store: found.store, message: found.message, code: code).response()
    }

    /// For the form of whoever comes by an invite's link, which says who invites.
    private func inviter(_ call: Call) async throws -> Response {
        guard let (_, found) = try await invite(call), found.isLive else { throw Problem.notFound }
        var json = JSONWriter()
        json.object { $0.field("store", found.store) }
        return .json(json.bytes)
    }

    private func invite(_ call: Call) async throws -> (InviteCode, FindInviter.Row)? {
        try await throttle.take([
            Throttle.Bucket(
                "looking at invites from", call.request.client.network.description, burst: 60, step: .seconds(5))
        ])
        let text: String = try call.request.parameter("code")
        guard let code = InviteCode(text), let found = try await call.run(FindInviter(codeHash: codes.hash(code))).first
        else { return nil }
        return (code, found)
    }
}

/// Finds the store that invites by a code, what it wrote, and whether the code can still be redeemed.
struct FindInviter: Statement {
    static let sql = """
        SELECT s.name, i.message, i.state = 'open' AND i.expires_at > now()
        FROM invites i JOIN stores s ON s.id = i.store_id WHERE i.code_hash = $1
        """
    static let isReadOnly = true
    let codeHash: [UInt8]

    func bind(into parameters: inout Parameters) {
        parameters.add(Bytes(codeHash))
    }

    static func decode(_ row: inout RowReader) throws -> (store: String, message: String?, isLive: Bool) {
        (try row.read(), try row.read(), try row.read())
    }
}
