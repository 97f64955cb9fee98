import API
import Domain
import HTTP
import Postgres

/// What an account may take with it.
package struct ExportRoom: Room {
    /// An export takes a while, and may be some seconds behind.
    private let database: ReplicaReads
    private let papers: Export.PaperOpener

    package init(database: ReplicaReads, papers: @escaping Export.PaperOpener) {
        (self.database, self.papers) = (database, papers)
    }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, "/v1/me/export", for: .signedIn, "Everything that is kept about the account, once an hour",
                room: "Accounts", answers: [.ok(Self.shape)],
                throttledBy: { call in
                    [Throttle.Bucket("export of", call.caller.account.description, burst: 1, step: .seconds(3600))]
                }, handler: export)
        ]
    }

    private static let shape = Shape.object(
        "AccountExport", Export.lists.map { .init($0, .array(.anyObject)) })

    private func export(_ call: Call) async throws -> Response {
        let caller = call.caller
        let event = SecurityEvent(.accountExported, of: caller.account, call.request)
        try await call.run(NoteEvent(event: event.parameter))
        call.log(event)
        let export = Export(of: caller.account, caller.kind, in: database, papers: papers)
        return Response(
            .ok, headers: [Response.Header("Content-Disposition", "attachment; filename=\"kurir.json\"")],
            body: .stream(type: "application/json") { writer in
                try await export.write { try await writer.write($0) }
            })
    }
}
