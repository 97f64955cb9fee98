import Foundation
import HTTP
import TestSupport
import Testing

/// Codes in pictures.
@Suite(.database) struct ScanTests {
    private func scan(
        _ api: ServedProduct, _ picture: [UInt8], as person: Person, type: String = "image/jpeg",
        _ fields: String = ""
    ) async throws -> Answer {
        let client = try await Client(api.port)
        let head = """
            POST /v1/scans HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(person.token)\r\nContent-Type: \(type)\r\n\
            \(fields)Content-Length: \(picture.count)\r\n\r\n
            """
        try await client.send(Array(head.utf8) + picture)
        return Answer(try await client.reply(to: "POST"))
    }

    /// The pictures of a code that Tests/Papers/pictures.py draws, by their names; or of codes of some kinds.
    private func pictures(of texts: [String]) async throws -> [String: [UInt8]] {
        let directory = TemporaryDirectory.path("pictures")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await Python.run("python", [Python.root + "/Tests/Papers/pictures.py", directory] + texts)
        return try FileManager.default.contentsOfDirectory(atPath: directory).reduce(into: [:]) { pictures, name in
            pictures[name] = [UInt8](try Data(contentsOf: URL(filePath: directory).appending(path: name)))
        }
    }

    @Test func `a certificate is read straight, at an angle, turned, blurred, in bad light and from afar`() async throws
    {
        let certificates = try await Certificates.made()
        let text = try certificates.code("vaccination")
        let pictures = try await pictures(of: [text])
        #expect(pictures.count == 10)
        try await ServedProduct.serving { api in
            let ana = try await api.courier()
            for (name, picture) in pictures where !["nothing.jpg", "corners.png"].contains(name) {
                let answer = try await scan(api, picture, as: ana)
                #expect(answer.status == 200, "\(name): \(answer.json)")
                #expect(answer.json == ["codes": [["format": "qr_code", "text": .string(text)]]], "\(name)")
            }
            let store = try await api.store()
            let nothing = try await scan(api, try #require(pictures["nothing.jpg"]), as: store)
            #expect(nothing.status == 422 && nothing.code == "no_code")
        }
    }

    @Test func `codes of each kind are read, and called as browsers call them`() async throws {
        // As licences of some countries begin, with what no keyboard types.
        let licence = "@\n\u{1E}\rANSI 636000080002DL00410278DLDAQB-123 \r\nDACANA\r"
        let codes = [
            ("PDF417", "pdf417", licence), ("DataMatrix", "data_matrix", licence), ("Aztec", "aztec", licence),
            ("Code128", "code_128", "B-123 45"), ("Code39", "code_39", "B-4711"), ("EAN13", "ean_13", "3850123456782"),
            ("EAN8", "ean_8", "96385074"), ("ITF", "itf", "12345678901231"), ("QRCode", "qr_code", licence),
            ("MicroQRCode", "micro_qr_code", "B-4711"),
        ]
        let pictures = try await pictures(of: codes.flatMap { [$0.0, $0.2] })
        try await ServedProduct.serving { api in
            let ana = try await api.courier()
            for (kind, format, text) in codes {
                let answer = try await scan(api, try #require(pictures["\(kind).png"]), as: ana, type: "image/png")
                #expect(
                    answer.json == ["codes": [["format": .string(format), "text": .string(text)]]],
                    "\(kind): \(answer.json)")
            }
        }
    }

    @Test func `what is no picture is refused, and nothing is kept`() async throws {
        let picture = try #require(try await pictures(of: ["916BM-VJ4EQ"])["straight.png"])
        try await ServedProduct.serving { api in
            let ana = try await api.courier()
            let cut = try await scan(api, Array(picture.prefix(picture.count / 2)), as: ana, type: "image/png")
            #expect(cut.status == 422 && cut.code == "bad_image")
            #expect(try await scan(api, Array("HC1:".utf8), as: ana).code == "bad_image")
            #expect(try await scan(api, picture, as: ana, type: "image/gif").status == 415)
            #expect(try await scan(api, picture, as: ana).json["codes"].items.map { $0["text"] } == ["916BM-VJ4EQ"])
            #expect(try await api.execute("SELECT FROM files").isEmpty)
        }
    }

    @Test func `what was scanned is not kept, whatever is sent with it`() async throws {
        let pictures = try await pictures(of: ["916BM-VJ4EQ"])
        try await ServedProduct.serving { api in
            let (ana, key) = (try await api.courier(), "Idempotency-Key: once\r\n")
            for (name, status) in [("straight.jpg", 200), ("nothing.jpg", 422), ("straight.jpg", 200)] {
                let answer = try await scan(api, try #require(pictures[name]), as: ana, type: "image/jpeg", key)
                #expect(answer.status == status && answer.reply.header("idempotent-replayed") == nil)
            }
            #expect(try await api.execute("SELECT FROM idempotency_keys").isEmpty)
        }
    }

    /// Each three of its corners could be a code. Without a bound that is tried for hours.
    @Test func `a picture that is made to take for ever holds up neither others nor uploads`() async throws {
        let pictures = try await pictures(of: ["916BM-VJ4EQ"])
        let (hostile, good) = (try #require(pictures["corners.png"]), try #require(pictures["straight.png"]))
        try await ServedProduct.serving { api in
            let (attacker, ana) = (try await api.courier(), try await api.courier())
            async let attack = together(8) { try await scan(api, hostile, as: attacker, type: "image/png") }
            async let upload = api.send(good, as: ana, type: "image/png")
            let read = try await scan(api, good, as: ana, type: "image/png")
            #expect(read.status == 200 && read.json["codes"].items.map { $0["text"] } == ["916BM-VJ4EQ"])
            #expect(try await upload.status == 201)
            let answers = try await attack
            #expect(answers.contains { $0.status == 422 && $0.code == "no_code" })
            // Of one account one is looked at, and the others are told to come again.
            #expect(answers.count { $0.status == 422 } == 1)
            for answer in answers where answer.status != 422 {
                #expect(answer.status == 429 && answer.code == "rate_limited", "\(answer.json)")
                #expect(answer.reply.header("retry-after") == "1")
            }
            #expect(answers.contains { $0.status == 429 })
        }
    }

    @Test func `more pictures than there is room for are refused at once, and the others are read`() async throws {
        let pictures = try await pictures(of: ["916BM-VJ4EQ"])
        let (hostile, good) = (try #require(pictures["corners.png"]), try #require(pictures["straight.png"]))
        try await ServedProduct.serving { api in
            let couriers = try await together(40) { try await api.courier() }
            let attacker = try await api.courier()
            async let attack = scan(api, hostile, as: attacker, type: "image/png")
            let answers = try await together(couriers) {
                try await scan(api, good, as: $0, type: "image/png")
            }
            // Of the places in line the attacker may have one.
            #expect(answers.filter { $0.status == 200 }.count >= 15)
            let refused = answers.filter { $0.status != 200 }
            #expect(!refused.isEmpty)
            for answer in refused {
                #expect(answer.status == 503 && answer.code == "unavailable", "\(answer.json)")
                #expect(answer.reply.header("retry-after") == "1")
            }
            #expect(try await [422, 503].contains(attack.status))
            // When the rush is over, there is room again.
            #expect(try await scan(api, good, as: couriers[0], type: "image/png").status == 200)
        }
    }
}
