import Domain
import Glibc
import Services

/// The weather over a demo's town: made up, as the season has it, and the same for whoever asks.
enum DemoSky {
    /// Tells it as a source far away would.
    static let source = WeatherSource("demo") { _, now in forecast(at: now) }

    /// Hour by hour, from yesterday on and some days ahead.
    static func forecast(at now: Moment) -> Forecast {
        let today = now.milliseconds / 86_400_000
        let hours = (today - 1...today + 9).flatMap { number in
            let day = Day(number: number)
            return (0..<24).map { Forecast.Hour(Int(number) * 86_400 + $0 * 3600, day.weather(at: $0)) }
        }
        return Forecast(timeZone: "Europe/Zagreb", current: nil, hours: hours, days: [:])
    }

    /// What the sky is like for a day.
    private enum Kind { case clear, some, cloudy, foggy, wet }

    private struct Day {
        private let number: Int64
        private let kind: Kind
        private let showers: ClosedRange<Int>
        private let breeze: Double

        init(number: Int64) {
            var chance = Chance(seed: UInt64(number))
            kind = chance.pick([.clear, .clear, .some, .some, .some, .cloudy, .cloudy, .foggy, .wet, .wet])
            let start = chance.number(6...15)
            showers = start...start + chance.number(1...4)
            breeze = Double(chance.number(4...14))
            self.number = number
        }

        func weather(at hour: Int) -> Reading {
            let isWet = kind == .wet && showers.contains(hour)
            let degrees = temperature(at: hour)
            return Reading(
                temperature: degrees, chance: isWet ? 80 : kind == .wet ? 40 : kind == .cloudy ? 20 : 5,
                amount: isWet ? 0.6 : 0, humidity: (isWet ? 92 : kind == .foggy ? 88 : 64) - 6 * noon(hour),
                wind: breeze + 3 * noon(hour), code: code(at: hour, isWet ? degrees : nil))
        }

        /// By the season, the days before and after, and the hour. A clear sky lets more of it go by night.
        private func temperature(at hour: Int) -> Double {
            let days = Double(number) + Double(hour) / 24
            let season = 11.5 - 10.5 * cos((days - 18) / 365.25 * 2 * .pi)
            let degrees = season + 3 * sin(days * 1.3) + (kind == .clear ? 5 : 3) * noon(hour)
            return (degrees * 10).rounded() / 10
        }

        /// From -1 in the small hours to 1 in the early afternoon; the hours are those of Greenwich.
        private func noon(_ hour: Int) -> Double { cos(Double(hour - 13) / 24 * 2 * .pi) }

        /// What falls is snow where it freezes, and fog has gone by noon.
        private func code(at hour: Int, _ wetAt: Double?) -> Int {
            if let wetAt { return wetAt < 1 ? 71 : 61 }
            switch kind {
            case .clear: return 0
            case .some: return 2
            case .cloudy, .wet: return 3
            case .foggy: return (3...9).contains(hour) ? 45 : 2
            }
        }
    }
}
