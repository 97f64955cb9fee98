import Domain

/// The account that a request is made for, as its session tells.
package struct Caller: Hashable, Sendable {
    /// The account.
    package let account: ID
    /// What kind of account it is.
    package let kind: AccountKind
    /// The session by which it is known.
    package let session: ID
    /// The language of its problems and messages.
    package let language: Language
    /// Whether an operator has let it begin, where stores have to wait for that.
    package var isApproved = true
}

/// Who may call an endpoint.
package enum Access: Hashable, Sendable {
    case anyone
    case signedIn
    case only(AccountKind)
    /// Gateways, by their key.
    case gateway

    package static let store = Access.only(.store)
    package static let courier = Access.only(.courier)

    func admits(_ kind: AccountKind) -> Bool {
        switch self {
        case .anyone, .signedIn: true
        case .gateway: false
        case .only(let admitted): admitted == kind
        }
    }
}
