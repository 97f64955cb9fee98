import Postgres
import Testing

@Suite struct PostgresErrorTests {
    private func refused(_ state: SQLState) -> PostgresError {
        .refused(ServerError(state: state, message: "no", constraint: nil))
    }

    @Test func isToldOnOneLine() {
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
    func whatHasToDoWithTheMomentIsPassing(state: SQLState) {
        #expect(refused(state).isPassing)
    }

    @Test(arguments: [SQLState.uniqueViolation, .syntaxError, .undefinedTable, .divisionByZero, .checkViolation])
    func whatHasToDoWithTheStatementIsNot(state: SQLState) {
        #expect(!refused(state).isPassing)
    }

    @Test func beingOutOfReachIsPassingAndNonsenseIsNot() {
        #expect(PostgresError.unavailable("").isPassing && PostgresError.connectionLost("").isPassing)
        #expect(!PostgresError.unexpected("").isPassing)
    }
}
