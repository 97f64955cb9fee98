import Domain

/// Why the value is refused, or nil when it is accepted.
func refusal<Value>(_ read: () throws(InvalidValue) -> Value) -> InvalidValue? {
    do {
        _ = try read()
        return nil
    } catch {
        return error
    }
}
