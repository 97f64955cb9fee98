/// Why somebody takes a step, in words of its own in every language.
public protocol ReasonWords: Sendable {
    /// What pages call it.
    var word: String { get }
}

/// Why a courier gives a delivery back.
public enum ReturnReason: String, CaseIterable, ReasonWords {
    case personal
    case vehicle
    case tooFar = "too_far"
    case tooLate = "too_late"
    case storeNotReady = "store_not_ready"
    case unsafe
    case other

    /// What pages call it.
    public var word: String { "reason_\(rawValue)" }

    /// Reads what a courier says. A text that is no reason of these, as clients of before send it, belongs to the note.
    public static func read(_ text: String?, note: String?) -> (reason: ReturnReason, note: String?) {
        guard let text else { return (.other, note) }
        if let reason = ReturnReason(rawValue: text) { return (reason, note) }
        guard let note else { return (.other, text) }
        // What is too long for one note is said by the reason.
        return (.other, (try? Texts.paragraph("\(text)\n\(note)", upTo: Bounds.reason)) ?? text)
    }
}
