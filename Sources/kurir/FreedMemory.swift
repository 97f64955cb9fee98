import CLinux
import Observability

/// What becomes of memory that was in use.
enum FreedMemory {
    /// Answers of some size are made all the time: giving their memory back after each costs more than making them.
    static func keepSome() {
        mallopt(M_TRIM_THRESHOLD, 4 << 20)
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
    }

    /// Gives the rest back, now and then: a tenth of a second in which the loops may have to wait for memory.
    static func giveBackEveryMinute() {
        Task.detached {
            while true {
                try await Task.sleep(for: .seconds(60))
                giveBack()
            }
        }
    }

    /// After a rush of large answers hundreds of megabytes can be free between small pieces that are in use, where the
    /// allocator would leave them for ever.
    static func giveBack() {
        if residentButFree > 64 << 20 { malloc_trim(0) }
    }

    private static var residentButFree: Int {
        let figures = mallinfo2()
        return ProcessFigures.residentBytes - Int(figures.uordblks + figures.hblkhd)
    }
}
