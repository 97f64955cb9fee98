import CGD
import Domain
import HTTP
import TestSupport
import Testing

/// Pictures as tests send them.
enum Pictures {
    /// A grey JPEG with words of its camera; one of chance, which is large, if `isNoisy`.
    static func jpeg(_ width: Int32 = 640, _ height: Int32 = 480, isNoisy: Bool = false) -> [UInt8] {
        let picture = gdImageCreateTrueColor(width, height)!
        defer { gdImageDestroy(picture) }
        gdImageFilledRectangle(picture, 0, 0, width - 1, height - 1, 0x808080)
        if isNoisy {
            var seed: UInt32 = 1
            for place in 0..<width * height {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                gdImageSetPixel(picture, place % width, place / width, Int32(seed >> 8))
            }
        }
        var count: Int32 = 0
        let bytes = gdImageJpegPtr(picture, &count, 95)!
        defer { gdFree(bytes) }
        let jpeg = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        let comment = Array("SECRET".utf8)
        return Array(jpeg[..<2]) + [0xff, 0xfe, 0, UInt8(comment.count + 2)] + comment + jpeg[2...]
    }
}

extension ServedProduct {
    /// Sends a picture.
    func send(
        _ picture: [UInt8], as person: Person, type: String = "image/jpeg", _ fields: String = ""
    ) async throws -> Answer {
        let client = try await Client(port)
        let head = """
            POST /v1/files HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(person.token)\r\nContent-Type: \(type)\r\n\
            \(fields)Content-Length: \(picture.count)\r\n\r\n
            """
        try await client.send(Array(head.utf8) + picture)
        return Answer(try await client.reply(to: "POST"))
    }

    /// Sends a picture that is taken, and gives its id.
    func picture(of person: Person, _ picture: [UInt8] = Pictures.jpeg(32, 32)) async throws -> ID {
        let answer = try await send(picture, as: person)
        return try #require(answer.json["id"].string.flatMap(ID.init), "\(answer.json)")
    }

    /// Looks at a picture.
    func look(at id: ID, as person: Person, _ query: String = "") async throws -> Reply {
        try await Client(port).get("/v1/files/\(id)\(query)", "Authorization: Bearer \(person.token)\r\n")
    }
}

extension JSON {
    /// A step's body with these photos, and more.
    static func photos(_ ids: [ID], _ more: [String: JSON] = [:]) -> JSON {
        JSON.object(["photo_ids": .array(ids.map { .string($0.description) })]).with(more)
    }
}
