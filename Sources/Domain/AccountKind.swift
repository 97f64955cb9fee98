/// What kind of account it is.
public enum AccountKind: String, CaseIterable, Sendable {
    case store
    case courier
}
