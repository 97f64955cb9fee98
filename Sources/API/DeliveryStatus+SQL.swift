import Domain

extension DeliveryStatus {
    /// Those of a kind, as `status IN …` has them.
    package static func sql(_ isMeant: (DeliveryStatus) -> Bool) -> String {
        "(" + allCases.filter(isMeant).map { "'\($0.rawValue)'" }.joined(separator: ", ") + ")"
    }
}
