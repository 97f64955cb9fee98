import Curl
import Postgres

/// Takes messages out of the outbox, sends them on, and reports what became of them.
///
/// All of it is on one thread: many transfers go on while it claims and reports. The outbox keeps messages to one
/// address in order, by giving out one of them at a time.
public struct Gateway {
    /// Leases are twice as long as a transfer may take.
    private static let leaseSeconds = 30
    /// How many milliseconds to wait for transfers before asking again, when there were no messages.
    private static let pause: Int32 = 25
    /// The same for one who is told of messages: what nobody tells of is what comes again.
    private static let longPause: Int32 = 1000

    private let queue: OutboxQueue
    private let channels: [String]
    private let most: Int
    private let grace: Int
    private let tell: (String) -> Void
    private let bell: GatewayBell?
    private var outlets: Outlets
    private let transfers = Transfers<Claimed>()
    private var verdicts: [(message: Claimed, verdict: Verdict)] = []
    private var troubles = 0

    /// A gateway of these channels, with at most so many messages under way. When it is to stop it finishes what it has
    /// within `grace` seconds, and gives the rest back. Failures are told to `tell`. One with a bell is told of messages.
    public init(
        database url: String, channels: [String], to outlets: Outlets, most: Int, grace: Int, bell: GatewayBell? = nil,
        tell: @escaping (String) -> Void
    ) {
        queue = OutboxQueue(url: url)
        self.channels = channels
        self.outlets = outlets
        self.most = most
        self.grace = grace
        self.bell = bell
        self.tell = tell
        bell?.hang(transfers.waker)
    }

    /// Works until `isToStop`.
    public mutating func run(until isToStop: () -> Bool) {
        while !isToStop() {
            do {
                // Reports come before anything that may fail, because what is done must not be done twice.
                try report()
                bell?.isStill()
                let claimed = try claim()
                if claimed > 0 {
                    sort(transfers.wait(milliseconds: 0))
                } else {
                    waitForMore(until: isToStop)
                }
                troubles = 0
            } catch {
                rest(after: error, until: isToStop)
            }
        }
        finish()
        bell?.takeDown()
    }

    /// Waits for transfers, and for the bell, but not so shortly that a busy server is asked without end.
    private mutating func waitForMore(until isToStop: () -> Bool) {
        let shortest = MonotonicClock.seconds + Double(Self.pause) / 1000
        sort(transfers.wait(milliseconds: bell == nil || transfers.count > 0 ? Self.pause : Self.longPause))
        while bell != nil, MonotonicClock.seconds < shortest, !isToStop() {
            sort(transfers.wait(milliseconds: Self.pause))
        }
    }

    /// Starts as many transfers as there is room for.
    private mutating func claim() throws -> Int {
        let slow = makeRoom()
        guard transfers.count < most else { return 0 }
        var claimed = 0
        for channel in channels where transfers.count < most && outlets.prepare(for: channel, tell: tell) {
            let messages = try queue.claim(channel, most: min(500, most - transfers.count), seconds: Self.leaseSeconds)
            for message in messages { begin(message, slow) }
            claimed += messages.count
        }
        return claimed
    }

    /// Breaks off what a slow push service has too much of.
    private mutating func makeRoom() -> SlowServices {
        var slow = SlowServices(most: most / 8)
        let over = transfers.breakOff(after: SlowServices.patience) { !$0.isForBrowser || slow.count($0.address) }
        verdicts += over.map { ($0, Self.isSlow) }
        return slow
    }

    private static let isSlow = Verdict.later("the push service of this device is slow")

    private mutating func begin(_ message: Claimed, _ slow: SlowServices) {
        guard !(message.isForBrowser && slow.hasEnough(message.address)) else {
            verdicts.append((message, Self.isSlow))
            return
        }
        if let trouble = outlets.trouble(of: message) {
            verdicts.append((message, .later(trouble)))
            return
        }
        send(message)
    }

    private mutating func send(_ message: Claimed) {
        switch outlets.outlet(for: message) {
        case .provider(let provider):
            do {
                var transfer = try provider.transfer(of: message)
                transfer.certificates = outlets.certificates
                transfers.begin(transfer, message)
            } catch {
                verdicts.append((message, error))
            }
        case .log: verdicts.append((message, outlets.log(message)))
        case .none(let reason): verdicts.append((message, .later(reason)))
        }
    }

    private mutating func sort(_ over: [(token: Claimed, reply: Transfer.Reply)]) {
        for (message, reply) in over {
            guard case .provider(let provider) = outlets.outlet(for: message) else { continue }
            let verdict = provider.verdict(on: reply)
            if case .tooLong = verdict, !message.isCut {
                var cut = message
                cut.isCut = true
                send(cut)
            } else {
                verdicts.append((message, verdict))
            }
        }
    }

    private mutating func report() throws {
        guard !verdicts.isEmpty else { return }
        let results = try queue.report(verdicts)
        for (message, verdict) in verdicts {
            let result = results[message.id] ?? "lost"
            if let reason = verdict.reason {
                tell("\(message.channel) \(message.id) attempt \(message.attempt): \(reason) (\(result))")
            } else if result == "lost" {
                tell("\(message.channel) \(message.id): sent, but the lease was lost; it may be sent once more")
            }
        }
        verdicts = []
    }

    /// The pause grows with each failure, from a quarter of a second to eight seconds. Running transfers go on.
    private mutating func rest(after error: any Error, until isToStop: () -> Bool) {
        tell("\(error)")
        let end = MonotonicClock.seconds + min(8, 0.25 * Double(1 << min(troubles, 5)))
        troubles += 1
        while MonotonicClock.seconds < end, !isToStop() { sort(transfers.wait(milliseconds: 50)) }
    }

    private mutating func finish() {
        let end = MonotonicClock.seconds + Double(grace)
        while transfers.count > 0, MonotonicClock.seconds < end {
            sort(transfers.wait(milliseconds: 50))
            try? report()
        }
        // Some of these may have arrived, but sending twice is better than not at all.
        verdicts += transfers.tokens.map { ($0, .later("the gateway stops", after: 0)) }
        do {
            try report()
        } catch {
            tell("\(error)")
        }
    }
}
