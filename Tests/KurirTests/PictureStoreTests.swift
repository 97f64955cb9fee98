import Crypto
import Foundation
import HTTP
import Postgres
import TestSupport
import Testing

/// Pictures in a store that speaks S3 (`pictures.py`), which goes away and comes back.
@Suite(.database) struct PictureStoreTests {
    /// The store at work.
    private struct Store {
        let program: Program
        let place, user, password: String

        static func running(_ body: (Store) async throws -> Void) async throws {
            let program = try Program(
                Python.programs + "/python", [Python.root + "/Tests/Gateways/pictures.py"],
                environment: ["PYTHONDONTWRITEBYTECODE": "1"])
            do {
                try await eventually { !program.isRunning || program.said.contains("\n") }
                let start = try #require(said(by: program).first, "\(program.complained)")
                try await body(
                    Store(
                        program: program, place: try #require(start["place"].string),
                        user: try #require(start["user"].string), password: try #require(start["password"].string)))
            } catch {
                program.signal(SIGTERM)
                try await program.end()
                throw error
            }
            program.signal(SIGTERM)
            try await program.end()
        }

        private static func said(by program: Program) -> [JSON] {
            program.said.split(separator: "\n").compactMap { JSON(Array($0.utf8)) }
        }

        private func ask(_ signal: Int32) async throws -> JSON {
            let before = Self.said(by: program).count
            program.signal(signal)
            try await eventually { Self.said(by: program).count > before }
            return Self.said(by: program)[before]
        }

        /// Takes it away, or gives it back; says whether it is there now.
        func toggle() async throws -> Bool { try await ask(SIGUSR1)["here"] == .bool(true) }

        /// Turns the bytes of everything in it round.
        func spoil() async throws { _ = try await ask(SIGHUP) }

        /// The names of what is in it.
        func objects() async throws -> [String] { try await ask(SIGUSR2)["objects"].items.compactMap(\.string) }

        /// What Kurir is told of it.
        func environment(password: String? = nil) -> [String: String] {
            [
                "KURIR_FILES": place, "AWS_ACCESS_KEY_ID": user, "AWS_SECRET_ACCESS_KEY": password ?? self.password,
                "KURIR_GATEWAY_INSECURE_TRANSPORT": "true", "KURIR_THROTTLE": "off",
            ]
        }
    }

    private func query(_ sql: String) async throws -> [[String?]] {
        let url = TestDatabase.current.url
        return try await blocking { try BlockingConnection(url: url).query(sql) }
    }

    /// Has the work be done now that is done every few seconds.
    private func hurry() async throws {
        _ = try await query("UPDATE deadlines SET due_at = now() WHERE kind LIKE 'pictures % their store'")
    }

    /// A photo of several pieces, which has a smaller one.
    private func photo() async throws -> String {
        let path = TemporaryDirectory.path("photo.jpg")
        let draw =
            "import os,sys;from PIL import Image;Image.frombytes('RGB',(900,600),os.urandom(1620000)).save(sys.argv[1],'JPEG')"
        try await Python.run("python", ["-c", draw, path])
        return path
    }

    /// Delivers something with that photo; gives the photo's id.
    private func deliver(_ photo: String, _ people: Team, _ kurir: Kurir) async throws -> String {
        func id(_ answer: (status: Int, body: String)) throws -> String {
            String(try #require(answer.body.firstMatch(of: /"id":"([^"]+)"/), "\(answer)").1)
        }
        let courier = people.couriers[0]
        let sent = try await kurir.get(
            "/v1/files", "-H", "Authorization: Bearer \(courier)", "-H", "Content-Type: image/jpeg", "--data-binary",
            "@" + photo)
        let picture = try id(sent)
        let made = try id(try await kurir.send("POST", "/v1/deliveries", people.delivery, as: people.store))
        _ = try await kurir.send("POST", "/v1/deliveries/\(made)/accept", as: courier)
        let handed = try await kurir.send(
            "POST", "/v1/deliveries/\(made)/deliver", #"{"photo_ids":["\#(picture)"]}"#, as: courier)
        try #require(handed.status == 200, "\(handed)")
        return picture
    }

    /// The status and the hash of a picture as the store is given it.
    private func look(
        at picture: String, _ people: Team, _ kurir: Kurir, _ query: String = ""
    ) async throws -> (status: Int, sha256: String) {
        let path = TemporaryDirectory.path("given")
        let answer = try await kurir.get(
            "/v1/files/\(picture)\(query)", "-H", "Authorization: Bearer \(people.store)", "-o", path)
        return (answer.status, hexadecimal(SHA256.hash(Array(FileManager.default.contents(atPath: path) ?? Data()))))
    }

    /// Whether the step that it hangs on tells that.
    private func isPending(_ picture: String, _ people: Team, _ kurir: Kurir) async throws -> Bool {
        let delivery = try await query("SELECT delivery_id FROM files WHERE id = '\(picture)'")[0][0] ?? ""
        let told = try await kurir.send("GET", "/v1/deliveries/\(delivery)/history", as: people.store).body
        let step = try #require(JSON(Array(told.utf8))?["items"].items.last)
        #expect(step["photo_ids"].items == [.string(picture)])
        return step["pending"] == .bool(true)
    }

    @Test func `what a store gives that is not what was sent is broken off before its end`() async throws {
        let (people, photo) = (try await Team.make(), try await photo())
        try await Store.running { store in
            try await Kurir.serving("--database", TestDatabase.current.url, environment: store.environment()) { kurir in
                let picture = try await deliver(photo, people, kurir)
                try await hurry()
                try await eventually { try await query("SELECT count(*) FROM file_pieces") == [["0"]] }
                func given() async throws -> Int {
                    let path = TemporaryDirectory.path("given")
                    _ = try await kurir.get(
                        "/v1/files/\(picture)", "-H", "Authorization: Bearer \(people.store)", "-o", path)
                    return FileManager.default.contents(atPath: path)?.count ?? 0
                }
                let whole = try await given()
                try await store.spoil()
                #expect(try await given() < whole)
                try await store.spoil()
                #expect(try await given() == whole)
            }
        }
    }

    @Test func `a picture waits for a store that is away, moves there, and is read and removed there`() async throws {
        let (people, photo) = (try await Team.make(), try await photo())
        try await Store.running { store in
            #expect(try await store.toggle() == false)
            try await Kurir.serving("--database", TestDatabase.current.url, environment: store.environment()) { kurir in
                let picture = try await deliver(photo, people, kurir)
                let before = [
                    try await look(at: picture, people, kurir),
                    try await look(at: picture, people, kurir, "?width=320"),
                ]
                #expect(before.allSatisfy { $0.status == 200 } && before[0].sha256 != before[1].sha256)
                try await hurry()
                try await eventually { kurir.program.complained.contains("the store of pictures: ") }
                #expect(try await query("SELECT count(*) > 4 FROM file_pieces") == [["t"]])
                #expect(try await isPending(picture, people, kurir))

                #expect(try await store.toggle())
                try await hurry()
                try await eventually { try await query("SELECT count(*) FROM file_pieces") == [["0"]] }
                #expect(try await store.objects() == [picture, picture + "-small"])
                #expect(try await look(at: picture, people, kurir) == before[0])
                #expect(try await look(at: picture, people, kurir, "?width=320") == before[1])
                #expect(try await !isPending(picture, people, kurir))

                #expect(try await store.toggle() == false)
                #expect(try await look(at: picture, people, kurir).status == 503)
                #expect(try await deliver(photo, people, kurir) != picture)
                #expect(try await store.toggle())
                #expect(try await look(at: picture, people, kurir) == before[0])

                _ = try await query("SELECT drop_files(ARRAY(SELECT id FROM files))")
                #expect(try await look(at: picture, people, kurir).status == 404)
                _ = try await query("UPDATE file_removals SET due_at = now()")
                try await hurry()
                try await eventually { try await store.objects().isEmpty }
                try await eventually { try await query("SELECT count(*) FROM file_removals") == [["0"]] }
            }
        }
    }

    @Test func `who does not sign as the store knows it puts nothing there`() async throws {
        let (people, photo) = (try await Team.make(), try await photo())
        try await Store.running { store in
            let wrong = store.environment(password: "another")
            try await Kurir.serving("--database", TestDatabase.current.url, environment: wrong) { kurir in
                let picture = try await deliver(photo, people, kurir)
                try await hurry()
                try await eventually { kurir.program.complained.contains("the store of pictures: it answers 403") }
                #expect(try await store.objects().isEmpty)
                #expect(try await look(at: picture, people, kurir).status == 200)
            }
        }
    }
}
