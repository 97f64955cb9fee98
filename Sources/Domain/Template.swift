/// Text with places for arguments.
///
/// - `{name}` is the argument.
/// - `{name:one,few,many}` is the form that goes with the argument's number.
/// - `[A|B]` is A if all arguments in it are there, else B by the same rule, else nothing.
struct Template: Sendable {
    private let pieces: [Piece]

    init(_ text: String) {
        var rest = text[...]
        pieces = Piece.read(&rest)
        precondition(rest.isEmpty, "a bar or bracket that nothing opens in the template: \(text)")
    }

    /// The names of the arguments that it has places for.
    var arguments: Set<String> { Set(pieces.flatMap(\.arguments)) }

    /// The text with the arguments in their places. An empty argument counts as missing.
    func filled(with arguments: [String: String], plural: (Int) -> Int) -> String {
        let given = arguments.values.contains("") ? arguments.filter { !$0.value.isEmpty } : arguments
        return pieces.reduce(into: "") { $0 += $1.filled(with: given, plural: plural) }
    }
}

private enum Piece {
    case text(String)
    case argument(String)
    case form(of: String, forms: [String])
    case choice([[Piece]])

    /// Reads up to the bar or bracket that ends a part, or the end.
    static func read(_ rest: inout Substring) -> [Piece] {
        var pieces: [Piece] = []
        while let next = rest.first, next != "|", next != "]" {
            switch next {
            case "{": pieces.append(readPlace(&rest))
            case "[": pieces.append(readChoice(&rest))
            default:
                let text = rest.prefix { !"{[|]".contains($0) }
                pieces.append(.text(String(text)))
                rest = rest.dropFirst(text.count)
            }
        }
        return pieces
    }

    private static func readPlace(_ rest: inout Substring) -> Piece {
        let inside = rest.dropFirst().prefix { $0 != "}" }
        rest = rest[inside.endIndex...].dropFirst()
        let parts = inside.split(separator: ":").map(String.init)
        guard parts.count == 2 else { return .argument(String(inside)) }
        return .form(of: parts[0], forms: parts[1].split(separator: ",").map(String.init))
    }

    private static func readChoice(_ rest: inout Substring) -> Piece {
        var parts: [[Piece]] = []
        repeat {
            rest.removeFirst()
            parts.append(read(&rest))
        } while rest.first == "|"
        precondition(rest.first == "]", "a bracket in a template is never closed")
        rest.removeFirst()
        return .choice(parts)
    }

    var arguments: [String] {
        switch self {
        case .text: []
        case .argument(let name), .form(of: let name, forms: _): [name]
        case .choice(let parts): parts.joined().flatMap(\.arguments)
        }
    }

    func filled(with arguments: [String: String], plural: (Int) -> Int) -> String {
        switch self {
        case .text(let text): return text
        case .argument(let name): return arguments[name] ?? ""
        case .form(of: let name, let forms):
            guard let number = arguments[name].flatMap(Int.init) else { return forms.last ?? "" }
            return forms[plural(number)]
        case .choice(let parts):
            let chosen = parts.first { part in part.flatMap(\.arguments).allSatisfy { arguments[$0] != nil } }
            return (chosen ?? []).map { $0.filled(with: arguments, plural: plural) }.joined()
        }
    }
}
