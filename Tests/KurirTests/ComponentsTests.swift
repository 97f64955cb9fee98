import Foundation
import TestSupport
import Testing

/// The list of what the binary consists of is what it consists of.
@Suite struct ComponentsTests {
    private struct Bill: Decodable {
        struct Component: Decodable {
            struct Property: Decodable { let name, value: String }
            let name, version: String
            let purl: String?
            let properties: [Property]?
        }
        let bomFormat, specVersion: String
        let components: [Component]
    }

    @Test func `the bill of materials has every library that the binary loads and no other`() async throws {
        let made = try await Program.run("python3", [Python.root + "/deploy/sbom", Kurir.path])
        try #require(made.code == 0, "\(made.complained)")
        let bill = try JSONDecoder().decode(Bill.self, from: Data(made.said.utf8))
        #expect(bill.bomFormat == "CycloneDX" && bill.specVersion == "1.5")
        let listed = bill.components.flatMap { $0.properties ?? [] }.filter { $0.name == "soname" }.map(\.value)
        let linked = try await Program.run("readelf", ["--dynamic", Kurir.path]).said
            .matches(of: /NEEDED.*\[(.*)\]/).map { String($0.1) }
        // The loader is no library.
        let wanted = linked.filter { !$0.hasPrefix("ld-linux") }
        #expect(wanted.count >= 5 && Set(listed).isSuperset(of: wanted), "\(Set(wanted).subtracting(listed))")
        // What is running knows what it has loaded.
        let loaded = try await Program.run("ldd", [Kurir.path]).said
        #expect(listed.allSatisfy(loaded.contains))
        #expect(bill.components.allSatisfy { !$0.version.isEmpty && ($0.name == "swift") == ($0.purl == nil) })
    }
}
