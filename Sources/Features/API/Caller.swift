import Domain

/// The account that a request is made for, as its session tells.
public struct Caller: Hashable, Sendable {
    /// The account.
    public let account: ID
    /// What kind of account it is.
    public let kind: AccountKind
    /// The session by which it is known.
    public let session: ID
    /// What its problems and messages are written in.
    public let language: Language
}

/// Who may call an endpoint.
public enum Access: Hashable, Sendable {
    case anyone
    case signedIn
    case only(AccountKind)
    /// Gateways, by their key.
    case gateway

    static let store = Access.only(.store)
    static let courier = Access.only(.courier)

    func admits(_ kind: AccountKind) -> Bool {
        switch self {
        case .anyone, .signedIn: true
        case .gateway: false
        case .only(let admitted): admitted == kind
        }
    }
}
