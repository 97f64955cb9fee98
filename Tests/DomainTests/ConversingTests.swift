import Testing

@testable import Domain

/// Who may write and read, is listed and is told in which state of a conversation, cell by cell.
@Suite struct ConversingTests {
    /// What a side may: writes (`w`), or why not; whether it reads (`r`), is listed (`l`) and is told (`t`).
    private static let cells: [(state: ConversationState, store: String, courier: String)] = [
        (.partners, "w r l t", "w r l t"),
        (.ended, "partnership_ended r l -", "partnership_ended r l -"),
        (.blocked, "blocked_by_courier r l t", "w r l t"),
        (.hidden, "w r - t", "w r - t"),
        (.muted, "w r l -", "w r l -"),
        (.reading, "w r l -", "w r l -"),
        (.erased, "partnership_ended - - -", "partnership_ended - - -"),
        (.otherErased, "partnership_ended r l -", "partnership_ended r l -"),
    ]

    private func cell(_ side: AccountKind, _ states: Set<ConversationState>) -> String {
        let rights = ConversationState.rights(of: side, in: states)
        #expect(rights.writes == (rights.refusal == nil))
        let marks = [(rights.reads, "r"), (rights.isListed, "l"), (rights.isTold, "t")].map { $0 ? $1 : "-" }
        return ([rights.refusal?.rawValue ?? "w"] + marks).joined(separator: " ")
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
                    for place in 1...3 {
                        #expect((both[place] == "-") == (one[place] == "-" || other[place] == "-"))
                    }
                    #expect((both[0] == "w") == (one[0] == "w" && other[0] == "w"))
                }
            }
        }
        // That they no longer work together says more than that one is blocked.
        #expect(cell(.store, [.blocked, .ended]) == "partnership_ended r l -")
    }
}
