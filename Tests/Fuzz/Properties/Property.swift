/// What must hold of a reader, whatever bytes a stranger sends it.
struct Property: Sendable, CustomStringConvertible {
    /// Its name, which is also that of its folder in the corpus.
    let name: String
    /// Throws ``Broken`` for bytes for which it does not hold.
    let check: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, _ check: @escaping @Sendable ([UInt8]) throws -> Void) {
        (self.name, self.check) = (name, check)
    }

    static let all = [
        requests, fields, queries, json, forms, cursors, codes, people, papers, pictures, sealed, rows, feeds,
    ]

    var description: String { name }
}

/// What did not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Goes on only if that holds.
func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    guard holds else { throw Broken(description: what()) }
}

/// Goes on only if the two are equal.
func require<Value: Equatable>(_ value: Value, is other: Value, _ what: String) throws {
    guard value == other else { throw Broken(description: "\(what): \(value) and not \(other)") }
}

extension Collection<UInt8> {
    /// The bytes as text, repaired where they are none.
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension StringProtocol {
    /// Bytes, since texts are equal already when they look the same.
    var bytes: [UInt8] { Array(utf8) }
}
