@testable import HTTP

/// Everything that a reading finds out about a request.
struct Facts: Equatable {
    struct Field: Equatable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    var method: String
    /// Path and query, or the target in their place.
    var target: String
    var minorVersion: UInt8 = 1
    var fields: [Field] = []
    var framing = Framing.none
    var keepsAlive = true
    var expectsContinue = false
    var body: [UInt8] = []
    /// How many bytes the request took.
    var length = 0
}

/// The outcome of reading some bytes.
enum Outcome: Equatable {
    case accepted(Facts)
    case refused(Malformed)
    case incomplete
}

/// Feeds the parser and the body decoder as a connection does, with the bytes cut into pieces.
struct Feeder {
    var headLimit = 16 * 1024
    var bodyLimit = 1000

    /// Reads one request. The pieces end at `cuts`, which are in order, and at the end.
    func read(_ bytes: [UInt8], cuts: [Int] = []) -> Outcome {
        var parser = RequestParser(maximumSize: headLimit)
        var body = BodyReading()
        do throws(Malformed) {
            for end in cuts + [bytes.count] {
                if body.decoder == nil {
                    guard try parser.parse(bytes.span.extracting(0..<end)) else { continue }
                    body.position = parser.position
                    body.decoder = try BodyDecoder(parser.head.framing, limit: bodyLimit)
                }
                if try body.read(bytes, to: end) { return .accepted(Self.facts(parser.head, bytes, body)) }
            }
        } catch {
            return .refused(error)
        }
        return .incomplete
    }

    private struct BodyReading {
        var decoder: BodyDecoder?
        var bytes: [UInt8] = []
        var position = 0

        /// True when the body is complete.
        mutating func read(_ all: [UInt8], to end: Int) throws(Malformed) -> Bool {
            position += try decoder!.decode(all.span.extracting(position..<end), into: &bytes)
            return decoder!.isComplete
        }
    }

    private static func facts(_ head: RequestHead, _ bytes: [UInt8], _ body: BodyReading) -> Facts {
        let text = { (stretch: Stretch) in latin1(bytes[stretch.range]) }
        return Facts(
            method: text(head.method), target: text(head.target), minorVersion: head.minorVersion,
            fields: head.fields.map { Facts.Field(text($0.name), text($0.value)) }, framing: head.framing,
            keepsAlive: head.keepsAlive, expectsContinue: head.expectsContinue, body: body.bytes,
            length: body.position)
    }
}

/// All cuts that the tables try: none, one at each place, and one after every byte.
func allCuts(of count: Int) -> [[Int]] {
    [[]] + (0...count).map { [$0] } + [Array(1..<max(1, count))]
}

/// The bytes of a text in which `⏎` means CR and LF, and any other character up to U+00FF the byte of its number.
func bytes(_ text: String) -> [UInt8] {
    text.unicodeScalars.flatMap { $0 == "⏎" ? [13, 10] : [UInt8($0.value)] }
}
