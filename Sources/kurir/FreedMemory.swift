import CLinux
import Observability

/// Decides when freed memory goes back to the system.
enum FreedMemory {
    /// Keeps some memory, since giving it back after every larger answer costs more than making the answer.
    static func keepSome() {
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
    }

    /// Gives the rest back once a minute. For a tenth of a second the loops may then have to wait for memory.
    static func giveBackEveryMinute() {
        Task.detached {
            while true {
                try await Task.sleep(for: .seconds(60))
                giveBack()
            }
        }
    }

    /// After a rush of large answers, hundreds of megabytes can be free between small pieces in use. The allocator
    /// would keep them for ever.
    static func giveBack() {
        if residentButFree > 64 << 20 { malloc_trim(0) }
    }

    private static var residentButFree: Int {
        let figures = mallinfo2()
        return ProcessFigures.residentBytes - Int(figures.uordblks + figures.hblkhd)
    }
}
