import TestSupport
import Testing

@testable import Domain

/// The picture in the docs follows the table. `KURIR_WRITE_DOCS=1 swift test --filter LifecyclePictureTests` draws it
/// again.
@Suite struct LifecyclePictureTests {
    @Test func `the picture in the docs shows what the table says`() throws {
        #expect(try Drawn("lifecycle.md", from: "the table").shows(Self.picture))
    }

    private static var picture: String {
        diagram + "\n" + table
    }

    private static var diagram: String {
        var lines = ["```mermaid", "stateDiagram-v2"]
        for rule in Lifecycle.rules {
            guard case .becomes(let next, _) = rule.outcome, rule.status != next || rule.action == .create else {
                continue
            }
            let from = rule.status?.rawValue ?? "[*]"
            lines.append("    \(from) --> \(next.rawValue): \(rule.action.rawValue) (\(rule.standing.rawValue))")
        }
        return (lines + ["```", ""]).joined(separator: "\n")
    }

    private static var table: String {
        var lines = ["| action | by | " + DeliveryStatus.allCases.map(\.rawValue).joined(separator: " | ") + " |"]
        lines.append("| --- | --- |" + String(repeating: " --- |", count: DeliveryStatus.allCases.count))
        for action in Lifecycle.Action.allCases where action != .create {
            for standing in Lifecycle.Standing.allCases
            where Lifecycle.rules.contains(where: { $0.action == action && $0.standing == standing }) {
                let cells = DeliveryStatus.allCases.map { cell(action, standing, $0) }
                lines.append("| \(action.rawValue) | \(standing.rawValue) | " + cells.joined(separator: " | ") + " |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cell(
        _ action: Lifecycle.Action, _ standing: Lifecycle.Standing, _ status: DeliveryStatus
    ) -> String {
        switch Lifecycle.outcome(of: action, by: standing, status) {
        case .becomes(let next, _): "**\(next.rawValue)**"
        case .stays: "as it is"
        case .refused(let refusal): "`\(refusal.rawValue)`"
        }
    }
}
