/// How events come into the feeds: the one text by which every statement writes them.
package enum Publish {
    /// Writes events of steps of deliveries. `events` is a query of who reads each as what, the delivery, the step's number and
    /// its time.
    package static func ofDeliveries(_ events: String) -> String {
        "INSERT INTO event_journal (accounts, types, delivery_id, seq, at) \(events)"
    }

    /// Writes events with data of their own. `events` is a query of who reads each as what, and the data.
    package static func sql(_ events: String) -> String {
        "INSERT INTO event_journal (accounts, types, data) \(events)"
    }
}
