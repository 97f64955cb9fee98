import EventLoop

/// Somebody on one loop who waits for news about a subject.
///
/// Unchecked, because all of it happens on the loop's thread.
package final class Listener<Subject: Hashable & Sendable>: @unchecked Sendable {
    let subject: Subject
    private let loop: EventLoop
    private weak var owner: Waiting<Subject>?
    private var promise: Promise<Void>?
    private var isWoken = false

    fileprivate init(to subject: Subject, on loop: EventLoop, owner: Waiting<Subject>) {
        self.subject = subject
        self.loop = loop
        self.owner = owner
    }

    /// Whether the server stops, so that no more news will come.
    package var isOver: Bool { owner?.isStopped ?? true }

    /// Waits for news since the last time; false when none came.
    @discardableResult
    package func wait(atMost bound: Duration) async throws -> Bool {
        defer { isWoken = false }
        guard !isWoken, !isOver else { return true }
        let promise = Promise<Void>(on: loop)
        self.promise = promise
        let timer = loop.schedule(after: bound) { promise.fulfil(.success(())) }
        defer { timer.cancel() }
        try await promise.value()
        return isWoken
    }

    fileprivate func wake() {
        isWoken = true
        promise?.fulfil(.success(()))
    }

    /// Ends listening.
    package func close() {
        owner?.remove(self)
    }
}

/// All who listen on one loop.
///
/// Unchecked, because all of it happens on the loop's thread.
package final class Waiting<Subject: Hashable & Sendable>: @unchecked Sendable {
    private let loop: EventLoop
    private var listeners: [Subject: [ObjectIdentifier: Listener<Subject>]] = [:]

    private(set) var isStopped = false

    package init(on loop: EventLoop) { self.loop = loop }

    /// The subjects that somebody waits for.
    package var subjects: [Subject] { Array(listeners.keys) }

    package func listen(to subject: Subject) -> Listener<Subject> {
        let listener = Listener(to: subject, on: loop, owner: self)
        listeners[subject, default: [:]][ObjectIdentifier(listener)] = listener
        return listener
    }

    fileprivate func remove(_ listener: Listener<Subject>) {
        listeners[listener.subject]?[ObjectIdentifier(listener)] = nil
        if listeners[listener.subject]?.isEmpty == true { listeners[listener.subject] = nil }
    }

    package func wake(_ subjects: Set<Subject>) {
        for subject in subjects { listeners[subject]?.values.forEach { $0.wake() } }
    }

    /// Wakes them one after the other, so that what they ask then does not come all at once.
    package func wakeAll() {
        wakeInTurn(ArraySlice(listeners.values.flatMap(\.values)))
    }

    private func wakeInTurn(_ rest: ArraySlice<Listener<Subject>>) {
        for listener in rest.prefix(Self.mostAtOnce) { listener.wake() }
        let others = rest.dropFirst(Self.mostAtOnce)
        guard !others.isEmpty else { return }
        loop.schedule(after: .milliseconds(20)) { [weak self] in self?.wakeInTurn(others) }
    }

    private static var mostAtOnce: Int { 200 }

    package func stop() {
        isStopped = true
        for listener in listeners.values.flatMap(\.values) { listener.wake() }
    }
}
