import Domain
import EventLoop
import HTTP

/// What somebody looks for who types an address.
public struct AddressQuestion: Sendable {
    /// What was typed.
    public let text: String
    /// Near where it probably is.
    public let near: Location?
    /// What the answer is to be in, if the geocoder speaks it.
    public let language: Language

    /// How many addresses are asked for.
    static let most = 10

    /// A question about that text.
    public init(_ text: String, near: Location?, in language: Language) {
        (self.text, self.near, self.language) = (text, near, language)
    }

    /// Whether it is worth asking: fewer than three letters mean everything.
    public var isWorthAsking: Bool { text.count { $0.isLetter } >= 3 }

    /// The text as it is asked for. Whoever types it otherwise gets the same answer.
    var words: String { text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ") }

    /// The place to the hundredth degree: nobody else need know more, and neighbours share an answer.
    var around: (lat: Double, lon: Double)? {
        near.map { (($0.lat * 100).rounded() / 100, ($0.lon * 100).rounded() / 100) }
    }
}

/// An address that a geocoder knows.
public struct FoundAddress: Equatable, Sendable {
    /// What is there, or the street and number.
    public let name: String
    /// The street and number, and the town.
    public let address: String
    /// Where it is.
    public let location: Location

    /// That address, there.
    public init(name: String, address: String, location: Location) {
        (self.name, self.address, self.location) = (name, address, location)
    }
}

/// How one speaks with a geocoder.
protocol GeocoderLanguage: Sendable {
    /// How much its operators let be asked.
    static var bounds: RemoteService.Bounds { get }
    /// The path and query of a question.
    static func path(of question: AddressQuestion) -> String
    /// What an answer says, as far as it can be true.
    static func addresses(in answer: JSON) throws -> [FoundAddress]
}

/// It answered something else than the geocoder would.
struct NotUnderstood: Error {}

/// Finds addresses, mostly by a geocoder far away, and keeps its answers for a day.
public final class Geocoder: Sendable {
    /// Which one it is.
    public let name: String
    private let sameness: @Sendable (AddressQuestion) -> String
    private let finds: @Sendable (AddressQuestion) async -> [FoundAddress]?
    private let kept = Kept<[FoundAddress]>(for: .seconds(86_400), most: 4096)

    /// One by that name, which finds what `finds` gives. Questions of the same `sameness` have one answer.
    public init(
        _ name: String, sameness: @escaping @Sendable (AddressQuestion) -> String,
        finds: @escaping @Sendable (AddressQuestion) async -> [FoundAddress]?
    ) {
        (self.name, self.sameness, self.finds) = (name, sameness, finds)
    }

    /// One far away.
    convenience init(_ kind: GeocoderPlace.Kind, _ service: RemoteService) {
        let speaks = kind.language
        self.init(kind.rawValue, sameness: { speaks.path(of: $0) }) { question in
            await service.ask(speaks.path(of: question), read: { try speaks.addresses(in: $0) })
        }
    }

    /// What was answered before, within a day.
    public func known(_ question: AddressQuestion) -> [FoundAddress]? {
        kept.answer(to: sameness(question))
    }

    /// The addresses that may be meant; nil if it does not say so within two seconds.
    public func find(_ question: AddressQuestion) async -> [FoundAddress]? {
        let key = sameness(question)
        if let known = kept.answer(to: key) { return known }
        guard let found = await finds(question) else { return nil }
        kept.keep(found, to: key)
        return found
    }
}

extension FoundAddress {
    /// An address as it was told; nil if there can be none like that.
    init?(name: String?, street: String?, town: [String?], lat: Double?, lon: Double?) {
        guard let lat, let lon, let location = Location(lat: lat, lon: lon) else { return nil }
        let first = street ?? name
        let parts = [first, Self.joined(town, by: " ")].compactMap(\.self).filter { !$0.isEmpty }
        guard let title = Self.told(name ?? street ?? parts.first, upTo: Domain.Bounds.storeName),
            let address = Self.told(parts.joined(separator: ", "), upTo: Domain.Bounds.address)
        else { return nil }
        (self.name, self.address, self.location) = (title, address, location)
    }

    /// Parts that were told, one after the other.
    static func joined(_ parts: [String?], by separator: String) -> String? {
        let parts = parts.compactMap(\.self).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: separator)
    }

    /// One line of a text that may be anything; nil if it is no name of anything. Nobody lives behind a bracket of markup.
    private static func told(_ text: String?, upTo most: Int) -> String? {
        guard let text, !text.contains(where: { "<>".contains($0) }) else { return nil }
        return try? Texts.line(String(text.prefix(most)), upTo: most)
    }
}
