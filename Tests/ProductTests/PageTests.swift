import Crypto
import Domain
import HTTP
import Postgres
import TestSupport
import Testing

@testable import API
@testable import People
@testable import Product

/// The pages that need no session.
@Suite(.database) struct PageTests {
    private func invited(_ api: ServedProduct, by name: String) async throws -> (code: String, courier: Person) {
        let (store, courier) = (try await api.store(name: name), try await api.courier(name: ("Evangelina", "Tajnić")))
        let made = try await api.post("/v1/invites", ["courier_id": .string(courier.id)], as: store.token).json
        return (try #require(made["code"].string), courier)
    }

    @Test(arguments: [
        ("hr-HR,hr;q=0.9", "hr", "pozivamo vas"), ("fr", "en", "and invite you"), ("de-AT", "de", "laden Sie ein"),
        (nil, "en", "and invite you"),
    ])
    func `the page of an invite says who invites`(_ accepted: String?, _ language: String, _ words: String) async throws
    {
        try await ServedProduct.serving { api in
            let (code, courier) = try await invited(api, by: "<script>alert(1)</script> & Co")
            let page = try await api.get("/i/\(code)", headers: accepted.map { ["Accept-Language": $0] } ?? [:])
            let text = page.reply.text
            #expect(page.status == 200 && page.reply.header("content-type") == "text/html; charset=utf-8")
            #expect(text.contains("<html lang=\"\(language)\">") && text.contains(words) && text.contains(code))
            #expect(text.contains("&lt;script&gt;alert(1)&lt;/script&gt; &amp; Co") && !text.contains("<script"))
            #expect(!text.contains(courier.login) && !text.contains("Evangelina") && !text.contains("Ilica"))
            // The form behind it says so, too, and knows nothing else.
            let inviter = try await api.get("/i/\(code)/inviter")
            #expect(inviter.status == 200 && inviter.json.names == ["store"])
            #expect(inviter.json["store"] == "<script>alert(1)</script> & Co")
        }
    }

    @Test func `whoever reads another language than its phone chooses it, and takes it along`() async throws {
        try await ServedProduct.serving { api in
            let (code, _) = try await invited(api, by: "Pekara")
            let phone = ["Accept-Language": "hr"]
            let page = try await api.get("/i/\(code)", headers: phone).reply.text
            #expect(page.contains(#"href="/courier#invite="#))
            let links = page.matches(of: /href="(\?language=([a-z]+))" hreflang/)
            #expect(links.map { String($0.2) } == Language.known.map(\.rawValue).sorted())
            for link in links {
                let chosen = try await api.get("/i/\(code)\(link.1)", headers: phone).reply.text
                #expect(chosen.contains("<html lang=\"\(link.2)\">"))
                #expect(chosen.contains("lang=\"\(link.2)\" aria-current"))
                #expect(chosen.contains("href=\"/courier\(link.1)#invite=\(code)\""))
            }
            let unknown = try await api.get("/i/\(code)?language=%22%3E", headers: phone).reply.text
            #expect(unknown.contains(#"<html lang="en">"#))
        }
    }

    @Test func `the page of an invite that is over names nobody`() async throws {
        try await ServedProduct.serving { api in
            let (code, _) = try await invited(api, by: "Kod Mare")
            try await api.execute("UPDATE invites SET expires_at = now()")
            let over = try await api.get("/i/\(code.lowercased())")
            #expect(over.status == 410 && !over.reply.text.contains("Mare"))
            #expect(over.reply.text.contains(#"href="/courier""#))
            for none in [code, "00000-00000", "x", "%3Cscript%3E"] {
                let inviter = try await api.get("/i/\(none)/inviter")
                #expect(inviter.status == 404 && !inviter.reply.text.contains("Mare"))
            }
            for unknown in ["00000-00000", "x", "%3Cscript%3E"] {
                let page = try await api.get("/i/\(unknown)")
                #expect(page.status == 404 && page.reply.header("content-type") == "text/html; charset=utf-8")
                #expect(!page.reply.text.contains("<script"))
            }
        }
    }

    /// Browsers accept only the page's own style.
    @Test(arguments: ["/docs", "/i/00000-00000"])
    func `the policy of a page allows its style alone`(_ path: String) async throws {
        try await ServedProduct.serving { api in
            let page = try await api.get(path).reply
            let style = try #require(page.text.firstMatch(of: /<style>([\s\S]*)<\/style>/)).1
            let policy = try #require(page.header("content-security-policy"))
            #expect(policy.contains("default-src 'none'"))
            #expect(policy.contains("style-src 'sha256-\(Base64.encode(SHA256.hash(String(style))))'"))
            #expect(!page.text.contains("style=") && !page.text.contains("onclick"))
        }
    }

    /// A room that counts how often it was asked for its endpoints.
    private struct CountingRoom: Room {
        let asked = Counter()

        var endpoints: [Endpoint] {
            let count = asked.next()
            return [
                Endpoint(.get, "/asked/\(count)", for: .anyone, "Counts", room: "Counting", answers: []) { _ in
                    throw Problem.notFound
                }
            ]
        }
    }

    @Test func `the description of the API is made once`() async throws {
        try await ServedProduct.serving { api in
            let secret = ServedProduct.secret
            let pages = PageRoom(
                described: [CountingRoom()], version: "0", throttle: Throttle(api.database, looseness: nil),
                codes: InviteCodes(secret: secret, publicURL: PublicURL()), apps: ServedProduct.apps)
            let ear = try await Ear(
                url: TestDatabase.current.url, group: api.group, channels: [], heard: { _, _ in }, changed: { _ in })
            let authenticator = Authenticator(
                api.database, try await SessionMemory(on: api.group), ear, SessionCookie(isSecure: false))
            let gate = Gate(
                database: api.database, authenticator: authenticator, throttle: Throttle(api.database, looseness: nil),
                rates: Rates(api.database, Trust().rates, looseness: nil), secret: secret, words: .all
            ) {}
            let server = try await Server(
                ServerConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0)),
                routes: gate.routes(of: [pages]), on: api.group)
            for path in ["/openapi.json", "/docs", "/openapi.json", "/docs"] {
                let text = try await Client(server.address.port).get(path).text
                #expect(text.contains("/asked/1") && !text.contains("/asked/2"))
            }
            await server.stop(within: .zero)
            await ear.stop()
        }
    }

    @Test func `phones learn which apps open the links`() async throws {
        try await ServedProduct.serving { api in
            let apple = try await api.get("/.well-known/apple-app-site-association")
            #expect(apple.reply.header("content-type") == "application/json")
            let detail = apple.json["applinks"]["details"].items[0]
            #expect(detail["appIDs"] == ["TEAM12345.hr.example.courier"] && detail["components"] == [["/": "/i/*"]])
            let android = try await api.get("/.well-known/assetlinks.json").json.items[0]
            #expect(android["relation"] == ["delegate_permission/common.handle_all_urls"])
            #expect(android["target"]["package_name"] == "hr.example.courier")
            #expect(android["target"]["sha256_cert_fingerprints"] == ["AB:CD"])
        }
    }
}
