import API
import Domain

/// What a phone found out since the last time.
struct FixesForm: Form {
    let fixes: [FixForm]

    init(_ fields: inout Fields) { fixes = fields.forms("fixes", 1...Fix.most) }
}

/// One fix as it was sent. What it says may still make no sense, which is told beside those that do.
struct FixForm: Form {
    let lat, lon, accuracy: Double
    let at: Moment
    let speed, heading: Double?

    init(_ fields: inout Fields) {
        (lat, lon) = (fields.required("lat"), fields.required("lon"))
        accuracy = fields.required("accuracy_m")
        at = fields.required("at")
        (speed, heading) = (fields.optional("speed_mps"), fields.optional("heading"))
    }
}

/// The fixes of a call that may be taken, oldest first, and why the others are not.
struct SortedFixes: Sendable {
    private(set) var fixes: [(index: Int, fix: Fix)] = []
    private(set) var refused: [(index: Int, reason: Fix.Refusal)] = []

    /// Each must be newer than those before it.
    init(_ forms: [FixForm], now: Moment = .now) {
        for (index, form) in forms.enumerated() {
            do throws(Fix.Refusal) {
                let fix = try Fix(
                    lat: form.lat, lon: form.lon, accuracy: form.accuracy, at: form.at, speed: form.speed,
                    heading: form.heading, now: now)
                if let last = fixes.last?.fix, fix.at < last.at { throw Fix.Refusal.olderThanKnown }
                fixes.append((index, fix))
            } catch {
                refused.append((index, error))
            }
        }
    }

    /// Takes out what is older than what was known before, or than what may be known.
    mutating func refuseOlder(than oldest: Moment?) {
        guard let oldest else { return }
        refused += fixes.filter { $0.fix.at < oldest }.map { (index: $0.index, reason: Fix.Refusal.olderThanKnown) }
        refused.sort { $0.index < $1.index }
        fixes.removeAll { $0.fix.at < oldest }
    }
}
