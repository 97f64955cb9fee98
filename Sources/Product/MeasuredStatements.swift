import Deliveries
import Feed
import HTTP

/// The statements that `make bench` gives to pgbench, so that it measures the same ones.
package enum MeasuredStatements {
    /// The statements by the names that the bench uses.
    private static let all: [(name: String, sql: String)] = [
        ("create", CommitCreations<PassOver>.sql), ("step", CommitSteps<PassOver>.sql), ("find", FindDelivery.sql),
        ("partners", FindStoreWithPartners.sql),
        ("list_store", ListOfStore.sql), ("list_courier", ListOfCourier.sql), ("feed", ReadFeed<FeedDelivery>.sql),
    ]

    /// All of them, and the columns that those which commit are given, in their order.
    package static var json: String {
        let statements = all.map { ($0.name, JSON.string($0.sql)) }
        let columns = ["create": CommitCreations<PassOver>.columnNames, "step": CommitSteps<PassOver>.columnNames]
        let told = JSON.object([
            "statements": .object(Dictionary(uniqueKeysWithValues: statements)),
            "columns": .object(columns.mapValues { .array($0.map(JSON.string)) }),
        ])
        return String(decoding: told.bytes, as: UTF8.self)
    }
}
