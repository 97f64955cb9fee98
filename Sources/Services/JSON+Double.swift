import HTTP

extension JSON {
    /// The number, if it is one.
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The number, if it is one that something can have: a distance, or a time.
    var amount: Double? { double.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil } }

    /// What is in the list, if it is one.
    var list: [JSON]? {
        guard case .array(let items) = self else { return nil }
        return items
    }
}
