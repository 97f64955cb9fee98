/// A budget of SMS of which most or all is used.
package struct BudgetUse: Sendable {
    /// Whose budget it is: `all`, `store`, or that of a number, which is `own` or a `stranger`.
    package let kind: String
    /// The store, or a hash of the number.
    package let subject: String
    /// How much of it is used.
    package let percent: Int

    /// As the database announces it.
    init?(announced text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, let percent = Int(words[1]) else { return nil }
        (kind, self.percent, subject) = (String(words[0]), percent, String(words[2]))
    }
}
