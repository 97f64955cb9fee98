import API
import Domain

/// What somebody reports of the road.
struct NewRoadReport: Form {
    let kind: RoadKind
    /// Conditions have one.
    let roadType: RoadType?
    let title: String
    let text, road, department: String?
    let location: Location

    init(_ fields: inout Fields) {
        let kinds = fields.choice("kind", RoadKind.allCases.map(\.rawValue), named: "RoadKind")
        let isKnown = !fields.refused("kind")
        kind = RoadKind(rawValue: kinds) ?? .danger
        roadType = (fields.optional("road_type") as RoadTypeField?)?.type
        if isKnown, !kind.isRadar, roadType == nil, !fields.refused("road_type") {
            fields.refuse("road_type", "required")
        }
        title = fields.line("title", upTo: Bounds.roadTitle)
        text = fields.optionalLine("text", upTo: Bounds.text, by: Texts.paragraph)
        road = fields.optionalLine("road", upTo: Bounds.road)
        department = fields.optionalLine("department", upTo: Bounds.roadDepartment)
        location = fields.required("location")
    }
}

/// The same where the law forbids to tell of speed traps.
struct NewRoadReportWithoutRadars: Form {
    let report: NewRoadReport

    init(_ fields: inout Fields) {
        report = NewRoadReport(&fields)
        if report.kind.isRadar, !fields.refused("kind") { fields.refuse("kind", "radars_off") }
    }
}

/// What a report of a file is known by that has no id there, so that it stands once however often the file is imported: also one whose
/// other fields make no sense.
struct RoadName: Form {
    let text: String

    init(_ fields: inout Fields) {
        let kind = fields.choice("kind", RoadKind.allCases.map(\.rawValue), named: "RoadKind")
        let title = fields.line("title", upTo: Bounds.roadTitle)
        let location: Location = fields.required("location")
        text = "\(kind) \(location.lat),\(location.lon) \(title)"
    }
}

/// The type of a road as a field.
private struct RoadTypeField: TextFieldValue {
    static let shape = RoadReport.typeShape
    static let example = RoadTypeField(type: .city)
    let type: RoadType

    init(type: RoadType) { self.type = type }

    init(_ text: String) throws(InvalidValue) {
        guard let type = RoadType(rawValue: text) else { throw InvalidValue("invalid_value") }
        self.type = type
    }
}
