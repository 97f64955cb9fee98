import EventLoop
import Glibc

/// Lets a story take its time, so many times faster than life. Nights pass at once.
struct Pace {
    let speed: Int
    private var second: Int?

    init(speed: Int) { self.speed = speed }

    /// Nobody waits for longer than for five minutes of the story.
    private static let longest = 5 * 60

    mutating func wait(until next: Int) {
        let gap = min(next - (second ?? next), Self.longest)
        second = next
        usleep(UInt32(gap * 1_000_000 / speed))
    }
}
