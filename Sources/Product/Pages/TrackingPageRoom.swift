import API
import Domain
import HTTP
import Places

/// The page behind a recipient's link. Its forms work without a script: what was said is taken, and the page shown again.
struct TrackingPageRoom: Room {
    let tracking: Tracking
    /// Where the pages' files are.
    let assets: String
    let map: MapView

    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/t/{token}", for: .anyone, "The page by which a recipient follows a delivery", room: "Pages",
                answers: Self.pages
            ) { try await show($0) },
            again("wish"), again("rating"),
            form("wish", "Takes a recipient's wish, and shows the page again") { call in
                let text = try Texts.paragraph(call.request.formField("text") ?? "", upTo: Bounds.wish)
                _ = try await tracking.wish(call, text)
            },
            form("rating", "Takes a recipient's rating, and shows the page again") { call in
                guard let stars = call.request.formField("stars").flatMap({ Int($0) }), 1...5 ~= stars else {
                    throw InvalidValue("required")
                }
                let text = call.request.formField("text").flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
                _ = try await tracking.rate(
                    call, stars: stars, try text.map { try Texts.paragraph($0, upTo: Bounds.rating) })
            },
        ]
    }

    private static let pages: [Endpoint.Answer] = [
        .text(HTMLPage.type, "The page."), .text(HTMLPage.type, "There is no such link.", .notFound),
        .text(HTMLPage.type, "The link is over.", .gone),
    ]

    /// Where a form was refused is an address, too, which browsers open again by themselves.
    private func again(_ name: String) -> Endpoint {
        Endpoint(
            .get, "/t/{token}/\(name)", for: .anyone, "Leads back to the page with that form", room: "Pages",
            answers: [.seeOther]
        ) { try back($0) }
    }

    private func form(
        _ name: String, _ summary: String, _ take: @escaping @Sendable (Call) async throws -> Void
    ) -> Endpoint {
        Endpoint(
            .post, "/t/{token}/\(name)", for: .anyone, summary, room: "Pages",
            answers: Self.pages.dropFirst() + [
                .seeOther,
                .text(HTMLPage.type, "It says why that was not taken.", .unprocessable),
                .text(HTMLPage.type, "It says why that was not taken.", .conflict),
            ]
        ) { call in
            do {
                try await take(call)
                return try back(call)
            } catch is InvalidValue {
                return try await refuse(call, .unprocessable)
            } catch let problem as Problem where problem.status == .conflict {
                return try await refuse(call, .conflict)
            } catch let problem as Problem {
                return try show(call, problem)
            }
        }
    }

    private func refuse(_ call: Call, _ status: Status) async throws -> Response {
        try await show(call, status, refused: call.request.formField("text") ?? "")
    }

    private func back(_ call: Call) throws -> Response {
        let token: String = try call.request.parameter("token")
        return Response(.seeOther, headers: [Response.Header("Location", "/t/\(token)")])
    }

    /// The page of what is found, or the one that says why there is none.
    private func show(_ call: Call, _ status: Status = .ok, refused: String? = nil) async throws -> Response {
        do {
            return page(call).page(
                try await tracking.find(call), try call.request.parameter("token"), refused: refused
            ).response(status)
        } catch let problem as Problem {
            return try show(call, problem)
        }
    }

    private func show(_ call: Call, _ problem: Problem) throws -> Response {
        switch problem.status {
        case .gone: page(call).over.response(.gone)
        case .notFound: page(call).unknown.response(.notFound)
        default: throw problem
        }
    }

    private func page(_ call: Call) -> TrackingPage { TrackingPage(call.request, assets: assets, map: map) }
}
