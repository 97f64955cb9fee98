import Services

/// What whoever is on the road had better know of the weather.
enum WeatherWarning: String, CaseIterable, Sendable {
    case storm, ice, rain

    /// The gravest that there is, if any.
    init?(_ weather: Reading) {
        let code = weather.code ?? 0
        let falls = weather.amount ?? 0 > 0 && weather.chance ?? 100 >= 30
        // Wind from eight of Beaufort's on breaks twigs, and stops cyclists.
        if (95...99).contains(code) || weather.wind ?? 0 >= 62 {
            self = .storm
        } else if Self.freezes(code) || (weather.temperature ?? 10) <= 0.5 && (falls || code == 48) {
            self = .ice
        } else if [63, 65, 81, 82].contains(code) || falls && weather.amount ?? 0 >= 0.5 {
            self = .rain
        } else {
            return nil
        }
    }

    /// Rain that freezes, and snow.
    private static func freezes(_ code: Int) -> Bool {
        [56, 57, 66, 67].contains(code) || (71...77).contains(code) || [85, 86].contains(code)
    }
}
