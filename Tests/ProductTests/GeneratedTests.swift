import Domain
import Foundation
import HTTP
import Languages
import TestSupport
import Testing

@testable import API
@testable import Product

/// Values that stand in several places are the same as in Swift.
@Suite(.database) struct GeneratedTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardized

    private func text(of files: String, in folder: String) throws -> String {
        let files =
            FileManager.default.enumerator(at: Self.sources.appending(path: folder), includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }.filter { $0.pathExtension == files } ?? []
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// The names that a script exports as a list.
    private func exported(_ name: String, from script: String) throws -> [String] {
        let list = try #require(script.split(separator: "\n").first { $0.hasPrefix("export const \(name) = ") })
        return list.matches(of: #/"([^"]+)"/#).map { String($0.1) }
    }

    @Test func `the pages listen to what is published and to nothing else`() async throws {
        try await ServedProduct.serving { api in
            let page = try await api.get("/").reply.text
            let place = try #require(page.firstMatch(of: #/src="(\/assets\/[^\/]+)\//#)?.1)
            let script = try await api.get("\(place)/lifecycle.js").reply.text
            let types = Set(try exported("eventTypes", from: script))
            #expect(try exported("statuses", from: script) == DeliveryStatus.allCases.map(\.rawValue))
            let subjects = Set(types.compactMap { $0.split(separator: ".").first.map(String.init) })
            let scripts = try text(of: "js", in: "Web")
            let heard = Set(
                scripts.matches(of: #/hears: \[([^\]]+)\]/#)
                    .flatMap { $0.1.matches(of: #/'([a-z_]+)'/#).map { String($0.1) } })
            #expect(heard == subjects, "published or heard only: \(heard.symmetricDifference(subjects))")
            let said = scripts.matches(of: #/'([a-z_]+)\.([a-z_]+)'/#)
                .filter { subjects.contains(String($0.1)) }.map { "\($0.1).\($0.2)" }
            #expect(!said.isEmpty && Set(said).subtracting(types).isEmpty, "pages listen to what nobody publishes")
            let published = try text(of: "swift", in: "").matches(of: #/'\{([a-z_]+\.[a-z_.,]+)\}'::text\[\]/#)
                .flatMap { $0.1.split(separator: ",").map(String.init) }
            let known = Set(published + EventType.allCases.map(\.rawValue))
            #expect(known == types, "in one place only: \(known.symmetricDifference(types))")
        }
    }

    @Test func `every status and step is called something and shown somehow`() throws {
        let statuses = DeliveryStatus.allCases.map(\.rawValue)
        let listed = DeliveryStatus.allCases.filter { $0 == .pending || $0.hasCourier }.map(\.rawValue)
        let ofCouriers = Lifecycle.Action.allCases.filter { action in
            Lifecycle.rules.contains { rule in
                guard case .becomes = rule.outcome else { return false }
                return rule.action == action && rule.standing != .store
            }
        }.map(\.rawValue)
        let steps = Lifecycle.Action.allCases.map(\.rawValue) + ["return"]
        var wanted = statuses.flatMap { ["status_" + $0, "none_" + $0] }
        wanted += listed.map { "noJobs_" + $0 }
        wanted += steps.map { "did_" + $0 }
        wanted += ofCouriers.flatMap { ["do_" + $0, "done_" + $0] }
        let pages = Languages.all[0].pages
        #expect(wanted.filter { pages[$0] == nil } == [])
        let (scripts, style) = (try text(of: "js", in: "Web"), try text(of: "css", in: "Web"))
        for status in statuses {
            #expect(scripts.contains(try Regex("signs = \\{.*\\b\(status): ")), "\(status) has no sign")
            for rule in ["--\(status): ", ".card.\(status) ", ".badge.\(status) "] {
                #expect(style.contains(rule), "the pages' style lacks \(rule)")
            }
        }
    }

    /// Lists go backwards along the index.
    @Test func `the database has the statuses in the order of lists`() async throws {
        try await ServedProduct.serving { api in
            let known = try await api.execute("SELECT unnest(enum_range(NULL::delivery_status))")
            #expect(known.compactMap { $0[0] } == DeliveryStatus.allCases.reversed().map(\.rawValue))
        }
    }

    @Test func `the history takes every action`() async throws {
        try await ServedProduct.serving { api in
            let said = try await api.execute(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'history_action'")
            let names = try #require(said.first?[0]).matches(of: #/'([a-z_]+)'/#).map { String($0.1) }
            #expect(Set(names) == Set(Lifecycle.Action.allCases.map(\.rawValue)))
        }
    }

    @Test func `the statuses that have a courier have one in the database`() async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            for status in DeliveryStatus.allCases {
                for courier in ["NULL", "'\(couriers[0].id)'"] {
                    let made = try? await api.execute(
                        """
                        INSERT INTO deliveries (id, store_id, status, version, courier_id, candidates, recipient_first_name,
                            recipient_last_name, recipient_address, description, created_at, updated_at, accepted_at,
                            delivered_at, cancelled_at)
                        VALUES (gen_random_uuid(), '\(store.id)', '\(status.rawValue)', 1, \(courier), '{\(couriers[0].id)}', 'Iva',
                            'Ivić', 'Ilica 1', 'Torta', now(), now(),
                            CASE WHEN \(courier) IS NOT NULL THEN now() END,
                            CASE WHEN '\(status.rawValue)' = 'delivered' THEN now() END,
                            CASE WHEN '\(status.rawValue)' = 'cancelled' THEN now() END)
                        """)
                    // A cancelled delivery keeps the courier who carried it.
                    let mayBe = status == .cancelled || status.hasCourier == (courier != "NULL")
                    #expect((made != nil) == mayBe, "\(status) \(courier)")
                }
            }
        }
    }
}
