/// A list of what a client takes, each with how well it likes it (RFC 9110, 12.4.2).
public enum WeightedList {
    /// The values in lower case with their qualities, which are 1 where none is said, and 0 where none can be read. What comes
    /// after many is not read.
    public static func read(_ field: String) -> [(value: String, quality: Double)] {
        field.split(separator: ",").prefix(20).compactMap { item in
            let parts = item.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let value = parts.first else { return nil }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return (value, quality)
        }
    }
}
