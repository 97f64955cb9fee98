import Domain
import Foundation
import HTTP
import Languages
import TestSupport
import Testing

@testable import API
@testable import Deliveries
@testable import Product
@testable import Road

/// Values that stand in several places are the same as in Swift.
@Suite(.database) struct GeneratedTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    private static let assets = root.appending(path: "Sources/Web/assets")

    private func text(of files: String, in folder: String) throws -> String {
        let files =
            FileManager.default.enumerator(at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)?
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
            let script = try await lifecycle(api)
            let types = try exported("eventTypes", from: script)
            #expect(try exported("statuses", from: script) == DeliveryStatus.allCases.map(\.rawValue))
            #expect(Set(types).count == types.count, "two rooms publish the same")
            for page in Self.pages {
                let wanted = types.filter { readers(of: $0).contains(page.kind) }
                let subjects = Set(wanted.map(subject))
                let scripts = try Dictionary(
                    uniqueKeysWithValues: modules(of: page.script).map { ($0, try source($0)) })
                let heard = Set(
                    scripts.values.joined().matches(of: #/hears: \[([^\]]+)\]/#)
                        .flatMap { $0.1.matches(of: #/'([a-z_]+)'/#).map { String($0.1) } })
                #expect(subjects.subtracting(heard) == [], "\(page.script) misses them")
                #expect(heard.subtracting(types.map(subject)) == [], "nobody publishes them")
                // What both pages share may name what only one of them gets.
                let other = try #require(Self.pages.first { $0.kind != page.kind })
                let own = Set(scripts.keys).subtracting(try modules(of: other.script))
                for (name, script) in scripts {
                    let named = script.matches(of: #/'([a-z_]+\.[a-z_]+)'/#).map { String($0.1) }
                        .filter { types.map(subject).contains(subject(of: $0)) }
                    let mayBe = own.contains(name) ? wanted : types
                    #expect(Set(named).subtracting(mayBe) == [], "\(name) waits for what does not come")
                }
            }
        }
    }

    @Test func `what is published is what the rooms say`() async throws {
        try await ServedProduct.serving { api in
            let types = Set(try exported("eventTypes", from: try await lifecycle(api)))
            let swift = try text(of: "swift", in: "Sources").matches(of: #/'\{([a-z_]+\.[a-z_.,]+)\}'::text\[\]/#)
                .flatMap { $0.1.split(separator: ",").map(String.init) }
            let known = Set(swift + EventType.allCases.map(\.rawValue))
            #expect(known == types, "in one place only: \(known.symmetricDifference(types))")
            // Functions name types as they write them, or as they call another function that does.
            let functions = try text(of: "sql", in: "sql/functions")
                .matches(of: #/array_fill\('([a-z_.]+)'|tell_of_offers\(\w+, '([a-z_.]+)'/#)
                .compactMap { ($0.1 ?? $0.2).map(String.init) }
            #expect(!functions.isEmpty && Set(functions).subtracting(types) == [])
        }
    }

    /// The script that a page begins with, and whose page it is.
    private static let pages: [(script: String, kind: AccountKind)] = [
        ("dashboard.js", .store), ("courier.js", .courier),
    ]

    /// Who gets what no step of a delivery tells.
    private static let readers: [String: Set<AccountKind>] = [
        "delivery.stranded": [.store], "delivery.unaccepted": [.store], "delivery.late": [.store, .courier],
        "delivery.routed": [.store, .courier], "delivery.wish": [.store, .courier], "delivery.rated": [.store],
        "delivery.nearby": [.store], "invite.received": [.courier], "partner.joined": [.store, .courier],
        "partner.ended": [.store, .courier], "cancellation.contested": [.store, .courier],
        "cancellation.excused": [.store, .courier], "message.created": [.store, .courier],
        "message.read": [.store, .courier], "message.deleted": [.store, .courier],
        "conversation.changed": [.store, .courier], "bulletin.published": [.store, .courier],
    ]

    private func readers(of type: String) -> Set<AccountKind> {
        var kinds = Self.readers[type] ?? []
        for rule in Lifecycle.rules {
            guard case .becomes(_, let effects) = rule.outcome else { continue }
            for case .feed(let audience, let told) in effects where told.rawValue == type {
                kinds.insert(audience == .store || audience == .actor && rule.standing == .store ? .store : .courier)
            }
        }
        #expect(!kinds.isEmpty, "who gets \(type)?")
        return kinds
    }

    private func subject(of type: String) -> String { String(type.prefix { $0 != "." }) }

    /// A script of the pages and all that it loads, at once or later.
    private func modules(of script: String) throws -> Set<String> {
        var (found, next) = (Set<String>(), [script])
        while let name = next.popLast() {
            guard found.insert(name).inserted else { continue }
            next += try source(name).matches(of: #/(?:from |import\()'\.\/(\w+)\.js'|(?:later|loaded)\('(\w+)'/#)
                .compactMap { ($0.1 ?? $0.2).map { $0 + ".js" } }
                .filter { FileManager.default.fileExists(atPath: Self.assets.appending(path: $0).path()) }
        }
        return found
    }

    private func source(_ script: String) throws -> String {
        try String(contentsOf: Self.assets.appending(path: script), encoding: .utf8)
    }

    private func lifecycle(_ api: ServedProduct) async throws -> String {
        let page = try await api.get("/").reply.text
        let place = try #require(page.firstMatch(of: #/src="(\/assets\/[^\/]+)\//#)?.1)
        return try await api.get("\(place)/lifecycle.js").reply.text
    }

    /// What a script says of its own, and what it must be.
    @Test(arguments: [
        ("thread.js", #"const longest = (\d+);"#, ["\(Bounds.said)"]),
        ("roadreport.js", #"name: 'title',.*longest: (\d+)"#, ["\(Bounds.roadTitle)"]),
        ("roadreport.js", #"name: 'road',[^}]*longest: (\d+)"#, ["\(Bounds.road)"]),
        ("roadreport.js", #"name: 'text',[^}]*longest: (\d+)"#, ["\(Bounds.text)"]),
        ("roadreport.js", #"const types = \[([^\]]+)\]"#, RoadType.allCases.map(\.rawValue)),
        ("roadkinds.js", #"const lines = \{([^}]+)\}"#, RoadKind.allCases.map(\.rawValue)),
        ("found.js", #"text\.slice\(0, (\d+)\)"#, ["\(Bounds.search)"]),
        ("handing.js", #"name: 'pin',[^}]*longest: (\d+)"#, ["\(Bounds.pin)"]),
        ("papers.js", #"const kinds = \[([^\]]+)\]"#, PaperKind.stated.map(\.rawValue)),
        ("editor.js", #"const sizes = \[([^\]]+)\]"#, Parcel.Size.allCases.map(\.rawValue)),
        ("offering.js", #"const orders = \[([^\]]+)\]"#, OfferTurns.Order.allCases.map(\.rawValue)),
    ])
    func `bounds and kinds in scripts are those of the API`(script: String, place: String, wanted: [String]) throws {
        let said = try #require(try source(script).firstMatch(of: Regex(place))?.output[1].substring)
        // How a sign is drawn stands behind its name.
        let names = said.replacing(#/: ('[^']*'|\w+),/#, with: ",")
        #expect(names.matches(of: #/[a-z0-9_]+/#).map { String($0.output) }.sorted() == wanted.sorted())
    }

    @Test func `the pages name only kinds and countries that there are`() throws {
        let kinds = try #require(try source("push.js").firstMatch(of: #/const kindsOf = \{([^}]+)\}/#)).1
        let named = Set(kinds.matches(of: #/'([a-z_]+)'/#).map { String($0.1) })
        #expect(named.subtracting(NotificationKind.allCases.map(\.rawValue)) == ["answer"])
        let countries = try #require(try source("countries.js").firstMatch(of: #/const codes = '([A-Z ]+)'/#)).1
        #expect(countries.split(separator: " ").filter { !CallingCodes.knows(String($0)) } == [])
    }

    /// The dashboard rings for what a store would have a mail of.
    @Test func `what rings at a store is what it would have a mail of`() async throws {
        try await ServedProduct.serving { api in
            let kinds = NotificationKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ",")
            let mailed = try await api.execute(
                "SELECT kind FROM unnest(ARRAY[\(kinds)]) AS kind WHERE reach_of(kind) = 'else_email'")
            let urgent = try #require(try source("dashboard.js").firstMatch(of: #/const urgent = \[([^\]]+)\]/#)).1
            let rings = urgent.matches(of: #/'\w+\.(\w+)'/#).map { String($0.1) }
            let things = mailed.compactMap { $0[0] }.map { $0.replacing(#/^(delivery|cancellation)_/#, with: "") }
            #expect(rings.sorted() == things.sorted())
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
        let (scripts, style) = (try text(of: "js", in: "Sources/Web"), try text(of: "css", in: "Sources/Web"))
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
            let names = try #require(said.first?[0]?.firstMatch(of: #/{(.+)}/#)?.1.split(separator: ","))
            #expect(Set(names.map(String.init)) == Set(Lifecycle.Action.allCases.map(\.rawValue)))
        }
    }

    /// What is written by hand is held to what the API refuses.
    @Test(arguments: [
        ("UPDATE deliveries SET recipient_first_name = ''", "delivery_texts"),
        ("UPDATE deliveries SET recipient_last_name = ''", "delivery_texts"),
        ("UPDATE deliveries SET recipient_address = ''", "delivery_texts"),
        ("UPDATE deliveries SET description = ''", "delivery_texts"),
        ("UPDATE deliveries SET recipient_lat = -90.1, recipient_lon = 1", "delivery_lat"),
        ("UPDATE deliveries SET recipient_lat = 'NaN', recipient_lon = 1", "delivery_lat"),
        ("UPDATE deliveries SET recipient_lat = 1, recipient_lon = 180.1", "delivery_lon"),
        ("UPDATE deliveries SET accepted_at = now()", "delivery_accepted_at"),
        ("UPDATE couriers SET first_name = ''", "courier_names"),
        ("UPDATE couriers SET last_name = ''", "courier_names"),
        ("UPDATE couriers SET accepted = -1", "courier_counts"),
        ("UPDATE couriers SET delivered = -1", "courier_counts"),
        ("UPDATE couriers SET cancelled = -1", "courier_counts"),
        ("UPDATE couriers SET declined = -1", "courier_counts"),
        ("UPDATE couriers SET excused = -1", "courier_counts"),
        ("UPDATE couriers SET ratings = -1", "courier_counts"),
        ("UPDATE couriers SET mean_stars = 5.1", "courier_mean_stars"),
        ("UPDATE couriers SET share_position = 'never'", "courier_share_position"),
        (step("'steal', 'store'", lat: "1", lon: "1"), "history_action"),
        (step("'edit', 'recipient'", lat: "1", lon: "1"), "history_actor"),
        (step("'edit', 'store'", lat: "90.1", lon: "1"), "history_lat"),
        (step("'edit', 'store'", lat: "1", lon: "-180.1"), "history_lon"),
    ])
    func `what nobody may send is not taken from anybody`(_ sql: String, _ constraint: String) async throws {
        try await ServedProduct.serving { api in
            let (store, couriers) = try await api.team(1)
            _ = try await api.delivery(of: store, to: couriers)
            await expectRefusal(by: constraint) { try await api.execute(sql) }
        }
    }

    private static func step(_ names: String, lat: String, lon: String) -> String {
        """
        INSERT INTO delivery_history (delivery_id, seq, action, actor_kind, actor_id, status, at, lat, lon)
        SELECT id, 9, \(names), store_id, status, now(), \(lat), \(lon) FROM deliveries
        """
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
