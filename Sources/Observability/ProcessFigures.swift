import Glibc

/// The system's figures about this process, under the names that Prometheus uses.
public enum ProcessFigures {
    /// The memory that is resident.
    public static var residentBytes: Int { residentPages * sysconf(Int32(_SC_PAGESIZE)) }

    static func write(_ text: inout MetricsText) {
        text.single(
            "process_resident_memory_bytes", .gauge, "Memory that is resident.", Double(residentBytes))
        text.single("process_cpu_seconds_total", .counter, "Time spent on the cores.", processorSeconds)
    }

    private static var residentPages: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static var processorSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
