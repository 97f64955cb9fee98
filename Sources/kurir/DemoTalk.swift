import Curl
import Domain
import Glibc
import HTTP
import Simulation

/// What people of a demo say beside their deliveries: whoever tries it finds something to read, and is answered.
struct DemoTalk {
    /// Seconds between two looks at what was answered.
    private static let pause: UInt32 = 4

    private let cast: Cast
    private var stage: ServerStage
    private let store = Person.store(Cast.visitors.store)

    init(_ stage: ServerStage, _ cast: Cast) { (self.stage, self.cast) = (stage, cast) }

    /// Who talks with the store, and how.
    private var talks: [(courier: Int, talk: SmallTalk)] {
        Array(zip(cast.stores[Cast.visitors.store].partners, SmallTalk.all))
    }

    /// Begins, and goes on for ever.
    mutating func goOn() {
        for (courier, talk) in talks { try? begin(talk, with: courier) }
        try? tellNews()
        while true {
            for (courier, talk) in talks where courier != Cast.visitors.courier {
                try? answer(as: .courier(courier), talk.answer)
            }
            sleep(Self.pause)
        }
    }

    /// Each reads before it answers, so that only the last line is new.
    private mutating func begin(_ talk: SmallTalk, with courier: Int) throws {
        let courier = Person.courier(courier)
        let path = "/v1/conversations/with/\(try stage.id(of: store))"
        guard let id = try stage.send("PUT", path, [:], as: courier).json?["id"]?.text else { return }
        for (place, line) in talk.lines.enumerated() {
            let author = place % 2 == 0 ? courier : store
            if place > 0 {
                try stage.send("PUT", "/v1/conversations/\(id)/read", ["up_to": .integer(place)], as: author)
            }
            try say(line, in: id, as: author)
        }
    }

    /// Answers what has not been read.
    private mutating func answer(as courier: Person, _ text: String) throws {
        for talk in try stage.get("/v1/conversations", as: courier).items {
            guard talk["unread"]?.number ?? 0 > 0, let id = talk["id"]?.text,
                let seq = talk["last_message"]?["seq"]?.number
            else { continue }
            try stage.send("PUT", "/v1/conversations/\(id)/read", ["up_to": .integer(seq)], as: courier)
            try say(text, in: id, as: courier)
        }
    }

    private mutating func say(_ text: String, in id: String, as person: Person) throws {
        try stage.send("POST", "/v1/conversations/\(id)/messages", ["text": .string(text)], as: person)
    }

    /// A courier reports what it meets on the road, and the store tells its couriers something.
    private mutating func tellNews() throws {
        let door = Town.door(of: cast.stores[Cast.visitors.store].address).location
        let works: [String: JSON] = [
            "kind": .string("roadworks"), "road_type": .string("city"),
            "title": .string("Radovi na cijevima, jedan trak"),
            "road": .string("Ilica"), "location": .object(["lat": .number(door.lat), "lon": .number(door.lon)]),
        ]
        if let courier = talks.last?.courier { try stage.send("POST", "/v1/roads", works, as: .courier(courier)) }
        let news: [String: JSON] = [
            "title": .string("U subotu otvaramo u šest"),
            "text": .string("Narudžbe za subotu preuzimaju se od šest ujutro, na stražnjem ulazu."),
        ]
        try stage.send("POST", "/v1/bulletin", news, as: store)
    }
}
