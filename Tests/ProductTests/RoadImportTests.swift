import HTTP
import Testing

@testable import Road

/// Files of reports as they are read.
@Suite struct RoadImportTests {
    private func read(_ json: JSON, withRadars: Bool = true) throws -> RoadImport {
        try RoadImport(json.bytes, source: "test", withRadars: withRadars)
    }

    private static let entry: JSON = [
        "kind": "roadworks", "road_type": "city", "title": "Kopaju",
        "location": ["lat": .number(45.5), "lon": .number(15.5)],
        "source_id": "7",
    ]

    @Test func `GeoJSON and plain lists say the same`() throws {
        let feature: JSON = [
            "type": "Feature", "id": 7,
            "geometry": ["type": "Point", "coordinates": [.number(15.5), .number(45.5), 120]],
            "properties": Self.entry.without("location", "source_id"),
        ]
        let plain = try read([Self.entry])
        #expect(plain.entries.count == 1 && plain.wrong.isEmpty)
        for json in [["type": "FeatureCollection", "features": [feature]], feature, ["items": [Self.entry]]] as [JSON] {
            #expect(try read(json).entries == plain.entries)
        }
        #expect(plain.entries[0]["lat"] == .number(45.5) && plain.entries[0]["lon"] == .number(15.5))
        #expect(plain.entries[0]["source"] == "test" && plain.entries[0]["source_id"] == "7")
    }

    @Test func `bad entries are told by their numbers, and are not taken for gone`() throws {
        let line: JSON = ["type": "LineString", "coordinates": [[15, 45], [16, 46]]]
        let file = try read([
            Self.entry, 7, Self.entry.with(["title": "", "source_id": "8"]), Self.entry,
            Self.entry.with(["source": "hak", "source_id": "7"]),
            [
                "type": "Feature", "id": "9", "geometry": line,
                "properties": Self.entry.without("location", "source_id"),
            ],
            Self.entry.with(["source_id": true]), Self.entry.with(["kind": "radar_stationary", "source_id": "10"]),
        ])
        #expect(file.entries.count == 3)
        #expect(
            file.wrong.map { "\($0.number) \($0.reason)" } == [
                "2 it is no object", "3 title: required", "4 source_id: test has said that already",
                "6 location: required", "7 source_id: invalid_value",
            ])
        #expect(file.named == ["test": ["7", "8", "9", "10"], "hak": ["7"]])
        let without = try read([Self.entry.with(["kind": "radar_stationary"])], withRadars: false)
        #expect(without.entries.isEmpty && without.wrong.map(\.reason) == ["kind: radars are off"])
    }

    @Test func `names of sources and ids are those that are kept`() throws {
        let file = try read([
            Self.entry.with(["source": "hak "]), Self.entry.with(["source": " hak", "source_id": " 7 "]),
            Self.entry.with(["source": "ha\0k"]), Self.entry.with(["source_id": "a\0"]),
            Self.entry.with(["source": nil, "title": ""]),
        ])
        #expect(file.entries.map { $0["source"] } == ["hak"])
        #expect(
            file.wrong.map { "\($0.number) \($0.reason)" } == [
                "2 source_id: hak has said that already", "3 source: invalid_value", "4 source_id: invalid_value",
                "5 title: required",
            ])
        #expect(file.named == ["hak": ["7"], "test": ["7"]])
    }

    @Test func `a file that says whose its entries are speaks for nobody else`() throws {
        func named(_ source: String?, _ json: JSON) throws -> [String: Set<String>] {
            try RoadImport(json.bytes, source: source, withRadars: true).named
        }
        let theirs: JSON = [Self.entry.with(["source": "hak"])]
        #expect(try named(nil, theirs) == ["hak": ["7"]])
        #expect(try named("ours", theirs) == ["hak": ["7"], "ours": []])
        #expect(try named(nil, [Self.entry]) == ["import": ["7"]])
        #expect(try named(nil, []) == ["import": []])
    }

    @Test func `what has no id is known by what it says`() throws {
        let nameless = Self.entry.without("source_id")
        let file = try read([nameless, nameless.with(["title": "Opet kopaju"]), nameless])
        #expect(file.entries.count == 2 && file.wrong.map(\.number) == [3])
        #expect(try read([nameless]).entries[0]["source_id"] == file.entries[0]["source_id"])
        // As long as that makes sense it is named, and has not gone.
        let broken = try read([nameless.with(["road_type": "ufo"]), nameless.with(["title": ""])])
        let name = try #require(file.entries[0]["source_id"].string)
        #expect(broken.entries.isEmpty && broken.named["test"] == [name])
    }

    /// Some programs begin a file so.
    @Test func `a mark of the encoding before the reports is passed over`() throws {
        let file = try RoadImport(Array("\u{feff}[]".utf8), source: "test", withRadars: true)
        #expect(file.entries.isEmpty && file.wrong.isEmpty)
    }

    @Test func `what is neither of the two is refused`() {
        for text in ["", "7", "{}", "[", #"{"features": 7}"#, "\u{feff}", "<rss/>"] {
            #expect(throws: RoadImport.NotUnderstood.self) {
                _ = try RoadImport(Array(text.utf8), source: "test", withRadars: true)
            }
        }
    }
}
