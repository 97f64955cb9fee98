import Deliveries
import Feed

/// The statements that `make bench` gives to pgbench, so that it measures the same ones.
package enum MeasuredStatements {
    /// The statements by the names that the bench uses.
    package static let all: [(name: String, sql: String)] = [
        ("create", CommitCreations<PassOver>.sql), ("step", CommitSteps<PassOver>.sql), ("find", FindDelivery.sql),
        ("partners", FindStoreWithPartners.sql),
        ("list_store", ListOfStore.sql), ("list_courier", ListOfCourier.sql), ("feed", ReadFeed<FeedDelivery>.sql),
    ]
}
