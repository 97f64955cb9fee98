extension JSON {
    /// The value in the one form that RFC 8785 gives it, so that whoever writes it anew has the same bytes. Every number is
    /// a double there.
    public var canonical: [UInt8] {
        var bytes: [UInt8] = []
        writeCanonical(to: &bytes)
        return bytes
    }

    private func writeCanonical(to bytes: inout [UInt8]) {
        switch self {
        case .null, .bool: bytes += self.bytes
        case .integer(let value): bytes += Self.canonical(Double(value)).utf8
        case .number(let value): bytes += Self.canonical(value).utf8
        case .string(let value): JSONWriter.appendString(value, to: &bytes)
        case .array(let items):
            bytes.append(UInt8(ascii: "["))
            for (place, item) in items.enumerated() {
                if place > 0 { bytes.append(.comma) }
                item.writeCanonical(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            // RFC 8785 orders by the units of UTF-16, in which some rare characters come before others that UTF-8 has first.
            // In ASCII there are none, and bytes are quicker.
            let isPlain = members.keys.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
            let ordered = members.sorted { one, other in
                isPlain
                    ? one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
                    : one.key.utf16.lexicographicallyPrecedes(other.key.utf16)
            }
            for (place, member) in ordered.enumerated() {
                if place > 0 { bytes.append(.comma) }
                JSONWriter.appendString(member.key, to: &bytes)
                bytes.append(.colon)
                member.value.writeCanonical(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// A number as ECMAScript writes it: the shortest digits that are read as the same number, with an exponent only
    /// where there would be many zeros.
    public static func canonical(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        precondition(value.isFinite, "JSON has no such number")
        let sign = value < 0 ? "-" : ""
        let (digits, point) = shortest(value.magnitude)
        let count = digits.count
        if (count...21).contains(point) { return sign + digits + String(repeating: "0", count: point - count) }
        if (1...21).contains(point) { return sign + digits.prefix(point) + "." + digits.dropFirst(point) }
        if (-5...0).contains(point) { return sign + "0." + String(repeating: "0", count: -point) + digits }
        let exponent = point > 0 ? "e+\(point - 1)" : "e\(point - 1)"
        return sign + digits.prefix(1) + (count > 1 ? "." : "") + digits.dropFirst() + exponent
    }

    /// The digits that matter, and how many of them stand before the point.
    private static func shortest(_ value: Double) -> (digits: String, point: Int) {
        let parts = value.description.split(separator: "e")
        let halves = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1])! : 0
        let all = halves.joined()
        let leading = all.prefix { $0 == "0" }.count
        let digits = String(all.dropFirst(leading).reversed().drop { $0 == "0" }.reversed())
        return (digits, halves[0].count - leading + exponent)
    }
}
