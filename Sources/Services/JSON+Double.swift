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

    /// The number, if it is one of metres or seconds that a way on this earth can have.
    var amount: Double? { double.flatMap { (0...1e8).contains($0) ? $0 : nil } }

    /// What is in the list, if it is one.
    var list: [JSON]? {
        guard case .array(let items) = self else { return nil }
        return items
    }
}
