import Foundation
import HTTP
import Languages
import TestSupport
import Web
import Testing

/// The pages that people use, as browsers get them.
@Suite(.database) struct AppPageTests {
    private func addresses(_ text: String) -> [String] {
        text.matches(of: /\/assets\/[\w-]+\/[\w.-]+/).map { String($0.output) }
    }

    @Test(arguments: ["/store", "/courier"])
    func `a page loads only what there is`(_ path: String) async throws {
        try await ServedProduct.serving { api in
            let page = try await api.get(path).reply
            #expect(page.status == 200 && page.header("content-type") == "text/html; charset=utf-8")
            #expect(page.header("cache-control") == "no-cache")
            let policy = try #require(page.header("content-security-policy"))
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
            #expect(policy.contains("require-trusted-types-for 'script'") && !policy.contains("unsafe"))
            #expect(!page.text.contains("://") && !page.text.contains("{"))
            // Follows every module that a module loads.
            var waiting = addresses(page.text)
            var seen: Set<String> = []
            #expect(waiting.count >= 3)
            while let address = waiting.popLast() {
                guard seen.insert(address).inserted else { continue }
                let file = try await api.get(address).reply
                #expect(file.status == 200, "\(address)")
                #expect(file.header("cache-control") == "public, max-age=31536000, immutable")
                let directory = address.prefix(through: address.lastIndex(of: "/") ?? address.startIndex)
                waiting += file.text.matches(of: /from '\.\/([\w.-]+)'/).map { directory + String($0.output.1) }
            }
            #expect(seen.count > 10)
        }
    }

    /// With all that it loads before anything is seen, in the language with the longest words.
    @Test(arguments: ["/store", "/courier"]) func `each page is small`(_ path: String) async throws {
        try await ServedProduct.serving { api in
            let page = try await api.get(path).reply
            var (waiting, seen) = ([path] + addresses(page.text), Set<String>())
            var sizes: [String: (whole: Int, compressed: Int)] = [:]
            func load(_ address: String) async throws -> String {
                let file = try await api.get(address).reply
                try #require(file.status == 200, "\(address)")
                let compressed = try await api.get(address, headers: ["Accept-Encoding": "gzip"]).reply.body.count
                sizes[address] = (file.body.count, compressed)
                return file.text
            }
            while let address = waiting.popLast() {
                guard seen.insert(address).inserted else { continue }
                let text = try await load(address)
                let directory = address.prefix(through: address.lastIndex(of: "/") ?? address.startIndex)
                waiting += text.matches(of: /from '\.\/([\w.-]+)'/).map { directory + String($0.output.1) }
            }
            #expect(seen.count > 10)
            let worker = try await api.get("/worker.js").reply
            let languages = addresses(worker.text).filter { $0.contains("/language-") && $0.hasSuffix(".js") }
            for address in languages { _ = try await load(address) }
            let others = languages.compactMap { sizes[$0] }.sorted { $0.whole < $1.whole }.dropLast()
            let size = sizes.values.map(\.whole).reduce(0, +) - others.map(\.whole).reduce(0, +)
            let compressed = sizes.values.map(\.compressed).reduce(0, +) - others.map(\.compressed).reduce(0, +)
            print("\(path): \(size) bytes, \(compressed) where they are compressed")
            #expect(size < 200 * 1024 && compressed < size / 2)
        }
    }

    @Test func `what is said at first comes at first, and all else later`() async throws {
        try await ServedProduct.serving { api in
            let files = addresses(try await api.get("/worker.js").reply.text).filter { $0.contains("/language-") }
            #expect(files.count == 2 * Languages.all.count)
            for words in Languages.all {
                func texts(_ ending: String) async throws -> JSON {
                    let address = try #require(files.first { $0.hasSuffix("/language-\(words.code).\(ending)") })
                    let text = try await api.get(address).reply.text.trimmingPrefix("export default ").utf8
                    return try #require(JSON(Array(text.dropLast(ending == "js" ? 2 : 0))))
                }
                let (first, later) = (try await texts("js"), try await texts("json"))
                #expect(Set(first.names).isDisjoint(with: later.names))
                // In the bar, on a board, and composed; in settings, and in figures.
                #expect(["live", "newDelivery", "status_pending"].allSatisfy { first[$0] != .null })
                #expect(["deleteWarning_store", "total_delivered"].allSatisfy { later[$0] != .null })
                #expect(later.names.count > first.names.count)
            }
        }
    }

    @Test(arguments: ["/", "/store", "/courier", "/docs", "/i/ABCDE-FGHJK", "/t/nobody", "/undo/nobody"])
    func `every page has the mark as its icon, and may load it`(_ path: String) async throws {
        try await ServedProduct.serving { api in
            let page = try await api.get(path).reply
            let icon = try #require(page.text.firstMatch(of: /<link rel="icon" href="([^"]+)">/)?.1, "\(page.text)")
            let policy = try #require(page.header("content-security-policy"))
            #expect(policy.contains(/img-src 'self'[; ]/), "\(policy)")
            let mark = try await api.get(String(icon)).reply
            #expect(mark.status == 200 && mark.header("content-type")?.hasPrefix("image/") == true)
        }
    }

