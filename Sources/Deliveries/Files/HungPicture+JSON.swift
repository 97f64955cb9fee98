import API
import Domain
import HTTP
import Postgres

/// The form in which the history keeps what hangs on a step.
extension HungPicture {
    func write(_ json: inout JSONWriter) {
        json.field("id", id)
        json.field("sha256", sha256)
        if isSignature { json.field("is_signature", true) }
    }

    /// Those that are kept there; none where nothing is.
    static func list(_ kept: JSON?) throws -> [HungPicture] {
        guard case .array(let items)? = kept else { return [] }
        return try items.map { item in
            guard case .object(let members) = item, case .string(let text)? = members["id"], let id = ID(text),
                case .string(let sha256)? = members["sha256"]
            else { throw PostgresError.unexpected("a picture that is none") }
            return HungPicture(id: id, sha256: sha256, isSignature: members["is_signature"] == .bool(true))
        }
    }
}
