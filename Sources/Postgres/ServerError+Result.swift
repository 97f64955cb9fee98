import CLibpq

extension ServerError {
    /// The error of a result; nil if libpq made it up because the connection broke, or if the server ended the session.
    init?(_ result: OpaquePointer?) {
        guard let code = ErrorField.state.value(in: result), ErrorField.severity.value(in: result) == "ERROR" else {
            return nil
        }
        let message = ErrorField.message.value(in: result) ?? ""
        self.init(state: SQLState(code), message: message, constraint: ErrorField.constraint.value(in: result))
    }
}

/// The letters of PG_DIAG_…, which are character macros that Swift does not import.
enum ErrorField: Unicode.Scalar {
    case severity = "V"
    case state = "C"
    case message = "M"
    case position = "P"
    case constraint = "n"

    func value(in result: OpaquePointer?) -> String? {
        PQresultErrorField(result, Int32(rawValue.value)).map { String(cString: $0) }
    }
}
