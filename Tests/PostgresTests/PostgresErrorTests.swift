import Postgres
import Testing

@Suite struct PostgresErrorTests {
    private func refused(_ state: SQLState) -> PostgresError {
        .refused(ServerError(state: state, message: "no", constraint: nil))
    }

    @Test func `an error is told on one line`() {
        let unavailable = PostgresError.unavailable("connection to server failed:\n\tConnection refused\n")
        #expect("\(unavailable)" == "the database is not available: connection to server failed: Connection refused")
        let refusal = ServerError(state: .uniqueViolation, message: "twice\nthe same", constraint: "a_key")
        #expect("\(PostgresError.refused(refusal))" == "the database refused: 23505 twice the same (a_key)")
        #expect("\(PostgresError.connectionLost("gone"))" == "the connection to the database was lost: gone")
    }

    @Test(arguments: [
        SQLState.serializationFailure, .deadlockDetected, .readOnlyTransaction, .lockNotAvailable, .queryCanceled,
        .adminShutdown, .crashShutdown, .cannotConnectNow, .tooManyConnections, SQLState("53100"),
    ])
    func `an error that has to do with the moment is passing`(state: SQLState) {
        #expect(refused(state).isPassing)
    }

    @Test(arguments: [SQLState.uniqueViolation, .syntaxError, .undefinedTable, .divisionByZero, .checkViolation])
    func `an error that has to do with the statement is not passing`(state: SQLState) {
        #expect(!refused(state).isPassing)
    }

    @Test func `a database out of reach is passing, and nonsense is not`() {
        #expect(PostgresError.unavailable("").isPassing && PostgresError.connectionLost("").isPassing)
        #expect(!PostgresError.unexpected("").isPassing)
    }

    /// What a replica could not answer, the database can; what took too long there is not begun again.
    @Test(arguments: [("40001", true), ("57P01", true), ("42P01", true), ("57014", false), ("22012", false)])
    func `a read is tried elsewhere when the server is why it failed`(_ code: String, _ isElsewhere: Bool) {
        let refused = ServerError(state: SQLState(code), message: "", constraint: nil)
        #expect(PostgresError.refused(refused).isElsewhere == isElsewhere)
        #expect(PostgresError.unavailable("").isElsewhere && !PostgresError.unexpected("").isElsewhere)
    }
}
