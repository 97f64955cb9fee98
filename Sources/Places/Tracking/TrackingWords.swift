import API
import Domain
import HTTP
import Languages

/// What recipients read of their delivery.
package struct TrackingWords: Sendable {
    package let words: LanguageWords

    package init(_ language: Language) {
        words = language.words
    }

    /// How it stands, in one sentence.
    package func text(_ tracked: TrackedDelivery) -> String {
        var values = ["store": tracked.storeName]
        values["courier"] = tracked.courier
        switch tracked.state {
        case .waiting where tracked.isLate: return say("track_state_late", values)
        case .waiting, .delivered, .cancelled: return say("track_state_\(tracked.state.rawValue)", values)
        case .accepted, .attemptFailed: return named(tracked.state.rawValue, values)
        case .onTheWay:
            return named(tracked.isNearby ? "nearby" : tracked.stopsBefore == 0 ? "next" : "on_the_way", values)
        }
    }

    /// A text with the courier's name, or as it reads without one.
    private func named(_ name: String, _ values: [String: String]) -> String {
        say("track_state_\(name)" + (values["courier"] == nil ? "_nameless" : ""), values)
    }

    /// A text of the pages.
    package func say(_ name: String, _ values: [String: String] = [:]) -> String {
        LanguageWords.fill(words.pages[name] ?? "", values)
    }
}
