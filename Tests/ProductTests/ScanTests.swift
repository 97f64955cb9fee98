import Foundation
import HTTP
import TestSupport
import Testing

/// Codes in pictures.
@Suite(.database) struct ScanTests {
    private func scan(
        _ api: ServedProduct, _ picture: [UInt8], as person: Person, type: String = "image/jpeg"
    ) async throws -> Answer {
        let client = try await Client(api.port)
        let head = """
            POST /v1/scans HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(person.token)\r\nContent-Type: \(type)\r\n\
            Content-Length: \(picture.count)\r\n\r\n
            """
        try await client.send(Array(head.utf8) + picture)
        return Answer(try await client.reply(to: "POST"))
    }

    /// The pictures of a code that Tests/Papers/pictures.py draws, by their names.
    private func pictures(of text: String) async throws -> [String: [UInt8]] {
        let directory = TemporaryDirectory.path("pictures")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await Python.run("python", [Python.root + "/Tests/Papers/pictures.py", directory, text])
        return try FileManager.default.contentsOfDirectory(atPath: directory).reduce(into: [:]) { pictures, name in
            pictures[name] = [UInt8](try Data(contentsOf: URL(filePath: directory).appending(path: name)))
        }
    }

    @Test func `a certificate is read straight, at an angle, turned, blurred, in bad light and from afar`() async throws
    {
        let certificates = try await Certificates.made()
        let text = try certificates.code("vaccination")
        let pictures = try await pictures(of: text)
        #expect(pictures.count == 9)
        try await ServedProduct.serving { api in
            let ana = try await api.courier()
            for (name, picture) in pictures where name != "nothing.jpg" {
                let answer = try await scan(api, picture, as: ana)
                #expect(answer.status == 200, "\(name): \(answer.json)")
                #expect(answer.json == ["codes": [["format": "qr_code", "text": .string(text)]]], "\(name)")
            }
            let store = try await api.store()
            let nothing = try await scan(api, try #require(pictures["nothing.jpg"]), as: store)
            #expect(nothing.status == 422 && nothing.code == "no_code")
        }
    }

    @Test func `what is no picture is refused, and nothing is kept`() async throws {
        let picture = try #require(try await pictures(of: "916BM-VJ4EQ")["straight.png"])
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
}
