/// A value that is made when somebody first wants it, and then is the same for all.
public final class Once<Value: Sendable>: Sendable {
    private let made = Locked<Value?>(nil)
    private let make: @Sendable () -> Value

    /// Makes it by `make`, while whoever else wants it waits.
    public init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    /// The value.
    public var value: Value {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
