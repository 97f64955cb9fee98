/// A picture that hangs on a step.
public struct HungPicture: Equatable, Sendable {
    public let id: ID
    /// The hash of its bytes, in hexadecimal.
    public let sha256: String
    /// Whether the recipient wrote its name there.
    public let isSignature: Bool

    /// A picture with that hash.
    public init(id: ID, sha256: String, isSignature: Bool = false) {
        (self.id, self.sha256, self.isSignature) = (id, sha256, isSignature)
    }
}
