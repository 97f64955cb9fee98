import EventLoop
import HTTP
import Testing

/// What stores and recipients do with a link.
extension ServedProduct {
    /// The token of a delivery's link, which is made if there is none.
    func tracking(of delivery: String, by store: Person) async throws -> String {
        let answer = try await post(SampleDelivery.path(delivery, "tracking"), as: store.token)
        try #require(answer.status == 200, "\(answer.json)")
        return String(answer.json["url"].string?.split(separator: "/").last ?? "")
    }

    /// What a link shows.
    func followed(_ token: String, language: String = "en") async throws -> Answer {
        try await get("/v1/tracking/\(token)", headers: ["Accept-Language": language])
    }

    /// Sends a form as a browser without a script does.
    func submit(_ path: String, _ form: String, headers: [String: String] = [:]) async throws -> Answer {
        var head =
            "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(form.utf8.count)\r\n\r\n"
        return Answer(try await server.reply(to: head, body: Array(form.utf8), on: group.loops[0]))
    }
}
