import API
import People
import Places
import Crypto
import Domain
import HTTP
import Languages
import Leaflet
import Web

/// The pages that people use, and the files that they load. They use only the API, like any other client.
struct AppRoom: Room {
    let codes: InviteCodes
    let publicURL: PublicURL
    private let files: [WebFile]
    private let assets: [String: FixedAnswer]
    /// The start page in each language, by its code.
    private let starts: [String: FixedAnswer]
    /// The same where somebody has asked for the language.
    private let chosenStarts: [String: FixedAnswer]
    /// A hash of all files, under which browsers ask for each.
    private let version: String

    /// Where the files of this version are.
    var place: String { "/assets/\(version)" }

    /// What the pages may load.
    private let policy: String

    /// `eventTypes` are the types of all rooms' events.
    init(codes: InviteCodes, publicURL: PublicURL, map: MapView, eventTypes: [String]) {
        (self.codes, self.publicURL) = (codes, publicURL)
        let policy = Self.policy(pictures: map.origins)
        self.policy = policy
        let leaflet = [WebFile("leaflet.js", Leaflet.script), WebFile("leaflet.css", Leaflet.style)]
        let loaded = WebFile.assets + leaflet + WebFile.languages + [.lifecycle(eventTypes: eventTypes)]
        files = loaded.filter { !Self.rare.contains($0.name) }
        assets = Dictionary(
            uniqueKeysWithValues: loaded.map { ($0.name, FixedAnswer($0.bytes, type: $0.type)) })
        let all = [.dashboard, .courier, .worker] + loaded
        let version = String(Base64URL.encode(SHA256.hash(all.flatMap { SHA256.hash($0.bytes) })).prefix(16))
        self.version = version
        func starts(areChosen: Bool) -> [String: FixedAnswer] {
            Dictionary(
                uniqueKeysWithValues: Languages.all.map { words in
                    let language = ChosenLanguage(words, isChosen: areChosen)
                    let page = StartPage(language: language, assets: "/assets/\(version)")
                    return (words.code, Self.answer(Array(page.html.utf8), WebFile.dashboard.type, policy))
                })
        }
        (self.starts, chosenStarts) = (starts(areChosen: false), starts(areChosen: true))
    }

    /// What phones do not keep beforehand: what maps are drawn with, and the page of recipients.
    private static let rare: Set = ["leaflet.js", "leaflet.css", "map.js", "livemap.js", "track.js", "trackmap.js"]

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/", for: .anyone, "The page for whoever has no session: what this is, and the ways in",
                room: "Pages",
                query: [ChosenLanguage.parameter], answers: [.text(WebFile.dashboard.type, "The page."), .notModified],
                handler: start),
            page("/store", .dashboard, "The page for stores"), page("/courier", .courier, "The page for couriers"),
            page("/worker.js", .worker, "The service worker, which keeps the couriers' page available offline"),
            Endpoint(
                .get, "/favicon.ico", for: .anyone, "The mark, as browsers ask for it", room: "Pages",
                answers: [.text("image/png", "The picture."), .notModified], refuses: [.notFound], handler: mark),
            Endpoint(
                .get, "/assets/{version}/{name}", for: .anyone, "A file that the pages load", room: "Pages",
                answers: [.text("text/javascript; charset=utf-8", "The file, with its own media type."), .notModified],
                refuses: [.notFound], handler: asset),
            Endpoint(
                .get, "/i/{code}/qr.svg", for: .anyone, "An invite's link as a QR code", room: "Pages",
                answers: [.text("image/svg+xml", "The picture.")], refuses: [.notFound], handler: picture),
            Endpoint(
                .get, "/courier/{id}/qr.svg", for: .anyone,
                "The link that opens a delivery on its courier's phone, as a QR code for slips", room: "Pages",
                answers: [.text("image/svg+xml", "The picture.")], refuses: [.notFound], handler: code),
        ]
    }

    private func page(_ path: String, _ file: WebFile, _ summary: String) -> Endpoint {
        let answer = Self.answer(filled(file), file.type, policy)
        return Endpoint(
            .get, path, for: .anyone, summary, room: "Pages", answers: [.text(file.type, "The page."), .notModified]
        ) { answer.response(to: $0.request) }
    }

    private static func answer(_ bytes: [UInt8], _ type: String, _ policy: String) -> FixedAnswer {
        FixedAnswer(
            bytes, type: type,
            headers: [
                Response.Header("Content-Security-Policy", policy), Response.Header("Cache-Control", "no-cache"),
            ], varyingBy: ["Accept-Language"])
    }

    /// In the language that was chosen on it, else in the browser's.
    private func start(_ call: Call) throws -> Response {
        let language = ChosenLanguage(of: call.request)
        let starts = language.isChosen ? chosenStarts : starts
        guard let page = starts[language.words.code] else { throw Problem.notFound }
        return page.response(to: call.request)
    }

    /// A page with the addresses of its files filled in.
    private func filled(_ file: WebFile) -> [UInt8] {
        let files = files.map { "'\(place)/\($0.name)'" }.joined(separator: ",\n  ")
        let text = String(decoding: file.bytes, as: UTF8.self)
            .replacing("{assets}", with: place).replacing("{version}", with: version).replacing("{files}", with: files)
            .replacing("{words}", with: String(decoding: WebFile.wordsOfNotices.bytes, as: UTF8.self))
        return Array(text.utf8)
    }

    /// The page loads nothing from elsewhere but the pictures of a map that the operator named, contains no style or script
    /// itself, and never makes markup from text.
    private static func policy(pictures origins: [String]) -> String {
        let pictures = (["'self'"] + origins).joined(separator: " ")
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src \(pictures); connect-src 'self'; "
            + "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types kurir"
    }

    private func asset(_ call: Call) throws -> Response {
        let (asked, name): (String, String) = (
            try call.request.parameter("version"), try call.request.parameter("name")
        )
        guard let file = assets[name] else { throw Problem.notFound }
        // During an update, a page of another version is better served by this file than by none.
        let age = asked == version ? "public, max-age=31536000, immutable" : "no-store"
        return file.response(to: call.request, adding: [Response.Header("Cache-Control", age)])
    }

    /// For pages that do not know where the files of these are, and keep it for a day.
    private func mark(_ call: Call) throws -> Response {
        guard let file = assets["icon.png"] else { throw Problem.notFound }
        return file.response(to: call.request, adding: [Response.Header("Cache-Control", "public, max-age=86400")])
    }

    private func picture(_ call: Call) throws -> Response {
        let text: String = try call.request.parameter("code")
        guard let code = InviteCode(text) else { throw Problem.notFound }
        return try picture(of: codes.url(code))
    }

    /// It tells nothing but the id: who may see the delivery is asked when the link is opened.
    private func code(_ call: Call) throws -> Response {
        let id: ID = try call.request.parameter("id")
        return try picture(of: "\(publicURL.text)/courier#delivery=\(id)")
    }

    private func picture(of link: String) throws -> Response {
        guard let svg = QRPicture.svg(link) else { throw Problem.notFound }
        return Response(.ok, body: .bytes(svg, type: "image/svg+xml"))
    }
}
