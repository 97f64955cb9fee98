import Testing

@testable import Domain

/// Who may write and is told in which state of a conversation, cell by cell.
@Suite struct ConversingTests {
    /// What a side may: writes (`w`), or why not; whether it is listed (`l`) and told (`t`).
    private static let cells: [(state: ConversationState, store: String, courier: String)] = [
        (.partners, "w l t", "w l t"),
        (.ended, "partnership_ended l -", "partnership_ended l -"),
        (.blocked, "blocked_by_courier l t", "w l t"),
        (.hidden, "w - t", "w - t"),
        (.muted, "w l -", "w l -"),
        (.reading, "w l -", "w l -"),
        (.otherErased, "partnership_ended l -", "partnership_ended l -"),
    ]

    private func cell(_ side: AccountKind, _ states: Set<ConversationState>) -> String {
        let rights = ConversationState.rights(of: side, in: states)
        #expect(rights.writes == (rights.refusal == nil))
        return "\(rights.refusal?.rawValue ?? "w") \(rights.isListed ? "l" : "-") \(rights.isTold ? "t" : "-")"
    }

    @Test func `each state says what each side may`() {
        #expect(Self.cells.map(\.state) == ConversationState.allCases)
        for (state, store, courier) in Self.cells {
            #expect(cell(.store, [state]) == store, "\(state)")
            #expect(cell(.courier, [state]) == courier, "\(state)")
        }
    }

    @Test func `of several states each takes away what it takes alone`() {
        for (first, firstStore, firstCourier) in Self.cells {
            for (second, secondStore, secondCourier) in Self.cells {
                for (side, one, other) in [
                    (AccountKind.store, firstStore, secondStore), (.courier, firstCourier, secondCourier),
                ] {
                    let (one, other) = (one.split(separator: " "), other.split(separator: " "))
                    let both = cell(side, [first, second]).split(separator: " ")
                    for place in 1...2 {
                        #expect((both[place] == "-") == (one[place] == "-" || other[place] == "-"))
                    }
                    #expect((both[0] == "w") == (one[0] == "w" && other[0] == "w"))
                }
            }
        }
        // That they no longer work together says more than that one is blocked.
        #expect(cell(.store, [.blocked, .ended]) == "partnership_ended l -")
    }
}
