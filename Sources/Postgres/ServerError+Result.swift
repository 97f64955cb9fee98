import CLibpq

extension ServerError {
    /// What a result says; nil when libpq made it up because the connection broke, or the server ended the session.
    init?(_ result: OpaquePointer) {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        guard let code = field("C"), let severity = field("V"), severity == "ERROR" else { return nil }
        self.init(state: SQLState(code), message: field("M") ?? "", constraint: field("n"))
    }
}
