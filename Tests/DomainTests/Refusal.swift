import Domain

/// Why it is refused, or nil when it is taken.
func refusal<Value>(_ read: () throws(InvalidValue) -> Value) -> InvalidValue? {
    do {
        _ = try read()
        return nil
    } catch {
        return error
    }
}
