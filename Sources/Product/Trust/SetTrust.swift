import Domain
import HTTP
import Postgres

/// Has the database follow these rules from now on, for all nodes. A bound that is lifted is null.
struct SetTrust: Statement {
    static let sql = """
        UPDATE trust SET (sms_begins, sms_never, sms_of_store, sms_to_number, sms_in_all, shown, offers_by_sms, recipient_days, max_jobs)
            = ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """
    let rules: Trust
    let looseness: Double?
    let verifies: Bool
    /// For how many days after its end a delivery tells its recipient.
    let recipientDays: Int
    /// How many deliveries a courier may carry at once.
    let mostJobs: Int

    func bind(into parameters: inout Parameters) {
        let sms = rules.sms
        func bound(_ number: Int) -> Int32? { looseness == nil ? nil : Int32(number) }
        parameters.add(CallingCodes.beginnings(of: sms.countries))
        parameters.add(CallingCodes.never(within: sms.countries))
        parameters.add(bound(sms.ofStore))
        parameters.add(bound(sms.toNumber))
        parameters.add(bound(sms.inAll))
        let shown = rules.shown(throttle: looseness, verifies: verifies).map { ($0.name, JSON.string($0.rule)) }
        parameters.add(JSONB(utf8: JSON.object(Dictionary(uniqueKeysWithValues: shown)).bytes))
        parameters.add(rules.offersBySMS)
        parameters.add(Int32(recipientDays))
        parameters.add(Int32(mostJobs))
    }
}
