import Foundation
import HTTP

extension Property {
    /// JSON, which is read as Foundation reads it and refused when Foundation refuses it, but for what
    /// ``DeliberateDifference`` names; and written so that it is read the same.
    static let json = Property("json") { bytes in
        let theirs = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
        guard let ours = JSON(bytes) else {
            try require(theirs == nil || DeliberateDifference.of(bytes) != nil, "only Foundation reads it")
            return try text(bytes.text)
        }
        let written = ours.bytes
        guard let again = JSON(written) else { throw Broken(description: "cannot be read again: \(written.text)") }
        try require(again.bytes.text.bytes, is: written, "written again")
        try require(isSame(again, ours), "other values when read again: \(written.text)")
        guard let theirs else { return try require(DeliberateDifference.of(bytes) != nil, "only we read it") }
        // Foundation loses a byte order mark at the beginning of a text, and behind an escape.
        if bytes.text.unicodeScalars.contains("\u{feff}") { return }
        let known = JSON(theirs)
        try require(isSame(known, ours), "Foundation reads it as \(known), and we as \(ours)")
    }

    /// Any text is read as it was written.
    private static func text(_ text: String) throws {
        var bytes: [UInt8] = []
        JSONWriter.appendString(text, to: &bytes)
        guard case .string(let read)? = JSON(bytes) else { throw Broken(description: "no text: \(bytes.text)") }
        try require(read.bytes, is: text.bytes, "another text")
        var writer = JSONWriter(capacity: 1)
        writer.object { $0.field(name: text, text) }
        let object = "{\(bytes.text):\(bytes.text)}"
        try require(writer.bytes, is: object.bytes, "an object with it")
    }
}

/// Why JSON is refused that Foundation takes.
private enum DeliberateDifference {
    /// Another encoding than UTF-8, or a byte order mark.
    case encoding
    /// More than 32 levels.
    case depth
    /// An object that names a member twice.
    case repetition
    /// A comma behind the last item, which Foundation overlooks.
    case comma

    static func of(_ bytes: [UInt8]) -> DeliberateDifference? {
        guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0),
            !bytes.starts(with: [0xef, 0xbb, 0xbf])
        else { return .encoding }
        var outline = Outline(bytes: bytes)
        return outline.difference()
    }
}

/// Goes through JSON that Foundation takes, as far as it must be known to find a deliberate difference.
private struct Outline {
    let bytes: [UInt8]
    private var names: [Set<String>] = []
    private var last: UInt8?
    private var place = 0

    private static let blanks: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func difference() -> DeliberateDifference? {
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): names.append([])
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if last == UInt8(ascii: ",") { return .comma }
                names.removeLast()
            case UInt8(ascii: "\""): if isRepeatedName(string()) { return .repetition }
            default: break
            }
            if names.count > 32 { return .depth }
            if !Self.blanks.contains(bytes[place]) { last = bytes[place] }
            place += 1
        }
        return nil
    }

    /// The text with its quotes that begins here; its last quote is the new place.
    private mutating func string() -> [UInt8] {
        let start = place
        place += 1
        while bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return Array(bytes[start...place])
    }

    private mutating func isRepeatedName(_ string: [UInt8]) -> Bool {
        let next = bytes[(place + 1)...].first { !Self.blanks.contains($0) }
        let name = try? JSONSerialization.jsonObject(with: Data(string), options: .fragmentsAllowed)
        guard next == UInt8(ascii: ":"), let name = name as? String else { return false }
        return !names[names.count - 1].insert(name).inserted
    }
}

/// Whether two values are the same to the last byte; a whole number is the same as the number with a fraction of nothing.
private func isSame(_ one: JSON, _ other: JSON) -> Bool {
    switch (one, other) {
    case (.string(let one), .string(let other)): one.bytes == other.bytes
    case (.array(let one), .array(let other)): one.count == other.count && zip(one, other).allSatisfy(isSame)
    case (.object(let one), .object(let other)):
        one.count == other.count && one.allSatisfy { name, value in other[name].map { isSame(value, $0) } ?? false }
    case (.integer(let whole), .number(let number)), (.number(let number), .integer(let whole)):
        isNear(Double(whole), number)
    case (.number(let one), .number(let other)): isNear(one, other)
    default: one == other
    }
}

/// Foundation goes by way of decimals for long numbers, and may miss the nearest one by a little.
private func isNear(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= max(abs(one), abs(other)) * 0x1p-48 }

extension JSON {
    /// What Foundation read.
    fileprivate init(_ value: Any) {
        switch value {
        case let list as [Any]: self = .array(list.map(JSON.init))
        case let members as [String: Any]: self = .object(members.mapValues(JSON.init))
        case let text as String: self = .string(text)
        case let number as NSNumber: self = JSON(number: number)
        default: self = .null
        }
    }

    private init(number: NSNumber) {
        switch String(cString: number.objCType) {
        case "c": self = .bool(number.boolValue)
        case "q": self = .integer(number.intValue)
        default: self = .number(number.doubleValue)
        }
    }
}
