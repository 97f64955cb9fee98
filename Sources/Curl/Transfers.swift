import CCurl

/// Many transfers at once, on one thread. Their owner drives them by ``wait(milliseconds:)``.
public final class Transfers<Token> {
    private let multi: UnsafeMutableRawPointer
    private var running: [UnsafeMutableRawPointer: (transfer: RunningTransfer, token: Token, began: Double)] = [:]
    /// Handles that have nothing to do.
    private var idle: [UnsafeMutableRawPointer] = []

    /// Nothing is under way yet.
    public init() {
        // Once for each process is enough; more often does no harm.
        curl_global_init(Int(CURL_GLOBAL_ALL))
        multi = curl_multi_init()
    }

    deinit {
        for handle in running.keys {
            curl_multi_remove_handle(multi, handle)
            curl_easy_cleanup(handle)
        }
        for handle in idle { curl_easy_cleanup(handle) }
        curl_multi_cleanup(multi)
    }

    package var count: Int { running.count }
    package var tokens: [Token] { running.values.map(\.token) }

    /// Breaks off what has been under way for so many seconds and is not to go on; gives it.
    package func breakOff(after seconds: Double, unless mayGoOn: (Token) -> Bool) -> [Token] {
        let latest = MonotonicClock.seconds - seconds
        let over = running.filter { $1.began < latest && !mayGoOn($1.token) }
        for handle in over.keys { leave(handle) }
        return over.values.map(\.token)
    }

    package func begin(_ transfer: Transfer, _ token: Token) {
        let handle = idle.popLast() ?? curl_easy_init()!
        running[handle] = (RunningTransfer(transfer, handle), token, MonotonicClock.seconds)
        curl_multi_add_handle(multi, handle)
    }

    /// Continues all of them, for at most so long if nothing finishes, and gives those that are over.
    package func wait(milliseconds: Int32) -> [(token: Token, reply: Transfer.Reply)] {
        var going: Int32 = 0
        curl_multi_perform(multi, &going)
        var over = takeFinished()
        if over.isEmpty {
            curl_multi_poll(multi, nil, 0, milliseconds, nil)
            curl_multi_perform(multi, &going)
            over = takeFinished()
        }
        return over
    }

    /// Ends a waiting, from another thread. It must not be called any more once the transfers are gone.
    package var waker: @Sendable () -> Void {
        nonisolated(unsafe) let multi = multi
        return { curl_multi_wakeup(multi) }
    }

    private func takeFinished() -> [(token: Token, reply: Transfer.Reply)] {
        var over: [(token: Token, reply: Transfer.Reply)] = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let (transfer, token, _) = running[handle]
            else { continue }
            over.append((token, transfer.reply(message.pointee.data.result)))
            leave(handle)
        }
        return over
    }

    private func leave(_ handle: UnsafeMutableRawPointer) {
        curl_multi_remove_handle(multi, handle)
        running[handle] = nil
        // The handle keeps its connections for the next transfer.
        curl_easy_reset(handle)
        idle.append(handle)
    }
}

extension Transfers<Void> {
    /// Does one transfer alone, and waits for it. It takes a connection that an earlier one has left open.
    public func perform(_ transfer: Transfer) -> Transfer.Reply {
        begin(transfer, ())
        while true {
            if let over = wait(milliseconds: 1000).first { return over.reply }
        }
    }
}
