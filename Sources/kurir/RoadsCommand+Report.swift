import HTTP

/// `kurir roads report`: what operators tell of the roads.
extension RoadsCommand {
    /// How many bytes a file of words of the road may have.
    private static let mostReportBytes = 8 << 20

    /// Publishes what a file says, one object or a list of them, as bulletins of the category `road`. What cannot be used is told with its
    /// number, and left out.
    static func report(_ settings: GivenSettings, in database: RunningDatabase) throws {
        guard let path = settings.text(.roadFile) else { throw UsageError("which file? kurir roads report FILE") }
        let source = try BulletinCommand.source(settings) ?? BulletinCommand.own
        let json = JSON(try BoundedFile.read(path, upTo: mostReportBytes))
        let said: [JSON]
        switch json {
        case .array(let list): said = list
        case .object: said = [json!]
        default: throw Refusal("\(path) has neither an object nor a list of objects of JSON")
        }
        var entries: [JSON] = []
        for (place, one) in said.enumerated() {
            do {
                entries.append(try entry(one))
            } catch {
                Told.trouble("report \(place + 1): \(error)")
            }
        }
        let connection = try database.connect()
        var added = 0
        for start in stride(from: 0, to: entries.count, by: 500) {
            let part = Array(entries[start..<min(start + 500, entries.count)])
            added += try BulletinCommand.publish(part, from: source, as: "road", telling: true, connection).count
            Told.progress(start + part.count, of: entries.count)
        }
        print(
            "\(added) new, \(entries.count - added) there already, \(said.count - entries.count) that cannot be used.")
        guard !entries.isEmpty || said.isEmpty else { throw Refusal("nothing in \(path) can be used") }
    }

    private static func entry(_ json: JSON) throws -> JSON {
        guard case .object(let members) = json else { throw Refusal("it is no object") }
        func text(_ name: String) throws -> String? {
            switch members[name] {
            case .string(let text)?: return text
            case nil, .null?: return nil
            default: throw Refusal("its \(name) is no text")
            }
        }
        return try BulletinCommand.Entry(title: text("title"), text: text("text"), link: text("link")).json
    }
}
