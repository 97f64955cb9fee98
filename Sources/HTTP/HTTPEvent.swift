/// What can be observed of the server; logs and metrics each choose what to show.
public enum HTTPEvent: Sendable {
    /// A request was answered, or its client left before.
    case answered(Summary)
    /// A handler threw an error that is not a problem: a fault of ours.
    case failed(requestID: String, route: String, error: String)
    /// A connection was turned away, because there are too many.
    case turnedAway
    /// A connection was closed in the middle of an answer, because too much waited to be read.
    case cutOff
    /// A connection was closed before its handshake was over, as it did not keep to TLS, or not in time.
    case handshakeFailed
    /// Another certificate is in force from now on.
    case certificateRenewed
    /// The certificate's files have changed to what cannot be used, so the one before stays.
    case certificateRefused(String)
    /// Connections cannot be accepted for the moment, for example because files ran out.
    case cannotAccept(String)

    /// The facts about a finished request.
    public struct Summary: Sendable {
        /// The method, as sent; nil when it could not be read.
        public let method: String?
        /// The route's template; nil when there was none.
        public let route: String?
        /// The status.
        public let status: Int
        /// From the last byte of the request to its answer: of a stream, to its head, since how long it goes on is its reader's matter.
        public let nanoseconds: Int64
        /// The request's id.
        public let requestID: String
        /// The account for which it was made.
        public let account: String?

        /// The facts about a finished request.
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
