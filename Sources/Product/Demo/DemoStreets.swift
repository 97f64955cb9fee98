import Domain
import Services
import Simulation

/// The addresses of a demo's town, for whoever types one.
enum DemoStreets {
    static let geocoder = Geocoder("demo", sameness: \.text) { addresses(of: $0.text) }

    /// The door with that number in the streets that begin so, or its first one.
    static func addresses(of text: String) -> [FoundAddress] {
        var words = text.prefix { $0 != "," }.split(separator: " ")
        let number = words.last.flatMap { Int($0) }
        if number != nil { words.removeLast() }
        let typed = plain(words.joined(separator: " "))
        guard !typed.isEmpty, (1...999).contains(number ?? 1) else { return [] }
        return Town.streets.filter { plain($0).hasPrefix(typed) }.map { street in
            let door = ([street] + (number.map { [String($0)] } ?? [])).joined(separator: " ")
            return FoundAddress(name: door, address: "\(door), Zagreb", location: Town.door(of: door).location)
        }
    }

    /// As who is in a hurry types it.
    private static func plain(_ text: String) -> String {
        let letters: [Character: Character] = ["č": "c", "ć": "c", "đ": "d", "š": "s", "ž": "z"]
        return String(text.lowercased().map { letters[$0] ?? $0 })
    }
}
