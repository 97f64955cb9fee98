import Domain

extension DeliveryStatus {
    /// The statuses that are meant, as a list for `status IN …`.
    package static func sql(_ isMeant: (DeliveryStatus) -> Bool) -> String {
        "(" + allCases.filter(isMeant).map { "'\($0.rawValue)'" }.joined(separator: ", ") + ")"
    }
}
