import Domain

extension DeliveryStatus {
    /// The statuses that are meant, as a list for `status IN …`.
    package static func sql(_ isMeant: (DeliveryStatus) -> Bool) -> String {
        "(" + allCases.filter(isMeant).map { "'\($0.rawValue)'" }.joined(separator: ", ") + ")"
    }

    /// The same as rows, for a statement that looks each of them up: `IN` of several may become a filter of much more.
    package static func rows(_ isMeant: (DeliveryStatus) -> Bool) -> String {
        allCases.filter(isMeant).map { "('\($0.rawValue)'::delivery_status)" }.joined(separator: ", ")
    }
}
