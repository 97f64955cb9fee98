import API
import Deliveries
import Domain
import HTTP
import Pictures

/// Codes in pictures, for browsers that read none themselves. Neither the picture nor what it says is kept.
package struct ScanRoom: Room {
    private let intake: PictureIntake

    package init(_ intake: PictureIntake) { self.intake = intake }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/scans", for: .signedIn,
                "Reads the codes in a picture of 5 MiB and 40 megapixels at most, which is not kept", room: "Scans",
                answers: [.ok(Self.shape)], refuses: [.badPicture, .noCode], deadline: .seconds(60),
                throttledBy: {
                    [Throttle.Bucket("scan", $0.caller.account.description, burst: 120, step: .seconds(1))]
                }, handler: scan
            ).streaming(upTo: PictureIntake.mostBytes, PictureIntake.types).keepingNothing
        ]
    }

    private static let shape = Shape.object(
        "Scan",
        [
            .init(
                "codes",
                .array(
                    .object([.init("format", .string()), .init("text", .string())]), least: 1, most: FoundCode.most))
        ])

    private func scan(_ call: Call) async throws -> Response {
        let codes = try await intake.take(call) { bytes in
            try FoundCode.all(in: try Brightness(bytes, upTo: FoundCode.widest))
        }
        guard !codes.isEmpty else { throw Problem.noCode }
        var json = JSONWriter()
        json.object { json in
            json.array("codes", codes) { json, code in
                json.object { json in
                    json.field("format", code.format)
                    json.field("text", code.text)
                }
            }
        }
        return .json(json.bytes)
    }
}

extension Problem {
    static let noCode = Problem(.unprocessable, "no_code")
}
