import Foundation
import Postgres
import TestSupport
import Testing

@testable import Gateways
@testable import kurir

/// What commands and the built-in gateway ask of the database stands in lists, so that all of it is tried.
@Suite struct CommandSQLTests {
    @Test(.database) func `the database knows what each statement of a command names`() async throws {
        let database = TestDatabase.current
        try await blocking {
            let connection = try database.connect()
            for sql in CommandSQL.all + OutboxQueue.statements {
                #expect(throws: Never.self, "\(sql)") {
                    _ = try connection.query("PREPARE statement AS \(sql)")
                    _ = try connection.query("DEALLOCATE statement")
                }
            }
        }
    }

    @Test func `no statement of a command is missing here`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        var listed = 0
        for target in ["kurir", "Gateways"] {
            let files =
                FileManager.default.enumerator(at: sources.appending(path: target), includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
            for file in files {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.firstMatch(of: #/\bquery\(\s*"/#) == nil, "\(file.lastPathComponent) has one of its own")
                if let list = text.firstRange(of: "\nextension CommandSQL {") {
                    listed += text[list.upperBound...].matches(of: #/\n    static let /#).count
                }
            }
        }
        #expect(listed == CommandSQL.all.count)
        #expect(Set(CommandSQL.all).count == listed)
    }
}