    @Test func `browsers that ask for an icon get the mark, for a day`() async throws {
        try await ServedProduct.serving { api in
            let mark = try await api.get("/favicon.ico").reply
            #expect(mark.status == 200 && mark.header("content-type") == "image/png")
            #expect(mark.header("cache-control") == "public, max-age=86400")
        }
    }

    @Test(arguments: [("de", "Die API", "Ausprobieren"), ("hr", "API", "Isprobaj"), ("xx", "The API", "Try it")])
    func `the description of the API speaks the language that was chosen`(
        _ language: String, _ title: String, _ try: String
    ) async throws {
        try await ServedProduct.serving { api in
            let page = try await api.get("/docs?language=\(language)").reply.text
            #expect(page.contains("<h1>\(title)</h1>") && page.contains(#"data-try="\#(`try`)""#))
            // What it describes is in English whatever was chosen.
            #expect(page.contains(#"<main lang="en">"#))
        }
    }

    @Test func `what only authors read is not sent, and nothing else is missing`() {
        let file = WebFile(
            "a.js", Array("/** Says\n * why. */\n  // Here\nlet a = 1; // kept\n\n    f(a);\n* {}\n".utf8))
        #expect(String(decoding: file.lean.bytes, as: UTF8.self) == "let a = 1; // kept\nf(a);\n* {}\n")
        let style = WebFile(
            "a.css", Array("a b, c :hover { d: e f; content: '● '; }\n/* g */\n@media (h: i) { j { k: l; } }\n".utf8))
        #expect(
            String(decoding: style.lean.bytes, as: UTF8.self)
                == "a b,c :hover{d:e f;content:'● '}\n@media (h:i){j{k:l}}\n")
        #expect(WebFile("a.svg", Array("  <svg/>".utf8)).lean.bytes == Array("  <svg/>".utf8))
    }

    @Test(arguments: [
        ("/", "hr-HR", "hr"), ("/", "fr", "en"), ("/?language=de", "hr", "de"), ("/?language=xx", "hr", "en"),
    ])
    func `the start page is in a language that somebody reads`(_ path: String, _ accepted: String, _ language: String)
        async throws
    {
        try await ServedProduct.serving { api in
            let page = try await api.get(path, headers: ["Accept-Language": accepted]).reply
            #expect(page.status == 200 && page.text.contains("<html lang=\"\(language)\">"))
            // What was chosen here goes along; else what was chosen behind the door before stays.
            // Who comes by this door is mostly new.
            let door = "href=\"/store\(path == "/" ? "" : "?language=\(language)")#new\""
            #expect(page.text.contains(door) && !page.text.contains("://"))
            #expect(page.header("vary")?.contains("Accept-Language") == true)
        }
    }

    @Test(arguments: ["/assets/x/../style.css", "/i/00000/qr.svg", "/i/%3Cb%3E/qr.svg"])
    func `a file that is not there is not found`(_ path: String) async throws {
        try await ServedProduct.serving { api in
            #expect([404, 400].contains(try await api.get(path).status))
            let page = try await api.get("/").reply.text
            let version = try #require(addresses(page).first?.split(separator: "/")[1])
            // A page of another version gets the current file, and does not keep it.
            let other = try await api.get("/assets/another/style.css").reply
            #expect(other.status == 200 && other.header("cache-control") == "no-store")
            for name in ["dashboard.html", "WebFile.swift", "nothing.js"] {
                #expect(try await api.get("/assets/\(version)/\(name)").status == 404)
            }
        }
    }

    /// The tests in the browser check that phones can read it.
    @Test func `the link of an invite can be had as a picture`() async throws {
        try await ServedProduct.serving { api in
            let made = try await api.post(
                "/v1/invites", ["phone": "091 765-4321"], as: try await api.store().token
            ).json
            let picture = try await api.get("/i/\(made["code"].string ?? "")/qr.svg").reply
            #expect(picture.status == 200 && picture.header("content-type") == "image/svg+xml")
            #expect(picture.text.hasPrefix("<svg ") && !picture.text.contains("script"))
            let page = try await api.get("/i/\(made["code"].string ?? "")").reply.text
            #expect(page.contains("href=\"/courier#invite=\(made["code"].string ?? "")\""))
        }
    }

    @Test func `an account that registers in a browser has a cookie`() async throws {
        try await ServedProduct.serving { api in
            for (path, form) in [
                ("/v1/stores", SamplePeople.storeForm()), ("/v1/couriers", SamplePeople.courierForm()),
            ] {
                let made = try await api.post(path, form.with(["cookie": true]))
                try #require(made.status == 201, "\(made.json)")
                #expect(made.json["session"].names == ["expires_at"])
                let cookie = try #require(made.reply.header("set-cookie"))
                #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
                let pair = String(cookie.prefix { $0 != ";" })
                let me = try await api.get("/v1/me", headers: ["Cookie": pair])
                #expect(me.status == 200 && me.json["id"] == made.json["account"]["id"])
            }
        }
    }
}
