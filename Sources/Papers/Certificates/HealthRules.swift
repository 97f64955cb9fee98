import HTTP

/// For how long health certificates are good, by their kind.
package struct HealthRules: Sendable, Equatable {
    var recoveryDays = 180
    var vaccinationDays = 270
    var pcrHours = 72
    var antigenHours = 48

    /// The rules where nobody says others.
    package init() {}

    /// The rules of a file; nil if it says anything else. What it leaves out is as usual, be it all of them.
    package init?(_ text: [UInt8]) {
        guard case .object(let kinds)? = JSON(text) else { return nil }
        for (kind, rule) in kinds {
            guard case .object(let members) = rule else { return nil }
            for (name, value) in members {
                guard case .integer(let number) = value, (1...36_500).contains(number) else { return nil }
                switch (kind, name) {
                case ("recovery", "days"): recoveryDays = number
                case ("vaccination", "days"): vaccinationDays = number
                case ("test", "pcr_hours"): pcrHours = number
                case ("test", "antigen_hours"): antigenHours = number
                default: return nil
                }
            }
        }
    }
}
