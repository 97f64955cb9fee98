import HTTP

extension JSON {
    /// The text, if it is one.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number, if it is one.
    package var number: Int? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The member with that name.
    package subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }
}
