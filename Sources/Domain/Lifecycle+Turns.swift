extension Delivery {
    /// Offers it to those who are to have it offered now, after a step.
    ///
    /// Nobody is, as long as it is held. One after the other is, where there are turns: the next when the one whose turn it
    /// is declines or leaves, or when that is over. When it is pending again, turns begin anew. Whoever had none by the time
    /// that somebody has it learns nothing of it.
    mutating func moveTurn(from before: Delivery?, by command: StepCommand) {
        guard status == .pending else {
            (course.isHeld, course.turn) = (false, nil)
            course.waiting = course.waiting.filter(candidates.contains)
            return
        }
        course.isHeld = isHeld(from: before, by: command)
        guard content.terms.turns != nil, !course.isHeld else {
            (course.turn, course.waiting) = (nil, course.isHeld ? able : [])
            return
        }
        let able = able
        let told = Set(before.map { $0.content.terms.turns == nil ? [] : $0.offered } ?? [])
        course.waiting = able.filter { !told.contains($0) }.inOrder(of: command.order)
        if command.action != .offer, let turn = course.turn, told.contains(turn), able.contains(turn) { return }
        course.turn = course.waiting.isEmpty ? nil : course.waiting.removeFirst()
    }

    /// A time that is told anew is still to come, and one that was told while somebody had it may be.
    private func isHeld(from before: Delivery?, by command: StepCommand) -> Bool {
        guard command.action != .offer, let offerAt = content.terms.offerAt else { return false }
        guard let before, before.status == .pending else { return offerAt > command.at }
        return offerAt != before.content.terms.offerAt || before.course.isHeld
    }

    /// Those who are told once more after a step, because the last turn is over and nobody has accepted.
    func toldAgain(after before: Delivery?) -> [ID] {
        guard let before, before.course.turn != nil, course.turn == nil, content.terms.turns != nil, !course.isHeld
        else {
            return []
        }
        return before.offered.filter(offered.contains)
    }
}

extension [ID] {
    /// These in another order. Those that it lacks come last, as they stand.
    fileprivate func inOrder(of order: [ID]) -> [ID] {
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        return enumerated().sorted { one, other in
            (places[one.element] ?? .max, one.offset) < (places[other.element] ?? .max, other.offset)
        }.map(\.element)
    }
}
