import CLinux
import Glibc

/// Something that wants to know when its file can be read or written.
public protocol FileEvents: AnyObject {
    /// The file has become ready.
    func ready(_ readiness: FileReadiness)
}

/// What epoll watches for and reports.
public struct FileReadiness: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// There is something to read.
    public static let readable = FileReadiness(rawValue: EPOLLIN.rawValue)
    /// There is room to write.
    public static let writable = FileReadiness(rawValue: EPOLLOUT.rawValue)
    /// The other side will send no more.
    public static let peerClosed = FileReadiness(rawValue: EPOLLRDHUP.rawValue)
    /// The connection is broken.
    public static let broken = FileReadiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    /// Reports changes only, so that no interest has to be switched on and off.
    public static let edges = FileReadiness(rawValue: EPOLLET.rawValue)
}

/// A watched file: its slot in the loop and how often that slot was used before, so that a late event reaches no other
/// file.
public struct FileToken: Sendable {
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    init(slot: Int, generation: UInt32) {
        rawValue = UInt64(generation) << 32 | UInt64(slot)
    }

    var slot: Int { Int(rawValue & 0xffff_ffff) }
    var generation: UInt32 { UInt32(rawValue >> 32) }
}

struct FileSlot {
    var handler: (any FileEvents)?
    var generation: UInt32 = 0
}

extension EventLoop {
    /// Watches a file until ``unwatch(_:file:)``. The handler is kept alive until then.
    public func watch(_ file: Int32, for interest: FileReadiness, handler: any FileEvents) throws -> FileToken {
        let slot = freeFiles.popLast() ?? files.count
        if slot == files.count { files.append(FileSlot()) }
        let token = FileToken(slot: slot, generation: files[slot].generation)
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token.rawValue))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) == 0 else {
            freeFiles.append(slot)
            throw SystemError("watching a file")
        }
        files[slot].handler = handler
        return token
    }

    /// Changes what a watched file is watched for.
    public func rewatch(_ token: FileToken, file: Int32, for interest: FileReadiness) {
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token.rawValue))
        epoll_ctl(epoll, EPOLL_CTL_MOD, file, &event)
    }

    /// Forgets a file; to be called before it is closed.
    public func unwatch(_ token: FileToken, file: Int32) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, file, &event)
        files[token.slot].handler = nil
        files[token.slot].generation &+= 1
        freeFiles.append(token.slot)
    }

    func deliver(_ readiness: FileReadiness, to token: FileToken) {
        let slot = files[token.slot]
        guard slot.generation == token.generation else { return }
        slot.handler?.ready(readiness)
    }
}
