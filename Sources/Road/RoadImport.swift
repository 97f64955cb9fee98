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

    /// Reads a file. `source` is whose entries are that do not say it.
    package init(_ file: [UInt8], source: String, withRadars: Bool) throws {
        (kinds, self.source) = (RoadKind.all(withRadars: withRadars), source)
        guard let json = JSON(file), let items = Self.items(json) else { throw NotUnderstood() }
        named[source] = []
        for (place, item) in items.enumerated() { take(item, number: place + 1) }
    }

    private static func items(_ json: JSON) -> [JSON]? {
        switch json {
        case .array(let items): items
        case .object(let members): (members["features"] ?? members["items"])?.items
        default: nil
        }
    }

    private mutating func take(_ item: JSON, number: Int) {
        guard case .object(let members) = Self.flat(item) else {
            return wrong.append((number, "it is no object"))
        }
        let owner = members["source"]?.text ?? source
        do {
            let report: NewRoadReport = try Fields.read(members)
            guard kinds.contains(report.kind) else { return wrong.append((number, "kind: radars are off")) }
            let entry = try Self.entry(report, owner, members["source_id"])
            let id = entry["source_id"]?.text ?? ""
            guard named[owner, default: []].insert(id).inserted else {
                return wrong.append((number, "source_id: \(owner) has said that already"))
            }
            entries.append(.object(entry))
        } catch {
            if let id = members["source_id"].flatMap(Self.id) { named[owner, default: []].insert(id) }
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

    /// An entry without an id is known by what it says, so that it stands once however often the file is imported.
    private static func entry(_ report: NewRoadReport, _ owner: String, _ id: JSON?) throws -> [String: JSON] {
        let place = "\(report.location.lat),\(report.location.lon)"
        let id =
            try id.map { try checked(Self.id($0), "source_id", upTo: Bounds.roadSourceID) }
            ?? "\(report.kind.rawValue) \(place) \(report.title)"
        func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
        return [
            "source": .string(try checked(owner, "source", upTo: Bounds.roadSource)), "source_id": .string(id),
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

    fileprivate subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }
}
