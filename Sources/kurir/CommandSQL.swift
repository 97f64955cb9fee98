/// The statements of commands, each beside the command that runs it. They go over a connection of their own, so that their parameters and
/// rows are texts. A test has the database check them all.
enum CommandSQL {
    static let all = [
        listAudit, clearRoads, importRoads, endRoads, makeGatewayKey, findGatewayRole, listGatewayKeys, findGatewayKeys,
        revokeGatewayKey, makeSecret, findSealedColumn, adoptSecret, rotateSecret, findSecret, listRules, stopSMS,
        allowSMS, proveLogin, approveStore, findAccounts, removeBulletin, publishBulletins, listAccounts, showAccount,
        findKind,
    ]
}
