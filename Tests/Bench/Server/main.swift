// The lower layers without the product: the routes that `make bench` measures, on the same runtime, pool, log and
// metrics as `kurir serve`. Usage: bench-server DATABASE_URL LOOPS POOL_SIZE; it ends when its standard input does.
// `bench-server --statements` prints the measured statements of the product as JSON, and `--papers KEYS` measures how long it takes
// to read the codes that come by standard input.

import Product
import EventLoop
import Glibc
import HTTP
import Observability
import Postgres

struct ReadThing: Statement {
    static let sql = "SELECT id, name, count FROM bench_things WHERE id = $1"
    static let isReadOnly = true
    let id: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> (id: Int32, name: String, count: Int32) {
        (try row.read(), try row.read(), try row.read())
    }
}

struct CountThing: Statement {
    static let sql = "UPDATE bench_things SET count = count + 1 WHERE id = $1 RETURNING id, name, count"
    let id: Int32

    func bind(into parameters: inout Parameters) {
        parameters.add(id)
    }

    static func decode(_ row: inout RowReader) throws -> (id: Int32, name: String, count: Int32) {
        try ReadThing.decode(&row)
    }
}

func answer(_ thing: (id: Int32, name: String, count: Int32)?) throws -> Response {
    guard let thing else { throw Problem.notFound }
    var json = JSONWriter()
    json.object { json in
        json.field("id", Int(thing.id))
        json.field("name", thing.name)
        json.field("count", Int(thing.count))
    }
    return .json(json.bytes)
}

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments
if arguments.dropFirst().first == "--statements" {
    print(MeasuredStatements.json)
    exit(EXIT_SUCCESS)
}
if arguments.count == 3, arguments[1] == "--papers" {
    try Reading.measure(keys: arguments[2])
    exit(EXIT_SUCCESS)
}
let group = try EventLoopGroup(count: Int(arguments[2])!)
let log = try await Log(.json, sink: LogSink(file: STDERR_FILENO), on: group)
let metrics = try await Metrics(on: group)
let observe: @Sendable (Observation) -> Void = {
    metrics.observe($0)
    log.observe($0)
}
let database = try await Database(
    url: arguments[1], group: group, poolSize: Int(arguments[3])!, observe: { observe(.postgres($0)) })

var configuration = ServerConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 0))
configuration.limits.connectionsPerAddress = nil
configuration.limits.requestsPerAddress = nil
let server = try await Server(
    configuration,
    routes: [
        .get("/nothing") { _ in .json(Array(#"{"status":"ok"}"#.utf8)) },
        .get("/things/{id}") { try answer(try await database.run(ReadThing(id: $0.parameter("id"))).first) },
        .post("/things/{id}") { try answer(try await database.run(CountThing(id: $0.parameter("id"))).first) },
    ], on: group, observe: { observe(.http($0)) })
print("\(getpid()) \(server.address)")
fflush(nil)
while readLine() != nil {}
exit(EXIT_SUCCESS)
