import Domain
import EventLoop
import TestSupport
import Testing

@testable import Services

/// Geocoders as they answer, and as they should not.
@Suite(.timeLimit(.minutes(10))) struct GeocoderTests {
    private static let zagreb = Location(lat: 45.8132, lon: 15.9772)!
    private static let kinds = GeocoderPlace.Kind.allCases

    private func question(_ text: String = "Ilica 1", _ language: Language = .fallback) -> AddressQuestion {
        AddressQuestion(text, near: Self.zagreb, in: language)
    }

    @Test(arguments: kinds) func `an address is found with its place`(_ kind: GeocoderPlace.Kind) async throws {
        try await Services.running { services in
            let geocoder = services.geocoder(kind)
            let found = try #require(await geocoder.find(question("muzej obrt")))
            let museum = FoundAddress(
                name: "Muzej za umjetnost i obrt", street: "Trg Republike Hrvatske 10", town: ["10000", "Zagreb"],
                lat: 45.80935, lon: 15.96856)
            #expect(found == [museum])
            #expect(found.first?.address == "Trg Republike Hrvatske 10, 10000 Zagreb")
            let houses = try #require(await geocoder.find(question()))
            #expect(houses.map(\.name) == ["Ilica 1", "Ilica 10"])
            #expect(houses.map(\.address) == ["Ilica 1, 10000 Zagreb", "Ilica 10, 10000 Zagreb"])
            #expect(houses.first?.location == Location(lat: 45.81302, lon: 15.97726))
            #expect(await geocoder.find(question("nowhere")) == [])
            #expect(services.heard.counts == ["geocoder answered": 3] && services.heard.news.isEmpty)
        }
    }

    @Test(arguments: kinds, Language.known) func `it is asked in each language, by a name of one's own, roughly near`(
        _ kind: GeocoderPlace.Kind, _ language: Language
    ) async throws {
        try await Services.running { services in
            let text = "Žrtava fašizma & 7?#"
            let geocoder = services.geocoder(kind)
            #expect(
                await geocoder.find(AddressQuestion("Žrtava fašizma 7", near: Self.zagreb, in: language))?.count == 1)
            #expect(await geocoder.find(AddressQuestion(text, near: nil, in: language)) == [])
            let asked = services.far.asked
            #expect(asked.count == 2 && asked.allSatisfy { $0.contains(#""agent": "Kurir/test""#) })
            #expect(
                !asked[0].contains("45.813") && asked[0].contains(kind == .photon ? "lat=45.81&lon=15.98" : "viewbox="))
        }
    }

    @Test(arguments: kinds) func `what was answered is not asked again for a day, however it is typed`(
        _ kind: GeocoderPlace.Kind
    ) async throws {
        try await Services.running { services in
            let geocoder = services.geocoder(kind)
            let first = await geocoder.find(question("Ilica 1"))
            let near = AddressQuestion("  ILICA   1 ", near: Location(lat: 45.8099, lon: 15.9801), in: .fallback)
            #expect(await geocoder.find(near) == first && geocoder.known(near) == first)
            #expect(services.far.asked.count == 1)
            #expect(geocoder.known(question("Ilica 10")) == nil)
            try await services.far.toggle()
            #expect(await geocoder.find(question("Ilica 1")) == first)
            #expect(await geocoder.find(question("Ilica 10")) == nil)
            try await services.far.toggle()
            // A failure is not kept.
            #expect(await geocoder.find(question("Ilica 10"))?.count == 2)
            #expect(services.heard.news.map { $0.hasPrefix("geocoder failed") } == [true, false])
            #expect(services.heard.news.last == "geocoder answered")
        }
    }

    @Test(arguments: FarAway.wrongWays, kinds) func `one that goes wrong is no answer, and is told of once`(
        _ way: String, _ kind: GeocoderPlace.Kind
    ) async throws {
        try await Services.running { services in
            let geocoder = services.geocoder(kind, way)
            #expect(await geocoder.find(question()) == nil)
            if way != "slow", way != "endless" {
                #expect(await geocoder.find(question("Ilica 10")) == nil)
                #expect(services.heard.counts["geocoder failed"] == 2)
            }
            #expect(services.heard.news.count == 1)
            #expect(services.far.asked.allSatisfy { $0.contains(way) })
        }
    }

    @Test(arguments: ["lying", "marked"], kinds) func `what cannot be true is left out`(
        _ way: String, _ kind: GeocoderPlace.Kind
    ) async throws {
        try await Services.running { services in
            let geocoder = services.geocoder(kind, way)
            #expect(await geocoder.find(question()) == [])
        }
    }

    @Test func `Nominatim is asked once a second at most`() async throws {
        try await Services.running { services in
            let geocoder = services.geocoder(.nominatim, "right", .usual)
            let answered = await withTaskGroup(of: Bool.self) { group in
                for number in 1...10 { group.addTask { await geocoder.find(question("Ilica \(number)")) != nil } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            // Who waits for two seconds sees two of them go.
            #expect(answered <= 2 && services.far.asked.count <= 2)
            #expect(services.heard.counts["geocoder refused", default: 0] >= 8)
        }
    }

    @Test func `fewer than three letters are not worth asking`() {
        for (text, isWorth) in [
            ("", false), ("il", false), ("10000", false), ("u 5", false), ("ili", true), ("Šć ž", true),
        ] {
            #expect(AddressQuestion(text, near: nil, in: .fallback).isWorthAsking == isWorth, "\(text)")
        }
    }

    @Test(arguments: [
        ("photon:https://photon.komoot.io", "photon"), ("nominatim:http://[::1]:8080/nominatim/", "nominatim"),
        ("https://photon.komoot.io", nil), ("google:https://maps.example", nil), ("photon:", nil), ("photon", nil),
        ("photon:ftp://photon.example", nil), ("photon:https://", nil),
        ("photon:https://me:secret@photon.example", nil),
        ("photon:https://photon.example?key=1", nil), ("photon:https://photon.example#there", nil),
        ("photon:https://photon example", nil), ("photon:file:///etc/passwd", nil),
    ]) func `a geocoder is named by its kind and a URL`(_ text: String, _ kind: String?) {
        let place = GeocoderPlace(text)
        #expect(place?.kind.rawValue == kind)
        #expect(place?.url.text.hasSuffix("/") != true)
    }

    @Test func `answers are kept for their time, and the oldest are forgotten first`() {
        let kept = Kept<Int>(for: .seconds(3600), most: 8)
        for number in 1...100 { kept.keep(number, to: "\(number)") }
        #expect((1...100).filter { kept.answer(to: "\($0)") != nil }.count <= 8)
        #expect((97...100).allSatisfy { (number: Int) in kept.answer(to: "\(number)") == number })
        let fleeting = Kept<Int>(for: .zero, most: 8)
        fleeting.keep(1, to: "one")
        #expect(fleeting.answer(to: "one") == nil)
    }
}
