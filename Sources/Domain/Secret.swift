/// A value that never shows itself where values are printed: in logs, in messages of tests, in a debugger.
public protocol Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What is shown in its place.
    static var shownAs: String { get }
}

extension Secret {
    /// What is shown in its place.
    public var description: String { Self.shownAs }
    /// What is shown in its place.
    public var debugDescription: String { Self.shownAs }
    /// Without children, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
