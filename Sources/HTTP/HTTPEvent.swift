/// What can be observed of the server; logs and metrics each choose what to show.
public enum HTTPEvent: Sendable {
    /// A request was answered, or its client left before.
    case answered(Summary)
    /// A handler threw something that is no problem: an error of ours.
    case failed(requestID: String, route: String, error: String)
    /// A connection was turned away, for there are too many.
    case turnedAway
    /// A connection was closed in the middle of an answer, for too much waited to be read.
    case cutOff
    /// Connections cannot be accepted for the moment, as when files run out.
    case cannotAccept(String)

    /// What there is to know of a request that is over.
    public struct Summary: Sendable {
        /// The method, as sent; nil when it could not be read.
        public let method: String?
        /// The route's template; nil when there was none.
        public let route: String?
        /// The status.
        public let status: Int
        /// From the last byte of the request to the answer's last that was written.
        public let nanoseconds: Int64
        /// The request's id.
        public let requestID: String
        /// On whose behalf it was made.
        public let account: String?

        /// Everything there is to know of it.
        public init(
            method: String?, route: String?, status: Int, nanoseconds: Int64, requestID: String, account: String?
        ) {
            self.method = method
            self.route = route
            self.status = status
            self.nanoseconds = nanoseconds
            self.requestID = requestID
            self.account = account
        }
    }
}
