import Testing

@testable import Postgres

@Suite struct PipelineTests {
    @Test func `an answer counts when its sync has come`() {
        var run = PipelineRun([.prepare(1), .execute(1), .sync])
        run.receive(.answer, .null, .answer, .null)
        #expect(run.log == ["answered 1"])
        run.receive(.sync)
        #expect(run.log == ["answered 1", "settled"])
        #expect(run.pipeline.isEmpty)
    }

    @Test func `an error skips the rest up to the sync and nothing after it`() {
        var run = PipelineRun([.execute(1), .execute(2), .prepare(3), .execute(3), .sync, .execute(4), .sync])
        run.receive(.answer, .null, .error, .null, .skipped, .null, .skipped, .null, .sync)
        run.receive(.answer, .null, .sync)
        #expect(
            run.log == [
                "answered 1", "failed 2", "unprepared 3", "skipped 3", "settled", "answered 4", "settled",
            ])
    }

    @Test func `a preparation that fails fails its own call once`() {
        var run = PipelineRun([.prepare(1), .execute(1), .execute(2), .sync])
        run.receive(.error, .null, .skipped, .null, .skipped, .null, .sync)
        #expect(run.log == ["failed preparing 1", "skipped 2", "settled"])
    }

    @Test func `an error at the sync means that nothing was committed`() {
        var run = PipelineRun([.execute(1), .sync])
        run.receive(.answer, .null, .error, .null, .sync)
        #expect(run.log == ["answered 1", "commit failed", "settled"])
    }

    @Test(
        arguments: [
            [.null], [.sync], [.skipped], [.other], [.answer, .answer], [.answer, .null, .answer],
            [.error, .null, .answer],
        ] as [[Pipeline<Int>.Incoming]])
    func `an answer that cannot come breaks the protocol`(incoming: [Pipeline<Int>.Incoming]) {
        var run = PipelineRun([.execute(1), .sync])
        for one in incoming { run.receive(one) }
        #expect(run.log.last == "broken")
    }

    @Test func `an empty pipeline expects nothing`() {
        var run = PipelineRun([])
        run.receive(.answer)
        #expect(run.log == ["broken"])
    }

    @Test func `calls under way can be taken back when no answers will come`() {
        var run = PipelineRun([.execute(1), .prepare(2), .execute(2), .sync, .execute(3), .sync])
        run.receive(.answer, .null)
        #expect(run.pipeline.removeAll() == [2, 3])
        #expect(run.pipeline.isEmpty)
    }

    /// Random groups are played by a server of a few lines, and a plain loop says what must come of them.
    @Test func `random groups come out as a plain reading has them`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("pipeline seed \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<2_000 {
            var model = PipelineModel()
            for _ in 0..<Int.random(in: 1...6, using: &random) { model.addGroup(using: &random) }
            var run = PipelineRun(model.steps)
            for incoming in model.incoming { run.receive(incoming) }
            #expect(run.log == model.expected, "seed \(seed)")
            #expect(run.pipeline.isEmpty, "seed \(seed)")
        }
    }
}

/// A pipeline with a log of its outcomes.
private struct PipelineRun {
    var pipeline = Pipeline<Int>()
    var log: [String] = []

    init(_ steps: [Pipeline<Int>.Step]) {
        for step in steps { pipeline.send(step) }
    }

    mutating func receive(_ incoming: Pipeline<Int>.Incoming...) {
        for one in incoming {
            switch pipeline.receive(one) {
            case .nothing: break
            case .answered(let token): log.append("answered \(token)")
            case .failed(let token, whilePreparing: true): log.append("failed preparing \(token)")
            case .failed(let token, whilePreparing: false): log.append("failed \(token)")
            case .unprepared(let token): log.append("unprepared \(token)")
            case .skipped(let token): log.append("skipped \(token)")
            case .settled: log.append("settled")
            case .commitFailed: log.append("commit failed")
            case .broken: log.append("broken")
            }
        }
    }
}

/// What is sent, what a server answers, and what that means.
private struct PipelineModel {
    var steps: [Pipeline<Int>.Step] = []
    var incoming: [Pipeline<Int>.Incoming] = []
    var expected: [String] = []
    private var next = 0

    mutating func addGroup(using random: inout SplitMix) {
        var isSound = true
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            next += 1
            addCall(next, prepares: Bool.random(using: &random), isSound: &isSound, using: &random)
        }
        steps.append(.sync)
        if isSound, Int.random(in: 0..<10, using: &random) == 0 {
            incoming += [.error, .null]
            expected.append("commit failed")
        }
        incoming.append(.sync)
        expected.append("settled")
    }

    private mutating func addCall(_ token: Int, prepares: Bool, isSound: inout Bool, using random: inout SplitMix) {
        let fails = Int.random(in: 0..<5, using: &random) == 0
        steps += prepares ? [.prepare(token), .execute(token)] : [.execute(token)]
        switch (isSound, prepares, fails) {
        case (false, true, _):
            incoming += [.skipped, .null, .skipped, .null]
            expected += ["unprepared \(token)", "skipped \(token)"]
        case (false, false, _):
            incoming += [.skipped, .null]
            expected.append("skipped \(token)")
        case (true, true, true):
            incoming += [.error, .null, .skipped, .null]
            expected.append("failed preparing \(token)")
            isSound = false
        case (true, false, true):
            incoming += [.error, .null]
            expected.append("failed \(token)")
            isSound = false
        case (true, _, false):
            incoming += prepares ? [.answer, .null, .answer, .null] : [.answer, .null]
            expected.append("answered \(token)")
        }
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
