import API
import Domain
import HTTP

/// What a file says of the road: a list of objects with the fields of a report, or GeoJSON with them as properties of points. Entries
/// that make no sense are told, each by its number.
package struct RoadImport: Sendable {
    /// Entries as the database takes them, each once.
    package private(set) var entries: [JSON] = []
    /// What is wrong with entries, by their numbers from 1 on.
    package private(set) var wrong: [(number: Int, reason: String)] = []
    /// Whose entries there are, and which, also those that make no sense: what is named has not gone.
    package private(set) var named: [String: Set<String>] = [:]

    /// It is neither of the two.
    package struct NotUnderstood: Error {}

    /// The kinds that there are.
    package static let kinds = RoadKind.allCases.map(\.rawValue)

    private let kinds: [RoadKind]
    private let source: String

    /// A source as it is kept; nil for what is none.
    package static func source(_ text: String) -> String? { try? Texts.line(text, upTo: Bounds.roadSource) }

    /// Reads a file. `source` is whose entries are that do not say it; it is meant even if the file has none of its.
    package init(_ file: [UInt8], source: String?, withRadars: Bool) throws {
        (kinds, self.source) = (RoadKind.all(withRadars: withRadars), source ?? "import")
        // Some programs begin a file with a mark of its encoding.
        let text = file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.dropFirst(3)) : file
        guard let json = JSON(text), let items = Self.items(json)?.map(Self.flat) else { throw NotUnderstood() }
        if source != nil || !items.contains(where: { $0["source"] != nil }) { named[self.source] = [] }
        for (place, item) in items.enumerated() { take(item, number: place + 1) }
    }

    private static func items(_ json: JSON) -> [JSON]? {
        switch json {
        case .array(let items): items
        case .object(let members) where members["type"]?.text == "Feature": [json]
        case .object(let members): (members["features"] ?? members["items"])?.items
        default: nil
        }
    }

    private mutating func take(_ item: JSON, number: Int) {
        guard case .object(let members) = item else { return wrong.append((number, "it is no object")) }
        do {
            let owner =
                try item["source"].map { try Self.checked($0.text, "source", upTo: Bounds.roadSource) } ?? source
            let id = try item["source_id"].map {
                try Self.checked(Self.id($0), "source_id", upTo: Bounds.roadSourceID)
            }
            let name = id ?? (try? Fields.read(members, as: RoadName.self))?.text
            let isNew = name.map { named[owner, default: []].insert($0).inserted } ?? true
            let report: NewRoadReport = try Fields.read(members)
            guard kinds.contains(report.kind) else { return wrong.append((number, "kind: radars are off")) }
            guard let name, isNew else {
                return wrong.append((number, "source_id: \(owner) has said that already"))
            }
            entries.append(.object(Self.entry(report, owner, name)))
        } catch {
            wrong.append((number, Self.reason(error)))
        }
    }

    /// GeoJSON's features as the others are.
    private static func flat(_ item: JSON) -> JSON {
        guard case .object(let feature) = item, feature["type"]?.text == "Feature" else { return item }
        guard case .object(var members)? = feature["properties"] else { return item }
        if let id = feature["id"], members["source_id"] == nil { members["source_id"] = id }
        if feature["geometry"]?["type"]?.text == "Point", let point = feature["geometry"]?["coordinates"]?.items,
            point.count >= 2
        {
            members["location"] = .object(["lat": point[1], "lon": point[0]])
        }
        return .object(members)
    }

    private static func entry(_ report: NewRoadReport, _ owner: String, _ id: String) -> [String: JSON] {
        func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        return [
            "source": .string(owner), "source_id": .string(id),
            "kind": .string(report.kind.rawValue), "road_type": text(report.roadType?.rawValue),
            "title": .string(report.title), "text": text(report.text), "road": text(report.road),
            "department": text(report.department), "lat": .number(report.location.lat),
            "lon": .number(report.location.lon),
        ]
    }

    private static func checked(_ text: String?, _ name: String, upTo most: Int) throws -> String {
        guard let text, let line = try? Texts.line(text, upTo: most) else {
            throw Problem(
                .unprocessable, "validation_failed", fields: [Problem.WrongField(name, "invalid_value")])
        }
        return line
    }

    private static func id(_ json: JSON) -> String? {
        switch json {
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: nil
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard let problem = error as? Problem else { return "\(error)" }
        return problem.fields.map { "\($0.field): \($0.code)" }.joined(separator: ", ")
    }
}

extension JSON {
    fileprivate var items: [JSON]? {
        guard case .array(let items) = self else { return nil }
        return items
    }

    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// What is null is not there.
    fileprivate subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self, let value = members[name], value != .null else { return nil }
        return value
    }
}
