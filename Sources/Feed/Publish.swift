/// Puts events into the journal of the feeds. Every statement that writes events uses these texts.
package enum Publish {
    /// Writes events of steps of deliveries. `events` is a query of the readers, the types for each, the delivery, the
    /// step's number and its time.
    package static func ofDeliveries(_ events: String) -> String {
        "INSERT INTO event_journal (accounts, types, delivery_id, seq, at) \(events)"
    }

    /// Writes events with data of their own. `events` is a query of the readers, the types for each, and the data.
    package static func sql(_ events: String) -> String {
        "INSERT INTO event_journal (accounts, types, data) \(events)"
    }
}
