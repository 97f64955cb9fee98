import Curl
import Domain
import HTTP

/// Photon, as of komoot: it completes what is typed.
enum Photon: GeocoderLanguage {
    static let bounds = RemoteService.Bounds()
    /// It refuses others, and without one it tells names as people call things there.
    private static let languages: Set = ["en", "de", "fr"]

    static func path(of question: AddressQuestion) -> String {
        var path = "/api?q=\(percentEncoded(question.words))&limit=\(AddressQuestion.most)"
        if let near = question.around { path += "&lat=\(near.lat)&lon=\(near.lon)" }
        if languages.contains(question.language.rawValue) { path += "&lang=\(question.language.rawValue)" }
        return path
    }

    static func addresses(in answer: JSON) throws -> [FoundAddress] {
        guard case .array(let features)? = answer["features"] else { throw NotUnderstood() }
        return features.lazy.prefix(AddressQuestion.most).compactMap(address)
    }

    private static func address(_ feature: JSON) -> FoundAddress? {
        guard let place = feature["properties"], case .array(let point)? = feature["geometry"]?["coordinates"],
            point.count >= 2
        else { return nil }
        func said(_ name: String) -> String? { place[name]?.text }
        // A street has its name, a house has a street.
        let street = said("street").flatMap { FoundAddress.joined([$0, said("housenumber")], by: " ") }
        let town = said("city") ?? said("district") ?? said("county") ?? said("state")
        return FoundAddress(
            name: said("name"), street: street, town: [said("postcode"), town], lat: point[1].double,
            lon: point[0].double)
    }
}
