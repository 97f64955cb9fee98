import Curl
import Domain
import HTTP

/// Nominatim, OpenStreetMap's own geocoder.
enum Nominatim: GeocoderLanguage {
    /// Its public server wants no more than one question a second, and one at a time.
    static let bounds = RemoteService.Bounds(atOnce: 1, waiting: 4, secondsBetween: 1)
    /// How many degrees around a place are preferred.
    private static let width = 0.5

    static func path(of question: AddressQuestion) -> String {
        let wanted = percentEncoded(question.words)
        var path = "/search?format=jsonv2&addressdetails=1&limit=\(AddressQuestion.most)&q=\(wanted)"
        path += "&accept-language=\(question.language.rawValue)"
        if let (lat, lon) = question.around {
            path += "&viewbox=\(lon - width),\(lat + width),\(lon + width),\(lat - width)"
        }
        return path
    }

    static func addresses(in answer: JSON) throws -> [FoundAddress] {
        guard case .array(let found) = answer else { throw NotUnderstood() }
        return found.lazy.prefix(AddressQuestion.most).compactMap(address)
    }

    private static func address(_ found: JSON) -> FoundAddress? {
        func said(_ names: String...) -> String? { names.lazy.compactMap { found["address"]?[$0]?.text }.first }
        let street = said("road", "pedestrian", "square").flatMap {
            FoundAddress.joined([$0, said("house_number")], by: " ")
        }
        let town = said("city", "town", "village", "municipality", "hamlet")
        let name = found["name"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        return FoundAddress(
            name: name ?? (street == nil ? found["display_name"]?.text : nil), street: street,
            town: [said("postcode"), town], lat: found["lat"]?.text.flatMap(Double.init),
            lon: found["lon"]?.text.flatMap(Double.init))
    }
}
