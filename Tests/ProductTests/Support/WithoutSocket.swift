import EventLoop
import TestSupport

@testable import HTTP

extension Server {
    /// Answers a request as a connection does, without one: parser, router and a handler on a loop.
    func reply(to head: String, body: [UInt8], on loop: EventLoop) async throws -> Reply {
        let answer = try await answer(to: head, body: body, on: loop)
        return try Reply(answer.response, to: answer.request, of: answer.configuration)
    }

    /// The answer to a `GET` as its handler gives it.
    func response(to path: String, on loop: EventLoop) async throws -> Response {
        try await answer(to: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", body: [], on: loop).response
    }

    private func answer(
        to head: String, body: [UInt8], on loop: EventLoop
    ) async throws -> (response: Response, request: Request, configuration: ServerConfiguration) {
        // The task is detached, since a client knows nothing of a transaction that the test has open.
        try await Task.detached(executorPreference: loop) { [loops] in
            guard let server = loops.current else { throw NoReply(why: "the loop is not one of the server's") }
            let bytes = Array(head.utf8)
            var parser = RequestParser(maximumSize: server.configuration.limits.head)
            guard try parser.parse(bytes.span) else { throw NoReply(why: "the head has no end: \(head)") }
            let received = ReceivedHead(head: parser.head, bytes: bytes)
            let incoming = server.incoming(received, peer: IPAddress("127.0.0.1")!)
            let request = Request(
                received, body: body, id: incoming.id, client: incoming.client, parameters: incoming.parameters)
            return (await server.response(to: request, incoming.plan), request, server.configuration)
        }.value
    }
}

extension LoopServer {
    fileprivate func response(to request: Request, _ plan: Incoming.Plan) async -> Response {
        switch plan {
        case .handle(let route, _): await responder.respond(to: request, by: route)
        case .options(let allow):
            responder.crossOrigin.preflight(origin: request.header("origin"), allow: allow)
        case .refuse(let problem): responder.response(to: problem, of: request)
        }
    }
}

extension Reply {
    /// The answer as the connection would have written it.
    fileprivate init(_ response: Response, to request: Request, of configuration: ServerConfiguration) throws {
        var (type, body): (String?, [UInt8]) = (nil, [])
        switch response.body {
        case .none: break
        case .bytes(let bytes, let its): (type, body) = (its, bytes)
        case .stream: throw NoReply(why: "\(request.method) answers with a stream, which needs a socket")
        }
        var outbound = Outbound()
        outbound.appendHead(
            of: response, type: type, length: response.status.forbidsBody ? .untold : .known(body.count),
            Outbound.HeadFacts(
                requestID: request.id, date: HTTPDate().bytes, minorVersion: 1, keepsAlive: true,
                isByTLSAlone: configuration.isByTLSAlone))
        let lines = String(decoding: outbound.all, as: UTF8.self).split(separator: "\r\n").dropFirst()
        let fields = lines.map { line in
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].lowercased(), String(parts[1]))
        }
        self.init(status: response.status.code, fields: fields, body: request.method == "HEAD" ? [] : body)
    }
}

/// The request cannot be answered without a socket.
struct NoReply: Error {
    let why: String
}
