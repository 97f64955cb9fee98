import Domain
import HTTP

/// What is kept sealed of a credential: the code as it was scanned, and what the courier says of it.
struct Credential: Equatable, Sendable {
    let raw: String
    /// Nil for a health certificate, which says what it is.
    let stated: Stated?

    /// What only the courier says.
    struct Stated: Equatable, Sendable {
        let kind: PaperKind
        let title: String
        let until: Moment?
    }

    /// What it is to a store.
    var kind: PaperKind { stated?.kind ?? .healthCertificate }

    init(raw: String, stated: Stated?) { (self.raw, self.stated) = (raw, stated) }

    /// What of it is sealed.
    var written: [UInt8] {
        var members: [String: JSON] = ["raw": .string(raw)]
        if let stated {
            members["kind"] = .string(stated.kind.rawValue)
            members["title"] = .string(stated.title)
            members["until"] = stated.until.map { .integer(Int($0.milliseconds)) }
        }
        return JSON.object(members).bytes
    }

    /// Reads what ``written`` gave; nil for anything else.
    init?(written: [UInt8]) {
        guard case .object(let members)? = JSON(written), case .string(let raw)? = members["raw"] else { return nil }
        self.raw = raw
        guard case .string(let name)? = members["kind"] else {
            stated = nil
            return
        }
        guard let kind = PaperKind(rawValue: name), case .string(let title)? = members["title"] else { return nil }
        var until: Moment?
        if case .integer(let milliseconds)? = members["until"] { until = Moment(milliseconds: Int64(milliseconds)) }
        stated = Stated(kind: kind, title: title, until: until)
    }
}
