import Glibc

/// The system's figures about this process, under the names that Prometheus uses.
public enum ProcessFigures {
    /// The memory that is resident.
    public static var residentBytes: Int { residentPages * sysconf(Int32(_SC_PAGESIZE)) }

    static func write(_ text: inout MetricsText) {
        text.single(
            "process_resident_memory_bytes", .gauge, "Memory that is resident.", Double(residentBytes))
        text.single("process_cpu_seconds_total", .counter, "Time spent on the cores.", processorSeconds)
        text.single("process_start_time_seconds", .gauge, "When the process began, in Unix time.", startTime)
    }

    private static var residentPages: Int {
        line(of: "/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// It is worked out once, or it would change a little whenever the clock is put right.
    private static let startTime: Double = {
        // The name of the process, in parentheses, may have spaces. The 22nd field counts from the start of the machine.
        let fields = line(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 19, let ticks = Double(fields[19]) else { return 0 }
        return seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME) + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }()

    private static func seconds(_ clock: Int32) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    private static func line(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1024)
        guard fgets(&line, 1024, file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
