import Crypto
import EventLoop
import HTTP

/// An answer that is the same for everybody who asks, and compressed for those who take that. Whoever has it already is told
/// that it is still true.
final class FixedAnswer: Sendable {
    private let bytes: [UInt8]
    private let type: String
    private let headers: [Response.Header]
    private let tag: String
    private let varying: Response.Header
    private static let leastToPack = 256
    private let packed: Once<[UInt8]>

    /// `fields` are those of the request by which it was chosen among others.
    init(_ bytes: [UInt8], type: String, headers: [Response.Header] = [], varyingBy fields: [String] = []) {
        (self.bytes, self.type, self.headers) = (bytes, type, headers)
        varying = Response.Header("Vary", (fields + ["Accept-Encoding"]).joined(separator: ", "))
        tag = String(Base64URL.encode(SHA256.hash(bytes)).prefix(22))
        packed = Once { Gzip.pack(bytes) }
    }

    func response(to request: Request, adding more: [Response.Header] = []) -> Response {
        let headers = headers + more
        // Pictures are compressed already, and to few bytes gzip adds more than it saves.
        guard type != "image/png", bytes.count >= Self.leastToPack else {
            return response(to: request, { bytes }, tag, headers)
        }
        guard Gzip.isTaken(request.headerList("accept-encoding")) else {
            return response(to: request, { bytes }, tag, headers + [varying])
        }
        let packing = [varying, Response.Header("Content-Encoding", "gzip")]
        return response(to: request, { packed.value }, "\(tag)-gzip", headers + packing)
    }

    private func response(
        to request: Request, _ body: () -> [UInt8], _ tag: String, _ headers: [Response.Header]
    ) -> Response {
        let known = request.headerList("if-none-match")?.split(separator: ",").map { $0.filter { $0 != " " } } ?? []
        let headers = headers + [Response.Header("ETag", "\"\(tag)\"")]
        guard !known.contains(where: { $0 == "*" || $0 == "\"\(tag)\"" || $0 == "W/\"\(tag)\"" }) else {
            return Response(.notModified, headers: headers)
        }
        return Response(.ok, headers: headers, body: .bytes(body(), type: type))
    }
}
