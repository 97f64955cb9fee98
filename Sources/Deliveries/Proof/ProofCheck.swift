import Crypto
import Domain
import HTTP

/// Looks, without a server, whether a proof holds, and what it says.
package struct ProofCheck: Sendable {
    /// One thing that was looked at.
    package struct Finding: Sendable, Equatable {
        package let holds: Bool
        package let what: String
    }

    package let keyID: String
    package let bundle: JSON
    private let signature: [UInt8]
    private let disclosures: [String: JSON]

    /// Reads a file of `GET /v1/deliveries/{id}/proof`; nil if it is none.
    package init?(_ file: [UInt8]) {
        guard case .object(let members)? = JSON(file), case .object(let disclosures)? = members["disclosures"],
            case .string(let signature)? = members["signature"], case .string(let keyID)? = members["key_id"],
            let bundle = members["bundle"], let bytes = Base64URL.decode(signature)
        else { return nil }
        (self.keyID, self.bundle, self.signature, self.disclosures) = (keyID, bundle, bytes, disclosures)
    }

    /// The public keys of a JWKS, by their names, which follow from them; nil if it is none.
    package static func keys(_ file: [UInt8]) -> [String: [UInt8]]? {
        guard case .object(let members)? = JSON(file), case .array(let keys)? = members["keys"] else { return nil }
        let known = keys.compactMap { key -> [UInt8]? in
            guard case .object(let members) = key, members["crv"] == .string("Ed25519"),
                case .string(let text)? = members["x"], let bytes = Base64URL.decode(text), bytes.count == 32
            else { return nil }
            return bytes
        }
        return Dictionary(known.map { (Ed25519.name(of: $0), $0) }) { first, _ in first }
    }

    /// Whether it was signed by one of these keys.
    package func signed(by keys: [String: [UInt8]]) -> Finding {
        guard let key = keys[keyID] else {
            return Finding(holds: false, what: "signed by the key \(keyID), which is none of those that were given")
        }
        return Ed25519.isSigned(bundle.canonical, by: key, signature)
            ? Finding(holds: true, what: "signed by the key \(keyID)")
            : Finding(
                holds: false, what: "changed after it was signed, or signed by somebody else than the key \(keyID)")
    }

    /// Whether what is told of people is what was signed. What was erased says nothing, and is no fault.
    package var told: [Finding] {
        parts.map { place, value in
            Finding(holds: value != nil, what: "\(place): \(value.map(Self.text) ?? "not what was signed")")
        }
    }

    /// What is told of people as it was signed, each under its name, in lines as they are written on paper.
    package var disclosed: [(name: String, lines: [String])] {
        parts.compactMap { place, value in
            value.map { (String(place.split(separator: "/").last ?? ""), Self.lines($0)) }
        }
    }

    /// What is told of people, by its place; nothing where it is not what was signed.
    private var parts: [(place: String, value: JSON?)] {
        disclosures.sorted { $0.key < $1.key }.map { place, disclosure in
            let hash = JSON.object(["sha256": .string(Personal.hash(of: disclosure.canonical))])
            guard Self.value(at: place, in: bundle) == hash,
                case .array(let parts) = disclosure, parts.count == 2
            else { return (place, nil) }
            return (place, parts[1])
        }
    }

    /// A step as everybody may read it.
    package struct Step: Sendable {
        package let at, action, actorKind, actor: String
        package let isPinRight: Bool?
        package let collected: Money?
    }

    /// The delivery that it is about.
    package var delivery: String { Self.text(at: "/delivery_id", in: bundle) }

    /// What was done, when and by whom, in order.
    package var steps: [Step] {
        guard case .array(let steps)? = Self.value(at: "/steps", in: bundle) else { return [] }
        return steps.map { step in
            Step(
                at: Self.text(at: "/at", in: step), action: Self.text(at: "/action", in: step),
                actorKind: Self.text(at: "/actor/kind", in: step), actor: Self.text(at: "/actor/id", in: step),
                isPinRight: Self.value(at: "/pin_matched", in: step).map { $0 == .bool(true) },
                collected: Self.money(at: "/cash_collected", in: step))
        }
    }

    private static func money(at place: String, in step: JSON) -> Money? {
        guard case .integer(let amount)? = value(at: place + "/amount", in: step) else { return nil }
        return try? Money(Int64(amount), text(at: place + "/currency", in: step))
    }

    /// What it says for everybody to read: which delivery, whose, and what was done when and by whom.
    package var said: [String] {
        ["delivery \(delivery) of store \(Self.text(at: "/store/id", in: bundle))"]
            + steps.map { step in
                let pin = step.isPinRight.map { $0 ? ", PIN right" : ", PIN wrong" } ?? ""
                return "\(step.at) \(step.action) by \(step.actorKind) \(step.actor)\(pin)"
            }
    }

    /// The pictures that it names, with their hashes.
    package var pictures: [(id: String, sha256: String)] {
        Self.objects(in: bundle).compactMap { members in
            guard case .string(let id)? = members["id"], case .string(let sha256)? = members["sha256"] else {
                return nil
            }
            return (id, sha256)
        }
    }

    /// Whether these files, by their names, are the pictures that it names. A picture is found by its id or by its hash.
    package func shown(_ files: [(name: String, bytes: [UInt8])]) -> [Finding] {
        let hashed = files.map { (stem: $0.name.prefix { $0 != "." }, hash: hexadecimal(SHA256.hash($0.bytes))) }
        return pictures.map { id, sha256 in
            if hashed.contains(where: { $0.hash == sha256 }) {
                return Finding(holds: true, what: "picture \(id): as signed")
            }
            return hashed.contains { $0.stem == id || $0.stem == sha256 }
                ? Finding(holds: false, what: "picture \(id): changed after it was signed")
                : Finding(holds: false, what: "picture \(id): not among the files")
        }
    }

    private static func objects(in value: JSON) -> [[String: JSON]] {
        switch value {
        case .object(let members): [members] + members.sorted { $0.key < $1.key }.flatMap { objects(in: $0.value) }
        case .array(let items): items.flatMap(objects)
        default: []
        }
    }

    private static func value(at place: String, in value: JSON) -> JSON? {
        place.split(separator: "/").reduce(value) { value, name in
            switch value {
            case .object(let members)?: members[String(name)]
            case .array(let items)?: Int(name).flatMap { items.indices.contains($0) ? items[$0] : nil }
            default: nil
            }
        }
    }

    private static func text(at place: String, in value: JSON) -> String {
        Self.value(at: place, in: value).map(text) ?? ""
    }

    /// A person with address and number, a place, or a text.
    private static func lines(_ value: JSON) -> [String] {
        guard case .object = value else { return [text(value)] }
        func joined(_ places: [String], by separator: String) -> String {
            places.compactMap { Self.value(at: $0, in: value) }.filter { $0 != .null }.map(text)
                .joined(separator: separator)
        }
        return [
            joined(["/first_name", "/last_name"], by: " "), joined(["/address"], by: ""), joined(["/phone"], by: ""),
            joined(["/lat", "/lon", "/location/lat", "/location/lon"], by: ", "),
        ].filter { !$0.isEmpty }
    }

    private static func text(_ value: JSON) -> String {
        if case .string(let text) = value { return text }
        return String(decoding: value.canonical, as: UTF8.self)
    }
}
