import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10)))
struct PromiseTests {
    private struct Refusal: Error {}

    @Test func `a value may come before anybody waits`() async throws {
        try await withLoop { loop in
            let value = try await loop.run {
                let promise = Promise<Int>(on: loop)
                promise.fulfil(.success(7))
                #expect(promise.isOver)
                return try await promise.value()
            }
            #expect(value == 7)
        }
    }

    @Test func `a value may come while a task waits`() async throws {
        try await withLoop { loop in
            let value = try await loop.run {
                let promise = Promise<Int>(on: loop)
                loop.schedule(after: .milliseconds(5)) { promise.fulfil(.success(8)) }
                #expect(!promise.isOver)
                let value = try await promise.value()
                #expect(promise.isOver && loop.isCurrent)
                return value
            }
            #expect(value == 8)
        }
    }

    @Test func `an error is thrown to the task that waits`() async throws {
        try await withLoop { loop in
            await #expect(throws: Refusal.self) {
                try await loop.run {
                    let promise = Promise<Int>(on: loop)
                    loop.schedule(after: .zero) { promise.fulfil(.failure(Refusal())) }
                    return try await promise.value()
                }
            }
        }
    }

    @Test func `only the first value counts`() async throws {
        try await withLoop { loop in
            let value = try await loop.run {
                let promise = Promise<Int>(on: loop)
                promise.fulfil(.success(1))
                promise.fulfil(.success(2))
                promise.fulfil(.failure(Refusal()))
                return try await promise.value()
            }
            #expect(value == 1)
        }
    }

    @Test func `a task cancelled beforehand does not wait`() async throws {
        try await withLoop { loop in
            let waiting = Task(executorPreference: loop) {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await Promise<Int>(on: loop).value()
            }
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func `a task cancelled while it waits stops waiting, and a late value is dropped`() async throws {
        try await withLoop { loop in
            let promise = Promise<Int>(on: loop)
            let waits = Mailbox<Void>()
            let waiting = Task(executorPreference: loop) {
                loop.schedule(after: .zero) { waits.put(()) }
                return try await promise.value()
            }
            try await waits.next()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            await loop.run {
                #expect(promise.isOver)
                promise.fulfil(.success(9))
            }
        }
    }

    @Test func `cancelling and fulfilling at once ends one way or the other`() async throws {
        try await withLoop { loop in
            for number in 0..<500 {
                let promise = Promise<Int>(on: loop)
                let waiting = Task(executorPreference: loop) { try await promise.value() }
                loop.execute { promise.fulfil(.success(number)) }
                waiting.cancel()
                switch await waiting.result {
                case .success(let value): #expect(value == number)
                case .failure(let error): #expect(error is CancellationError)
                }
            }
        }
    }

    @Test func `awaiting a promise twice ends the process`() async {
        await #expect(processExitsWith: .failure) {
            try await withLoop { loop in
                try await loop.run {
                    let promise = Promise<Int>(on: loop)
                    promise.fulfil(.success(1))
                    _ = try await promise.value()
                    _ = try await promise.value()
                }
            }
        }
    }

    @Test func `sleep ends by itself`() async throws {
        try await withLoop { loop in
            let began = Instant.now
            try await loop.run { try await loop.sleep(for: .milliseconds(20)) }
            #expect(Instant.now >= began + .milliseconds(20))
        }
    }

    @Test func `a cancelled sleep ends at once and leaves no timer`() async throws {
        try await withLoop { loop in
            let sleeps = Mailbox<Void>()
            let sleeper = Task(executorPreference: loop) {
                loop.schedule(after: .zero) { sleeps.put(()) }
                try await loop.sleep(for: .seconds(3600))
            }
            try await sleeps.next()
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
            #expect(try await loop.ask { loop.timers.timers.allSatisfy(\.isCancelled) })
        }
    }
}
